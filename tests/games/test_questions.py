"""Questions to a player: a deal is named in full, in the question as in the answers."""

from typing import Any

import pytest

from beanleague.games import Game
from beanleague.games.bohnanza import Accept, Call, Counter, Decline, Offer, Pick
from beanleague.games.core import Plant
from beanleague.games.core.words import plain
from beanleague.games.duel import moves as duel
from beanleague.games.families import words_of
from tests.games.bohnanza.helpers import scripted
from tests.games.duel.helpers import scripted as scripted_duel

NAMES = ("ann", "ben", "cid")


def asked(game: Game, seat: int) -> tuple[str, dict[str, Any]]:
    """The question to a seat, and its choices by their sentences."""
    view = game.view(seat)
    words = words_of(view.rules, player=True)
    choices = {plain(words.choice(action, view), NAMES): action for action in view.legal()}
    return plain(words.ask(view), NAMES), choices


def trading(offer: Offer | Call) -> Game:
    """A game in which seat 0 has just made an offer; soy and stink are turned over."""
    game = scripted(hands=("red green", "chili blue", "chili"), pile="soy stink red red red")
    game.apply(0, Plant(0))
    game.apply(0, game.default(0))  # plants no second card
    game.apply(0, offer)
    return game


class TestTrading:
    def test_the_question_and_the_acceptance_name_both_sides_of_an_offer(self) -> None:
        question, choices = asked(trading(Offer((1, 2), hand=(0,), wants=("chili",))), 1)
        assert question == "ann offers green for your chili"
        assert choices["accept: chili for green"] == Accept((0,))

    def test_a_gift_is_called_a_gift(self) -> None:
        question, choices = asked(trading(Offer((1, 2), turned=(0,))), 1)
        assert question == "ann offers soy as a gift"
        assert choices["accept soy"] == Accept(())

    def test_a_wish_for_nothing_in_return_is_asked_as_such(self) -> None:
        question, choices = asked(trading(Offer((1, 2), wants=("blue",))), 1)
        assert question == "ann offers nothing for your blue"
        assert choices["accept: give blue"] == Accept((1,))

    def test_a_call_for_offers_asks_for_one(self) -> None:
        question, choices = asked(trading(Call((1, 2))), 1)
        assert question == "ann asks for offers: make one, or decline"
        assert not [text for text in choices if text.startswith("accept")]

    def test_a_pick_names_what_is_taken_and_what_is_given(self) -> None:
        game = trading(Offer((1, 2), hand=(0,), wants=("chili",)))
        game.apply(1, Accept((0,)))
        game.apply(2, Counter((0,), (0,), ("green",)))
        question, choices = asked(game, 0)
        assert question == "You offered green for chili. Take one of the answers?"
        assert choices["take chili for green from ben"] == Pick(1)
        assert choices["take chili for soy, green from cid"] == Pick(2, (0,))

    def test_an_answer_without_a_card_is_a_present(self) -> None:
        game = trading(Offer((1, 2), hand=(0,)))
        game.apply(1, Accept(()))
        game.apply(2, Decline())
        assert asked(game, 0)[1]["give green to ben"] == Pick(1)

    def test_a_card_without_a_field_asks_for_a_harvest_first(self) -> None:
        game = scripted(hands=("chili",), fields={(0, 0): "red", (0, 1): "soy", (0, 2): "blue"})
        question, choices = asked(game, 0)
        assert question == "No field takes chili: harvest one first"
        assert list(choices) == [
            f"harvest field {i} ({kind}) for $0" for i, kind in enumerate(("red", "soy", "blue"), 1)
        ]

    def test_a_card_with_a_field_is_planted(self) -> None:
        question, choices = asked(scripted(hands=("red",), fields={(0, 0): "red", (0, 1): "soy"}), 0)
        assert question == "Plant the first card of your hand"
        assert "plant red in field 1 (red)" in choices
        assert "plant red in field 3" in choices


class TestDuel:
    @pytest.fixture
    def game(self) -> Game:
        """A duel in which seat 0 has planted, and offers green."""
        game = scripted_duel(hands=("red green green", "blue"), fields={(1, 0): "red", (1, 1): "blue", (1, 2): "blue"})
        game.apply(0, Plant(0))
        game.apply(0, game.default(0))
        game.apply(0, duel.OfferGift("green"))
        return game

    def test_the_question_names_the_gift_and_its_giver(self, game: Game) -> None:
        assert asked(game, 1)[0] == "ann offers you green: accept, or offer a gift in turn"

    def test_the_giver_is_asked_for_a_card_of_the_accepted_kind(self, game: Game) -> None:
        game.apply(1, duel.AcceptGift())
        assert asked(game, 0)[0] == "Your green is accepted: which card to give?"

    def test_a_gift_without_a_field_asks_for_a_harvest_first(self, game: Game) -> None:
        game.apply(1, duel.AcceptGift())
        if game.view(0).decision is duel.DuelDecision.GIVE:
            game.apply(0, game.view(0).legal()[0])
        while game.view(1).decision is not duel.DuelDecision.PLANT_GIFT:
            (seat,) = game.to_act()
            game.apply(seat, game.default(seat))
        assert asked(game, 1)[0] == "No field takes green: harvest one first"
