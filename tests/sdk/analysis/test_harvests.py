"""What waiting with a harvest would have made, and where the cards of fields came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from beanbot.analysis.course import Expected
from beanbot.analysis.harvests import Harvests
from beanbot.analysis.report import Seated, early_harvests, figures
from beanbot.policies.trader import Trader
from beanbot.practice import deals
from beanleague.games import Event, Kind, PlayedMove, Record
from beanleague.games.bohnanza import Traded, TradingEnded
from beanleague.games.core import Harvest, Harvested
from beanleague.games.core.moves import Planted, TurnStarted


@cache
def match() -> Record:
    """A match of four traders."""
    kept: list[Record] = []
    next(deals((Trader,) * 4, keep=kept.append))
    return kept[0]


def of_events(*events: Event) -> Harvests:
    """Return the harvests of a made-up match; each but those of seat 3 is a move."""
    harvests = [event for event in events if type(event) is Harvested and event.seat < 3]
    moves = tuple(PlayedMove(event.seat, Harvest(event.field), by_default=False) for event in harvests)
    return Harvests(replace(match(), events=events, moves=moves))


def planted(kind: Kind, number: int = 1, *, field: int = 0, seat: int = 0) -> Sequence[Event]:
    return [Planted(seat, field, kind, "hand", 0)] * number


def turns(*seats: int) -> Sequence[Event]:
    return [TurnStarted(0, seat) for seat in seats]


def harvested(kind: Kind, cards: int, dollars: int, *, field: int = 0, seat: int = 0) -> Event:
    return Harvested(seat, field, kind, cards, dollars)


def test_waiting_brings_the_cards_that_come_in_two_turns() -> None:
    """Three blue earn nothing, five a dollar; the sixth comes too late. What grew in the field meanwhile earned 1."""
    early = of_events(
        *turns(0),
        *planted("blue", 3),
        harvested("blue", 3, 0),
        *planted("red", 2),
        *turns(1, 2, 3, 0),
        *planted("blue", field=1),
        *turns(1, 2, 3, 0),
        *planted("blue", field=1),
        *turns(1),
        *planted("blue", field=1),
        harvested("red", 2, 1),
        harvested("blue", 3, 0, field=1),
    ).early(0)
    blue = next(early)
    assert (blue.kind, blue.cards, blue.short, blue.move, blue.turn, blue.came) == ("blue", 3, 1, 0, 1, 2)
    assert blue.gained == pytest.approx(1 - 0 - 1)


def test_cards_turned_over_and_given_away_would_have_come() -> None:
    given = Traded(0, 1, (0,), (2,), ("blue", "blue"), (), ())
    events = [*turns(0), *planted("blue", 3), harvested("blue", 3, 0), *turns(1, 0), given]
    (blue,) = of_events(*events).early(0)
    assert (blue.came, blue.gained) == (1, 1), "the card of the hand could not have been planted"


def test_gains_of_waiting_are_means_of_all_matches_by_kind_and_size() -> None:
    given = Traded(0, 1, (0,), (), ("blue",), (), ())
    blue = of_events(*turns(0), *planted("blue", 3), harvested("blue", 3, 0), *turns(1, 0), given)
    nothing = of_events(*turns(0), *planted("blue", 2), harvested("blue", 2, 0))
    played = [Seated(name, match(), 0) for name in ("1.0", "1.1", "1.2", "1.3")]
    three, two = early_harvests({"1.0": blue, "1.1": blue, "1.2": nothing, "1.3": blue}, played)
    assert (three.kind, three.cards, three.short, three.harvests, three.matches) == ("blue", 3, 1, 3, 3)
    assert (three.came, three.a_match) == (1, Expected(0.75, 0.25))
    assert [example.match for example in three.examples] == ["1.0", "1.1", "1.3"]
    assert (two.cards, two.short, two.a_match) == (2, 2, Expected(0, 0))


def test_examples_are_of_different_matches_or_else_of_different_turns() -> None:
    grown = [*planted("blue", 3), harvested("blue", 3, 0)]
    several = of_events(*turns(0), *grown, *grown, *turns(1, 0), *grown)
    single = of_events(*turns(0), *grown)
    [three] = early_harvests({"1.0": several, "1.1": single}, [Seated(name, match(), 0) for name in ("1.0", "1.1")])
    assert three.harvests == 4
    assert sorted((each.match, each.harvest.turn) for each in three.examples) == [("1.0", 1), ("1.0", 3), ("1.1", 1)]


def test_a_card_that_fits_nowhere_costs_the_smallest_other_field() -> None:
    """Had red been cleared for soy, blue would have earned a dollar, and the two dollars of red were lost but one."""
    harvests = of_events(
        *turns(0),
        *planted("blue", 3),
        *planted("red", 2, field=1),
        *turns(1, 0),
        harvested("blue", 3, 0),
        *planted("soy"),
        *turns(1),
        *planted("red", field=1),
        harvested("red", 3, 2, field=1),
        harvested("soy", 1, 0),
    )
    forced = harvests.forced_by(harvests.crops[0])
    assert forced
    assert forced.source == "hand"
    blue, *_ = harvests.early(0)
    assert (blue.came, blue.gained) == (0, -(2 - 1))


def test_a_second_card_forces_nothing() -> None:
    full = [*planted("blue", 3, seat=1), *planted("red", 2, field=1, seat=1)]
    harvests = of_events(
        *full, *turns(1), *planted("red", field=1, seat=1), harvested("blue", 3, 0, seat=1), *planted("soy", seat=1),
        harvested("soy", 1, 0, seat=1),
    )  # fmt: skip
    assert harvests.forced_by(harvests.crops[0]) is None


def test_harvests_at_the_end_are_no_decisions() -> None:
    assert list(of_events(*planted("blue", 3, seat=3), harvested("blue", 3, 0, seat=3)).early(3)) == []


def test_earnings_of_fields_are_split_by_the_origin_of_their_cards() -> None:
    harvests = of_events(
        *planted("red"),
        Traded(1, 0, (), (0,), ("red",), (), ()),
        TradingEnded(0, ("red",)),
        Planted(0, 0, "red", "aside", 1),
        Planted(0, 0, "red", "aside", 0),
        harvested("red", 3, 2),
    )
    assert [card.source for card in harvests.crops[0].cards] == ["hand", "turned over", "trade"]


def test_the_figures_of_a_match_add_up() -> None:
    found = dict(figures(match(), Harvests(match())))
    sources = zip(*(found[f"dollars by cards: {source}"] for source in ("hand", "turned over", "trade")), strict=True)
    assert [sum(each) for each in sources] == pytest.approx(list(match().scores))
    sizes = [values for name, values in found.items() if name.startswith("harvests of")]
    assert [sum(each) for each in zip(*sizes, strict=True)] == list(found["harvests"])
    assert sum(found["cards given"]) == sum(found["cards received"]) > 0
    assert all(0 < percent <= 100 for percent in found["offers and calls that led to a trade, %"])
    harvests = sum(type(move.action) is Harvest for move in match().moves)
    assert sum(crop.move is not None for crop in Harvests(match()).crops) == harvests
