"""Setting up, what a view works out for a bot, and the flat engine in lockstep with the engine."""

from random import Random
from typing import Any

import pytest

from beanleague.games import Action, Game, SetupError
from beanleague.games.bohnanza import (
    Accept,
    BohnanzaView,
    Call,
    Counter,
    Decision,
    Decline,
    Field,
    Offer,
    Pick,
    PlantAside,
    Refuse,
    Stop,
)
from beanleague.games.bohnanza.flat_trading import FlatBohnanza
from beanleague.games.core import BuyField, Dealt, Harvest, Pass, Plant, TurnStarted
from tests.games.bohnanza.helpers import bohnanza, scripted
from tests.games.helpers import chooser, do, of_type
from tests.games.lockstep import both
from tests.games.wrong_actions import candidates


@pytest.mark.parametrize(("seats", "fields"), [(3, 3), (4, 2), (5, 2)])
def test_the_base_game_at_each_table_size(seats: int, fields: int) -> None:
    """Eight kinds, 104 cards, five in each hand, three drawn a turn, an end at the third run-out, also with three."""
    game = bohnanza(seats)
    rules = game.rules
    assert {kind.name: kind.cards for kind in rules.kinds} == {
        "garden": 6,
        "red": 8,
        "black_eyed": 10,
        "soy": 12,
        "green": 14,
        "stink": 16,
        "chili": 18,
        "blue": 20,
    }
    assert rules.cards == 104
    assert (rules.fields, rules.turned, rules.draws, rules.run_outs) == (fields, 2, 3, 3)
    view = game.view(0)
    assert [len(own) for own in view.fields] == [fields] * seats
    assert view.hand_sizes == (5,) * seats
    assert view.pile == 104 - 5 * seats
    assert (view.turn, view.active, game.to_act()) == (1, 0, (0,))
    assert [event.seat for event in of_type(game.events, Dealt)] == list(range(seats))
    assert game.events[-1] == TurnStarted(1, 0)


@pytest.mark.parametrize("rounds", [-1, 1001, 1.0, "3", True, None, (3,), pytest.param(10**5000, id="huge")])
def test_max_rounds_is_a_whole_number_up_to_a_thousand(rounds: Any) -> None:
    with pytest.raises(SetupError, match="max_rounds must be a whole number from 0 to 1000"):
        bohnanza(max_rounds=rounds)


@pytest.mark.parametrize("interludes", [(3,), (-1,), (1, 0), (0, 0), (True,), (0.0,), ([],), [0], "0", 2, None])
def test_interludes_are_ascending_seats(interludes: Any) -> None:
    with pytest.raises(SetupError, match="interludes must be ascending seats from 0 to 2"):
        bohnanza(interludes=interludes)


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(SetupError, match="unknown option 'rounds'; did you mean 'max_rounds'"):
        bohnanza(rounds=3)


def test_options_are_kept_with_defaults_filled_in() -> None:
    assert bohnanza().options == {"max_rounds": 6, "interludes": ()}
    assert bohnanza(interludes=(0, 2)).options == {"max_rounds": 6, "interludes": (0, 2)}


FIELDS = {(0, 0): "blue blue blue blue", (0, 1): "soy", (2, 0): "red red"}


def test_a_view_has_everything_public_and_the_own_hand() -> None:
    game = scripted(
        hands=["", "red", "chili green"],
        fields=FIELDS,
        pile="stink soy red red",
        discard="red red chili",
        dollars=(1, 2, 3),
        run_outs=1,
    )
    view = game.view(2)
    assert (view.seat, view.decision, view.turn, view.active) == (2, Decision.WAIT, 1, 0)
    assert (view.hand, view.hand_sizes) == (("chili", "green"), (0, 1, 2))
    assert view.fields[0] == (Field("blue", 4), Field("soy", 1), Field(None, 0))
    assert view.own_fields == (Field("red", 2), Field(None, 0), Field(None, 0))
    assert view.dollars == (1, 2, 3)
    assert view.turned == ("stink", "soy")
    assert (view.pile, view.run_outs) == (2, 1)
    assert {kind.name: count for kind, count in zip(view.rules.kinds, view.discard, strict=True) if count} == {
        "red": 2,
        "chili": 1,
    }
    assert view.rounds_left == 6


def test_a_view_has_the_places_for_a_card_and_the_earnings_of_a_harvest() -> None:
    view = scripted(hands=[""], fields=FIELDS).view(0)
    assert view.places_for("blue") == (0, 2)
    assert view.places_for("soy") == (1, 2)
    assert view.places_for("green") == (2,)
    assert [view.earns(field) for field in range(3)] == [1, 0, 0]


def test_the_rules_know_their_kinds() -> None:
    rules = bohnanza().rules
    assert rules.kind("chili").cards == 18
    with pytest.raises(KeyError, match="cocoa"):
        rules.kind("cocoa")


def test_a_view_does_not_change_when_the_game_goes_on() -> None:
    game = scripted(hands=["red blue"], fields=FIELDS)
    view = game.view(0)
    before = repr(view)
    do(game, (0, Harvest(0)), (0, Plant(0)), (0, Plant(2)), (0, Call((1, 2))))
    assert repr(view) == before


