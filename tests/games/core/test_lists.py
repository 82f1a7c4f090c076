"""How far a list of actions is played, and the sentences of every family for all that it asks, does and tells."""

from dataclasses import dataclass
from typing import get_type_hints

import pytest

from beanleague.games import Action, Event, Game, new_game
from beanleague.games.bohnanza import Call, Counter, Decline, Offer, Pick, PlantAside, Stop
from beanleague.games.core import Drew, GameEnded, Harvest, Pass, Plant
from beanleague.games.core.game import in_turn
from beanleague.games.core.words import Beans, Money, Said, Who, plain
from beanleague.games.dice import CardDrawn, Rolled
from beanleague.games.duel import (
    AcceptGift,
    BohnusDrawn,
    DeclineGift,
    Fulfil,
    GiftAccepted,
    GiftGiven,
    OfferGift,
)
from beanleague.games.families import ACTIONS, EVENTS, FAMILIES, Family, words_of
from tests.games.bohnanza import helpers as bohnanza
from tests.games.duel import helpers as duel
from tests.games.helpers import do
from tests.games.list_claims import goes_on

FILLER = Harvest(99)
"""What is never reached: it is illegal."""


def played(game: Game, seat: int, *actions: Action) -> list[Action]:
    """Play a list of actions as far as it goes; return what was played."""
    done = []
    for action in in_turn(game, seat, actions):
        game.apply(seat, action)
        done.append(action)
    return done


class TestAListGoesOn:
    def test_from_one_planted_card_to_the_next_until_cards_are_turned_over(self) -> None:
        game = bohnanza.scripted(hands=["blue chili red", "soy", "soy"])
        assert played(game, 0, Plant(0), Plant(1), FILLER) == [Plant(0), Plant(1)]

    def test_from_a_harvest_to_what_it_makes_room_for(self) -> None:
        fields = {(0, 0): "blue blue blue blue", (0, 1): "chili chili", (0, 2): "soy soy"}
        game = bohnanza.scripted(hands=["red garden"], fields=fields)
        steps = [Harvest(0), Harvest(1), Plant(0), Plant(1)]
        assert played(game, 0, *steps, FILLER) == steps

    def test_from_the_end_of_trading_through_all_cards_aside_until_cards_are_drawn(self) -> None:
        game = do(bohnanza.scripted(hands=["blue"], pile="soy red red red red red"), (0, Plant(0)))
        steps = [Stop(), PlantAside(1, 1), PlantAside(0, 2)]
        assert played(game, 0, *steps, FILLER) == steps

    def test_from_a_pick_to_the_next_round(self) -> None:
        """What the trade gives was said in the answer."""
        game = do(bohnanza.scripted(hands=["blue", "chili", "soy"]), (0, Plant(0)), (0, Call((1, 2))))
        do(game, (1, Counter(hand=(0,), turned=(0,))), (2, Decline()))
        assert played(game, 0, Pick(1), Call((1,)), FILLER) == [Pick(1), Call((1,))]

    def test_from_a_declined_gift_to_an_own_offer(self) -> None:
        game = do(duel.scripted(), (0, OfferGift("blue")))
        assert played(game, 1, DeclineGift(), OfferGift("red"), FILLER) == [DeclineGift(), OfferGift("red")]

    def test_from_one_bohnus_card_fulfilled_to_the_next(self) -> None:
        cards = duel.deck(("2", 10), ("3", 10))
        game = duel.scripted(hands=["blue chili", ""], fields={(0, 0): "red red red"}, bohnus=[[0, 1], []], cards=cards)
        steps = [Fulfil(0, 0, 0), Fulfil(1, 0, 0), Plant(1)]
        assert played(game, 0, *steps) == steps


