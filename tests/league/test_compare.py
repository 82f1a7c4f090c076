from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.league.bots.cache import BundleCache
from beanleague.league.compare import ComparisonRequest, LiveComparison, comparison_league, sequential_test
from beanleague.league.errors import RequestError
from beanleague.league.ratings.deal_score import By
from beanleague.league.ratings.sprt import Comparison, SequentialTest, Verdict
from beanleague.league.run.runner import LeagueRun, RunSettings
from beanleague.model import League
from beanleague.store.store import Store
from tests.league.fakepool import FakePools
from tests.league.helpers import store_with_bots


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_with_bots(tmp_path / "a.db", 4) as store:
        yield store


def asked(store: Store, a: str = "bot1", b: str = "bot0", **more: object) -> League:
    return comparison_league(store, ComparisonRequest(a, b, "bohnanza", SequentialTest(), **more))  # type: ignore[arg-type]


def compared(store: Store, league: League, pools: FakePools, *, stop_after: int = 0) -> Comparison:
    """Run a comparison and return what it found; `stop_after`: so many matches."""
    tallies: list[LiveComparison] = []

    def count(*of: object) -> LiveComparison:
        tallies.append(LiveComparison(*of))  # type: ignore[arg-type]
        return tallies[0]

    cache = BundleCache(Path(store.database.name).parent / "cache")
    run = LeagueRun(store, league.name, cache, RunSettings(workers=2, in_flight=4), pools, count=count)
    if stop_after:
        pools.before = lambda _: run.stop() if pools.played >= stop_after else None
    run.play()
    return tallies[0].comparison


def test_a_and_b_share_the_seats_of_every_match_and_each_has_every_seat(store: Store) -> None:
    pools = FakePools()
    compared(store, asked(store), pools)
    seatings = {task.bots for task in pools.tasks}
    assert seatings == {(0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 0, 0), (1, 0, 0, 1)}


def test_it_stops_by_itself_when_it_knows(store: Store) -> None:
    """By the referee of the tests entrant 1 has a dollar more than entrant 0 in most matches."""
    found = compared(store, asked(store), FakePools())
    assert found.verdict is Verdict.NOT_BETTER
    assert found.obvious
    assert found.deals < 30


def test_the_same_question_goes_on_and_a_decided_one_plays_nothing_more(store: Store) -> None:
    stopped = compared(store, asked(store), FakePools(), stop_after=60)
    assert stopped.verdict is Verdict.OPEN
    found = compared(store, asked(store), FakePools(order=7))
    assert found.deals > stopped.deals
    pools = FakePools()
    assert compared(store, asked(store), pools) == found
    assert pools.started == 0


def test_by_dollars_is_a_question_of_its_own_that_goes_on_like_others(store: Store) -> None:
    def by_dollars() -> League:
        return comparison_league(store, ComparisonRequest("bot1", "bot0", "bohnanza", SequentialTest(by=By.DOLLARS)))

    assert by_dollars().name != asked(store).name
    stopped = compared(store, by_dollars(), FakePools(), stop_after=12)
    assert (stopped.verdict, stopped.test.by) == (Verdict.OPEN, By.DOLLARS)
    found = compared(store, by_dollars(), FakePools(order=7))
    assert found.deals > stopped.deals
    assert found == compared(store, by_dollars(), FakePools())
    assert 0 > found.lead_interval[1] > found.lead > -1.5


def test_one_that_ended_before_today_s_formula_knows_goes_on(store: Store) -> None:
    league = asked(store)
    compared(store, league, FakePools(), stop_after=60)
    store.leagues.add(league.id, (), store.leagues.get(league.name).deals_done)
    assert compared(store, asked(store), FakePools()).verdict is not Verdict.OPEN


@pytest.mark.parametrize(("more", "matches"), [({"seats": 3}, 6), ({"fillers": ("bot2",), "seats": 3}, 6)])
def test_other_seats_and_fillers(store: Store, more: dict[str, object], matches: int) -> None:
    league = asked(store, **more)  # type: ignore[arg-type]  # options by name
    assert league.matches_a_deal == matches
    pools = FakePools()
    found = compared(store, league, pools)
    assert found.verdict is not Verdict.OPEN
    assert len({task.bots for task in pools.tasks}) == matches


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"b": "bot1"}, "named twice"),
        ({"seats": 6}, "for 3 to 5 seats, not 6"),
        ({"fillers": ("bot2", "bot3"), "seats": 3}, "leave no room"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(store: Store, more: dict[str, object], why: str) -> None:
    with pytest.raises(RequestError, match=why):
        asked(store, **more)  # type: ignore[arg-type]
    assert store.leagues.list() == ()


def test_bounds_that_make_no_sense_are_refused() -> None:
    with pytest.raises(RequestError, match="elo0 must be less than elo1"):
        sequential_test(20, 0, 0.05, 0.05)
