"""What the authors of entries are foretold."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from beanleague.league.ladder.changing import LadderRequest, create_ladder, enter
from beanleague.league.ladder.entries import deals_a_second, deals_needed, forecasts, placing_limit
from beanleague.league.ladder.inputs import Known
from beanleague.model import EntryState, Forecast
from tests.league.helpers import store_with_bots

Forecasts = Callable[..., list[Forecast]]

SLOW_FIELD = [(55, 40), (58, 39), (110, 28), (346, 19), (768, 12)]
"""Deals and half-widths in Elo of bots whose deals scatter nearly twice as much as those of docs/ladder.md."""


def test_a_newcomer_needs_as_many_deals_as_those_that_were_placed_last() -> None:
    assert deals_needed(SLOW_FIELD) == 55
    assert deals_needed([*SLOW_FIELD, *[(36, 40)] * 5]) == 36
    assert deals_needed([*[(50, 40)] * 5, *[(131, 40)] * 3, (29, 99)]) == 131, "though those before needed fewer"
    assert deals_needed([(29, 60), (4, 140)]) == 30, "nobody has played enough to tell"
    assert deals_needed([(120, 80)] * 3) == 240, "after which it is rated in any case"


def test_an_entry_is_placed_for_at_most_three_times_the_deals_that_others_needed() -> None:
    assert placing_limit([(60, 40)] * 9) == 180
    assert placing_limit([(32, 30)] * 9) == 120
    assert placing_limit([(120, 80)] * 9) == 240


def test_the_pace_is_that_of_play_without_the_time_when_a_server_was_away() -> None:
    played = [10.0, 12.0, 14.0, 500.0, 502.0]
    assert deals_a_second(played, 503.0) == 0.5
    assert deals_a_second(played, 2000.0) == 0.0, "it rests, or is not played"
    assert deals_a_second([10.0, 12.0], 13.0) == 0.0, "too few to tell"


@pytest.fixture
def entries(tmp_path: Path) -> Iterator[Forecasts]:
    """What entries of a ladder are foretold: those of `SLOW_FIELD`, and others, with their deals and half-widths.

    Those of `SLOW_FIELD` have played several `times` as many deals as are effective.
    """
    with store_with_bots(tmp_path / "beans.db", 16) as store:
        request = LadderRequest(name="spring", ruleset="bohnanza", without_house_bots=True, anchor="bot0")
        league = create_ladder(store, request)
        for bot in range(1, 16):
            enter(store, "spring", f"bot{bot}")
        entrants, field = store.leagues.entrants(league.id), len(SLOW_FIELD)

        def foretold(*others: tuple[int, int], times: int = 1) -> list[Forecast]:
            states = {each: EntryState.RATED if each < field else EntryState.PLACING for each in range(16)}
            known = [*SLOW_FIELD, *others]
            then = {number: Known(1500, width, deals) for number, (deals, width) in enumerate(known)}
            played = [times * deals for deals, _ in known[:field]] + [deals for deals, _ in others]
            found = forecasts(store, league, entrants[: len(known)], states, deals=played, known=then, now=0.0)
            return [found[number] for number in range(field, len(known))]

        yield foretold


def test_an_entry_that_has_played_is_foretold_what_its_own_deals_say(entries: Forecasts) -> None:
    assert [each.deals for each in entries((0, 686), (9, 100), (20, 60))] == [55, 46, 25]


def test_deals_of_an_earlier_field_that_weigh_little_do_not_count(entries: Forecasts) -> None:
    assert [each.deals for each in entries((0, 686), times=4)] == [55]


def test_who_waits_begins_when_the_first_of_those_being_placed_are_rated(
    entries: Forecasts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("beanleague.league.ladder.entries._pace", lambda *_: 1.0)
    *playing, ninth, tenth = entries(*[(20 + each, 60) for each in range(8)], (0, 686), (0, 686))
    assert {(each.before, each.first_seconds) for each in playing} == {(0, 0.0)}
    assert (ninth.before, tenth.before) == (1, 2)
    soonest, second = sorted(each.rated_seconds for each in playing)[:2]
    pace = playing[0].deals / playing[0].rated_seconds
    assert ninth.first_seconds == pytest.approx(soonest + 1 / pace)
    assert tenth.first_seconds == pytest.approx(second + 1 / pace)
    assert ninth.rated_seconds == pytest.approx(ninth.first_seconds + 55 / pace)