class TestAListEnds:
    def test_when_others_are_asked(self) -> None:
        game = do(bohnanza.scripted(hands=["blue", "chili", "soy"]), (0, Plant(0)))
        assert played(game, 0, Offer((1, 2), (0,)), FILLER) == [Offer((1, 2), (0,))]

    def test_with_an_answer_whether_others_still_have_to_answer_or_not(self) -> None:
        game = do(bohnanza.scripted(hands=["blue", "chili", "soy"]), (0, Plant(0)), (0, Call((1, 2))))
        assert played(game, 2, Decline(), Decline()) == [Decline()]
        assert played(game, 1, Decline(), FILLER) == [Decline()]

    def test_when_a_gift_shows_whether_it_was_a_bluff(self) -> None:
        """The same seat is asked next, to plant what was turned over."""
        for hand, bluff in (("blue", False), ("chili", True)):
            game = do(
                duel.scripted(hands=["", hand]), (0, OfferGift("soy")), (1, DeclineGift()), (1, OfferGift("blue"))
            )
            assert played(game, 0, AcceptGift(), FILLER) == [AcceptGift()]
            assert game.to_act() == (0,)
            assert any(isinstance(event, GiftGiven) for event in game.events) is not bluff

    def test_with_whatever_another_seat_does(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Though to that seat itself it tells nothing."""
        monkeypatch.setattr(GiftAccepted, "reveals", False)
        game = do(duel.scripted(hands=["", "blue"]), (0, OfferGift("soy")), (1, DeclineGift()), (1, OfferGift("blue")))
        assert played(game, 0, AcceptGift(), FILLER) == [AcceptGift()]
        assert not GiftGiven.reveals

    def test_with_the_turn_so_that_it_does_not_tell_who_else_asked_for_interludes(self) -> None:
        game = bohnanza.scripted(hands=["", "blue blue", ""], options={"interludes": (1,)}, fields={(1, 0): "red"})
        do(game, (0, Stop()), (0, PlantAside(0, 0)), (0, PlantAside(0, 0)))
        assert game.to_act() == (1,)
        assert played(game, 1, Pass(), Plant(1)) == [Pass()]
        assert game.to_act() == (1,)

    @pytest.mark.parametrize("ruleset", ["dice", "dice-2012", "bean-thief-normal"])
    def test_when_dice_are_rolled_or_a_card_is_drawn(self, ruleset: str) -> None:
        game = new_game(ruleset, seats=1 if ruleset.startswith("bean") else 2, seed=b"lists")
        shown: set[type[Event]] = set()
        while not game.over:
            (seat,), events = game.to_act(), len(game.events)
            further = goes_on(game, seat, game.legal(seat)[0])
            chance = {type(event) for event in game.events[events:]} & {Rolled, CardDrawn}
            assert not (chance and further)
            shown |= chance
        assert shown == {Rolled, CardDrawn}


def test_news_keep_what_happened_during_a_list() -> None:
    """They are of all that came since the seat was asked, not only since its last action."""
    game = bohnanza.scripted(hands=["blue chili", "soy", "soy"])
    since = len(game.events)
    for step, action in enumerate((Plant(0), Plant(1))):
        game.apply(0, action, asked=not step)
    assert list(game.view(0).news) == list(game.events)[since:]


@dataclass(frozen=True)
class Happened:
    """Something that a sentence is about."""

    seat: int = 1
    to: tuple[int, ...] = (0, 2)
    kinds: tuple[str, ...] = ("red", "soy", "red")
    none: tuple[str, ...] = ()
    count: int = 3
    numbers: tuple[int, ...] = (1, 7)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{@seat} sits", (Who(1), " sits")),
        ("to {@to}", ("to ", Who(0), ", ", Who(2))),
        ("{#kinds}", (Beans(("red", "soy", "red")),)),
        ("{#none}", ("nothing",)),
        ("{#none count}", ("3 cards",)),
        ("{$count}", (Money("$3"),)),
        ("{~numbers} of {count}", ("two, 7", " of ", "3")),
        ("{@seat} waits|{} wait", (Who(1), " waits")),
    ],
)
def test_slots_are_filled_with_what_the_sentence_is_about(text: str, parts: tuple[object, ...]) -> None:
    assert Said(text, {}, Happened()).parts(("one", "two")) == parts


def test_given_values_come_before_fields() -> None:
    assert plain(Said("{@seat}: {#kinds}", {"kinds": "black_eyed"}, Happened()).parts(), "ab") == "b: black-eyed"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_has_words_for_its_events_actions_and_decisions(family: Family) -> None:
    words = family.words
    assert set(EVENTS.of(family)) <= set(words.EVENTS)
    assert set(ACTIONS.of(family)) <= set(words.ACTIONS)
    assert set(words.QUESTIONS) == {decision for decision in get_type_hints(family.view)["decision"] if decision}


def test_a_seat_reads_the_number_of_cards_hidden_from_it() -> None:
    words = words_of(new_game("duel", seats=2, seed=b"x").view(0).rules)
    names = ("ann", "ben")
    assert plain(words.line(Drew(0, 2, ("soy", "soy"))), names) == "ann draws 2 soy"
    assert plain(words.line(Drew(0, 2, ()).seen_by(1)), names) == "ann draws 2 cards"
    assert plain(words.line(BohnusDrawn(1, 1, ())), names) == "ben draws from the bo(h)nus pile: a card"


def test_events_that_do_not_belong_to_the_game_still_have_lines() -> None:
    """As in a record that was altered."""
    words = words_of(new_game("dice", seats=2, seed=b"x").view(0).rules)
    assert plain(words.line(BohnusDrawn(1, 1, (0,))), ("ann", "ben")) == "BohnusDrawn"
    assert plain(words.line(GameEnded((3,), (2, 1))), ("ann", "ben")) == "Game over. 2. ann $3"