class TestDefault:
    def test_default_plants_in_the_fullest_field_of_the_kind(self) -> None:
        game = scripted(hands=["soy"], fields={(0, 1): "soy", (0, 2): "soy soy"})
        assert game.default(0) == Plant(2)

    def test_default_plants_in_an_empty_field_rather_than_harvest(self) -> None:
        game = scripted(hands=["red"], fields=FIELDS)
        assert game.default(0) == Plant(2)

    def test_default_harvests_the_field_that_earns_most_for_room(self) -> None:
        fields = {(0, 0): "stink stink", (0, 1): "soy soy"}
        assert scripted(seats=4, hands=["red"], fields=fields).default(0) == Harvest(1)

    def test_default_first_plants_cards_aside_that_have_a_place(self) -> None:
        fields = {(0, 0): "stink stink", (0, 1): "soy soy"}
        game = do(scripted(seats=4, hands=[""], fields=fields, pile="red soy red red"), (0, Stop()))
        assert game.default(0) == PlantAside(1, 1)
        do(game, (0, PlantAside(1, 1)))
        assert game.default(0) == Harvest(1)


ACTIONS = (Accept, BuyField, Call, Counter, Decline, Harvest, Offer, Pass, Pick, Plant, PlantAside, Refuse, Stop)
BARE = (Accept(), Decline(), Stop(), Refuse(), Pass(), BuyField(), Pick(0), Pick(1), Harvest(0), Plant(0))
EVERYBODY = (0, 1, 2, 3, 4, 5, 6)
GAMES: tuple[tuple[str, int, tuple[int, ...]], ...] = (
    ("bohnanza", 3, (0, 2)),
    ("bohnanza", 4, ()),
    ("bohnanza-extended", 3, ()),
    ("bohnanza-extended", 7, ()),
    ("bohnanza-classic", 4, EVERYBODY[:4]),
    ("bohnanza-classic", 5, ()),
)
LATE = 6
"""Dollars at which a field is bought: so that it matters which of them pay for it."""
SEVERAL = 3
"""Cards of a trade that is accepted and picked whenever it can be."""
SAMPLE = 6
"""Actions tried at each decision, beside the one that is played."""


def lockstep(ruleset: str, seats: int, interludes: tuple[int, ...], luck: int, sample: int = SAMPLE) -> None:
    """Play a game on both, trying other actions before each move; fail at the first difference."""
    game = bohnanza(seats, b"flat %d" % luck, ruleset, interludes=interludes, max_rounds=2)
    flat = FlatBohnanza.of(game, sorted)
    choose, random = chooser(luck), Random(luck)
    while not game.over:
        seat = random.choice(game.to_act())
        view = game.view(seat)
        others = [seat_action(random, game, view) for _ in range(sample)]
        if view.decision in {Decision.TRADE, Decision.ANSWER}:
            others += [(seat, action) for action in too_much((seat + 1) % seats)]
        for other, action in others:
            both(game, flat, other, action)
        action = choose(view)
        if isinstance(action, BuyField) and view.dollars[seat] < LATE:
            action = view.default()
        game, flat = both(game, flat, seat, trade_of_several(view) or action)


def trade_of_several(view: BohnanzaView) -> Action | None:
    """Return what helps a trade of several cards along, which chance alone hardly ever ends, or None."""
    if not view.offer or len(view.offer.gives) + len(view.offer.wants) < SEVERAL:
        return None
    return next((action for action in view.legal() if isinstance(action, Accept | Pick)), None)


def too_much(to: int) -> list[Action]:
    """Return proposals in which one bound is broken: of cards of a kind, or of a side."""
    return [
        proposal
        for wants in (("garden",) * 7, ("red",) * 5 + ("blue",) * 4)
        for proposal in (Offer((to,), wants=wants), Counter(wants=wants))
    ]


def seat_action(random: Random, game: Game, view: BohnanzaView) -> tuple[int, Action]:
    """Return an action to try, legal or not, of somebody who is asked, or of somebody who is not."""
    chance = random.random()
    if chance < 0.4:
        return view.seat, random.choice(view.legal())
    if chance < 0.5:
        return random.randrange(game.seats), random.choice(view.legal())
    if chance < 0.7:
        return view.seat, random.choice(BARE)
    return view.seat, random.choice(candidates((random.choice(ACTIONS),)))


@pytest.mark.parametrize(("ruleset", "seats", "interludes"), GAMES)
def test_flat_games_go_as_the_engine_s(ruleset: str, seats: int, interludes: tuple[int, ...]) -> None:
    lockstep(ruleset, seats, interludes, luck=seats)


@pytest.mark.slow
@pytest.mark.parametrize("luck", range(20))
@pytest.mark.parametrize(("ruleset", "seats", "interludes"), GAMES)
def test_many_flat_games_go_as_the_engine_s(ruleset: str, seats: int, interludes: tuple[int, ...], luck: int) -> None:
    lockstep(ruleset, seats, interludes, luck=luck, sample=30)
