"""Bohnanza for two, step by step, and its flat engine in lockstep with the engine."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from beanleague.games import Action, IllegalActionError, SetupError, core, new_game
from beanleague.games.bohnanza import Field
from beanleague.games.two import DiscardHand, DiscardOpen, HandDiscarded, Joined, OpenDiscarded, PlantOpen, TwoDecision
from beanleague.games.two.flat import FlatTwo
from beanleague.games.two.game import BohnanzaTwo
from tests.games.bohnanza.helpers import arrange
from tests.games.helpers import begin, chooser, do, of_type, part, play
from tests.games.lockstep import both
from tests.games.wrong_actions import candidates


def refused(game: BohnanzaTwo, action: Action, why: str, seat: int = 0) -> None:
    with pytest.raises(IllegalActionError, match=why):
        game.apply(seat, action)


def drawn(pile: str, **state: object) -> BohnanzaTwo:
    """Seat 0, without a hand, has drawn from `pile` and is asked what to plant."""
    return scripted(hands=["", "chili"], pile=pile, **state)  # type: ignore[arg-type]


class TestSetup:
    def test_144_cards_without_garden_and_cocoa_five_in_each_hand_and_two_fields(self) -> None:
        game = BohnanzaTwo(2, b"seed", {})
        view = game.view(0)
        kinds = ["red", "black_eyed", "soy", "green", "stink", "chili", "blue", "wax", "coffee"]
        assert [kind.name for kind in view.rules.kinds] == kinds
        assert view.rules.cards == 144
        assert view.hand_sizes == (5, 5)
        assert view.pile == 134
        assert [len(own) for own in view.fields] == [2, 2]

    def test_nothing_is_offered_in_the_very_first_turn(self) -> None:
        view = BohnanzaTwo(2, b"seed", {}).view(0)
        assert (view.turn, view.open, view.decision) == (1, (), TwoDecision.PLANT_FIRST)

    def test_there_are_no_options(self) -> None:
        with pytest.raises(SetupError, match="unknown option 'max_rounds'; there are: none"):
            new_game("bohnanza-two", seats=2, seed=b"seed", options={"max_rounds": 3})


class TestStep1:
    def test_every_open_card_is_planted_or_discarded_in_any_order(self) -> None:
        game = scripted(hands=["blue"], open_cards="soy green chili", fields={(0, 1): "green"})
        assert game.view(0).decision is TwoDecision.PLANT_OFFERED
        refused(game, core.Pass(), "plant or discard an open card")
        do(game, (0, PlantOpen(1, 1)), (0, DiscardOpen(0)))
        assert game.view(0).open == ("chili",)
        do(game, (0, PlantOpen(0, 0)))
        assert game.view(0).own_fields == (Field("chili", 1), Field("green", 2))
        assert game.view(0).discard == ("soy",)
        assert game.view(0).decision is TwoDecision.PLANT_FIRST
        assert of_type(game.events, OpenDiscarded) == [OpenDiscarded(0, 0, "soy")]

    def test_a_card_needs_a_place(self) -> None:
        game = scripted(hands=["blue"], open_cards="soy", fields={(0, 0): "red", (0, 1): "green"})
        assert game.legal(0) == (DiscardOpen(0), core.Harvest(0), core.Harvest(1))
        refused(game, PlantOpen(0, 0), "soy cannot be planted in field 0, where red grows")
        refused(game, PlantOpen(1, 0), "open cards from 0 to 0")
        refused(game, DiscardOpen(1), "open cards from 0 to 0")

    def test_cards_left_by_the_opponent_are_open(self) -> None:
        game = do(drawn("soy green stink red red red"), (0, PlantOpen(1, 0)), (0, core.Pass()))
        assert game.view(1).decision is TwoDecision.PLANT_OFFERED
        assert game.view(1).open == game.view(0).open == ("soy", "stink")


class TestStep2:
    def test_the_first_card_must_be_planted_the_second_may_and_one_may_be_discarded(self) -> None:
        """From anywhere in the hand."""
        game = scripted(hands=["red soy blue green"], pile="stink stink stink red red")
        refused(game, core.Pass(), "plant the first card")
        do(game, (0, core.Plant(0)), (0, core.Plant(1)))
        assert game.view(0).decision is TwoDecision.DISCARD_HAND
        assert of_type(game.legal(0), DiscardHand) == [DiscardHand(0), DiscardHand(1)]
        do(game, (0, DiscardHand(1)))
        assert of_type(game.events, HandDiscarded) == [HandDiscarded(0, 1, "green")]
        assert game.view(0).hand == ("blue",)

    def test_both_may_be_left_undone(self) -> None:
        game = do(scripted(hands=["red soy blue"]), (0, core.Plant(0)), (0, core.Pass()), (0, core.Pass()))
        assert game.view(0).hand == ("soy", "blue")
        assert game.view(0).decision is TwoDecision.PLANT_DRAWN

    @pytest.mark.parametrize(("hand", "asked"), [("", 0), ("red", 1), ("red red", 2)])
    def test_with_an_empty_hand_it_is_over(self, hand: str, asked: int) -> None:
        game = scripted(hands=[hand])
        for _ in range(asked):
            game.apply(0, core.Plant(0))
        assert game.view(0).decision is TwoDecision.PLANT_DRAWN

    def test_only_a_card_of_the_hand_can_be_discarded(self) -> None:
        game = do(scripted(hands=["red soy"]), (0, core.Plant(0)), (0, core.Pass()))
        refused(game, DiscardHand(1), "cards in your hand from 0 to 0")
        refused(game, core.Plant(0), "discard a card of your hand, pass")


class TestStep3:
    def test_three_cards_are_drawn_face_up(self) -> None:
        game = drawn("soy green soy red red")
        assert of_type(game.events, core.TurnedOver) == [core.TurnedOver(0, ("soy", "green", "soy"))]
        assert game.view(0).open == game.view(1).open == ("soy", "green", "soy")

    def test_the_top_of_the_discard_pile_joins_while_it_is_of_a_kind_among_them(self) -> None:
        game = drawn("soy green stink red red", discard="soy blue green soy soy")
        assert of_type(game.events, Joined) == [Joined(0, ("soy", "soy", "green"))]
        view = game.view(0)
        assert view.open == ("soy", "green", "stink", "soy", "soy", "green")
        assert view.discard == ("soy", "blue")

    def test_a_card_below_another_kind_does_not_join(self) -> None:
        game = drawn("soy green stink red red", discard="soy soy blue")
        assert of_type(game.events, Joined) == []
        assert game.view(0).discard == ("soy", "soy", "blue")

    def test_a_card_discarded_in_the_same_turn_may_join(self) -> None:
        game = scripted(hands=["red soy"], pile="soy green stink red red")
        do(game, (0, core.Plant(0)), (0, core.Pass()), (0, DiscardHand(0)))
        assert of_type(game.events, Joined) == [Joined(0, ("soy",))]

    def test_a_card_discarded_after_drawing_does_not_join(self) -> None:
        game = drawn("soy green stink red red", fields={(0, 0): "green green green green"})
        do(game, (0, core.Harvest(0)))
        assert game.view(0).open == ("soy", "green", "stink")
        assert game.view(0).discard == ("green", "green", "green")

    def test_nothing_must_be_planted(self) -> None:
        game = do(drawn("soy green stink red red red"), (0, core.Pass()))
        assert game.view(1).open == ("soy", "green", "stink")

    def test_when_all_are_planted_nothing_is_offered(self) -> None:
        game = do(drawn("soy soy soy red red red"), *[(0, PlantOpen(0, 0))] * 3)
        assert game.view(1).open == ()
        assert game.view(1).decision is TwoDecision.PLANT_FIRST


class TestStep4:
    def test_two_cards_are_drawn_to_the_hand(self) -> None:
        game = do(drawn("soy soy soy red blue green"), (0, core.Pass()))
        assert of_type(game.events, core.Drew) == [core.Drew(0, 2, ("red", "blue"))]
        assert game.view(0).hand == ("red", "blue")
        assert game.view(1).turn == 2


class TestAnyTimeInOnesTurn:
    @pytest.mark.parametrize("decision", range(1, 6))
    def test_one_may_harvest_and_buy_before_every_decision(self, decision: int) -> None:
        game = scripted(hands=["red soy blue"], open_cards="stink", fields={(0, 1): "green green"}, dollars=(3, 3))
        part(game, "dollar_cards")[0] = [0, 1, 2]
        steps: Sequence[Action] = (DiscardOpen(0), core.Plant(0), core.Pass(), core.Pass())
        do(game, *[(0, step) for step in steps[: decision - 1]])
        assert game.view(0).decision == decision
        assert game.legal(0)[-2:] == (core.Harvest(1), core.BuyField())
        do(game, (0, core.BuyField()), (0, core.Harvest(1)))
        assert game.view(0).decision == decision

    def test_on_the_other_turn_one_may_not(self) -> None:
        game = scripted(hands=["red"], fields={(1, 0): "green green"}, earned=["", "soy soy soy"])
        assert game.view(1).harvestable == ()
        assert not game.view(1).can_buy
        refused(game, core.Harvest(0), "seat 1 has no decision to make now", seat=1)

    def test_the_dollars_paid_for_a_field_leave_the_game(self) -> None:
        game = do(scripted(hands=["red"], earned=["soy soy soy soy"]), (0, core.BuyField()))
        assert of_type(game.events, core.FieldBought) == [core.FieldBought(0, 3, ())]
        assert game.view(0).dollars == (1, 0)
        assert game.view(0).discard == ()
        assert len(game.view(0).own_fields) == 3
        refused(game, core.BuyField(), "only one field can be bought")


class TestTheEnd:
    @pytest.mark.parametrize("pile", ["soy", "soy soy", "soy soy soy"])
    def test_at_a_run_out_in_step_3_the_step_is_finished(self, pile: str) -> None:
        """With the cards there were; nothing is drawn in step 4, and nothing shuffled."""
        game = drawn(pile, discard="blue blue")
        assert of_type(game.events, core.RanOut) == [core.RanOut(1)]
        do(game, (0, PlantOpen(0, 0)))
        if not game.over:
            do(game, (0, core.Pass()))
        assert game.over
        assert of_type(game.events, core.Drew, core.Shuffled) == []

    @pytest.mark.parametrize("cards", [1, 2])
    def test_at_a_run_out_in_step_4_the_game_ends_at_once(self, cards: int) -> None:
        game = do(drawn("soy soy soy " + "blue " * cards), (0, core.Pass()))
        assert game.over
        assert [event.count for event in of_type(game.events, core.Drew)] == [cards]

    def test_the_game_goes_on_with_a_card_left(self) -> None:
        assert not do(drawn("soy soy soy blue blue blue"), (0, core.Pass())).over

    def test_all_fields_are_harvested_and_neither_hands_nor_open_cards_count(self) -> None:
        game = drawn("soy", fields={(0, 0): "red red", (0, 1): "blue", (1, 0): "green green green"})
        do(game, (0, core.Pass()))
        assert of_type(game.events, core.Harvested) == [
            core.Harvested(0, 0, "red", 2, 1),
            core.Harvested(0, 1, "blue", 1, 0),
            core.Harvested(1, 0, "green", 3, 1),
        ]
        assert game.events[-1] == core.GameEnded((1, 1), (2, 1))

    @pytest.mark.parametrize(
        ("dollars", "hands", "places"),
        [
            ((3, 2), ("", "red red"), (1, 2)),
            ((2, 3), ("", ""), (2, 1)),
            ((2, 2), ("red red red", "red red red red"), (2, 1)),
            ((2, 2), ("red red red red", "red red"), (1, 2)),
            ((2, 2), ("red red red", "soy soy"), (1, 1)),
        ],
    )
    def test_of_equals_the_one_with_more_cards_in_hand_wins_and_else_both(
        self, dollars: Sequence[int], hands: Sequence[str], places: tuple[int, int]
    ) -> None:
        """Seat 0 has planted one card of its hand by then."""
        game = scripted(hands=hands, pile="blue", dollars=dollars)
        while not game.over:
            game.apply(0, game.default(0))
        assert game.outcome
        assert game.outcome.places == places


@pytest.mark.parametrize("number", range(6))
def test_every_game_ends_in_the_27th_turn_after_one_card_of_its_last_step(number: int) -> None:
    """134 cards are left after the deal, and five leave the pile every turn, whatever is played."""
    game = BohnanzaTwo(2, b"turns %d" % number, {})
    play(game, chooser(number))
    assert game.view(0).turn == 27
    assert game.view(0).active == 0
    assert of_type(game.events, core.Drew)[-1].count == 1


ACTIONS = (core.BuyField, DiscardHand, DiscardOpen, core.Harvest, core.Pass, core.Plant, PlantOpen)
LIKELY = tuple(action for action in candidates(ACTIONS) if getattr(action, "card", 0) < 4)
LATE = 6
"""Dollars at which a field is bought: so that it matters which of them pay for it."""


def lockstep(luck: int, sample: int) -> None:
    """Play a game on both, trying other actions before each move; fail at the first difference."""
    game: Any = new_game("bohnanza-two", seats=2, seed=b"flat %d" % luck)
    flat, choose, random = FlatTwo.of(game, sorted), chooser(luck), Random(luck)
    while not game.over:
        (seat,) = game.to_act()
        view = game.view(seat)
        for _ in range(sample):
            other: Action = random.choice(random.choice((LIKELY, LIKELY, candidates(ACTIONS), view.legal())))
            both(game, flat, seat if random.random() < 0.8 else 1 - seat, other)
        if view.can_buy:
            both(game, flat, seat, core.BuyField())
        action = choose(view)
        if isinstance(action, core.BuyField) and view.dollars[seat] < LATE:
            action = view.default()
        game, flat = both(game, flat, seat, action)
    assert flat.outcome == game.outcome


@pytest.mark.parametrize("luck", range(8))
def test_flat_games_for_two_go_as_the_engine_s(luck: int) -> None:
    lockstep(luck, sample=5)


@pytest.mark.slow
@pytest.mark.parametrize("luck", range(8, 40))
def test_many_flat_games_for_two_go_as_the_engine_s(luck: int) -> None:
    lockstep(luck, sample=30)


def scripted(
    *,
    hands: Sequence[str] = (),
    fields: Mapping[tuple[int, int], str] | None = None,
    open_cards: str = "",
    pile: str = "wax wax wax wax wax wax wax",
    discard: str = "",
    dollars: Sequence[int] = (),
    earned: Sequence[str] = (),
) -> BohnanzaTwo:
    """Return a game at the start of a turn of seat 0, with just these cards; kinds are separated by blanks.

    `fields[seat, field]`: cards there. `open_cards`: what seat 1 left. `pile`: in the order in which they are drawn,
    whoever draws. `discard`: its top card last. `dollars`: per seat; or `earned`, the cards they are.
    """
    game = BohnanzaTwo(2, b"seed", {})
    arrange(
        game, [f"{open_cards} {hands[0] if hands else ''}", *hands[1:]], fields or {}, pile, discard, dollars, earned
    )
    count = len(open_cards.split())
    first, second = part(game, "hands")
    return begin(game, open=first[:count], hands=[first[count:], second])
