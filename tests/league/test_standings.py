import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import event

from beanleague.league.run.committing import LiveRatings
from beanleague.league.run.deals import Dealer
from beanleague.league.schedule.tables import tables_of_everybody
from beanleague.league.standings import rank, standings
from beanleague.model import WIN, Change, ChangeKind, Entrant, Rating, Snapshot, Totals
from beanleague.store import Store
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools
from tests.league.helpers import league_run

ENTRANTS = tuple(Entrant(number, number + 1, f"bot{number}", 1) for number in range(4))


def totals(deals: int, *, score: int = 0, wins: int = 0, faults: int = 0, faulted: int = 0) -> Totals:
    return Totals(deals, deals * 4, score, wins, deals * 100, faults, faulted, 0)


def test_figures_follow_from_totals_and_ratings() -> None:
    found = rank(
        ENTRANTS[:1], [totals(10, score=100, wins=6 * WIN + WIN // 2, faults=7, faulted=4)], [Rating(0, 1510, 20, 1, 1)]
    )
    (standing,) = found
    assert (standing.rank, standing.entrant, standing.rating.rating) == (1, ENTRANTS[0], 1510)
    assert (standing.mean_score, standing.wins, standing.win_share, standing.fault_share) == (2.5, 6.5, 6.5 / 40, 0.1)


def test_equal_ratings_share_a_rank_and_who_has_not_played_has_none() -> None:
    ratings = [Rating(number, elo, 20.0, 1, 3) for number, elo in enumerate([1500, 1600, 1500, 1900])]
    found = rank(ENTRANTS, [totals(5), totals(5), totals(5), totals(0)], ratings)
    assert [(standing.entrant.number, standing.rank) for standing in found] == [(1, 1), (0, 2), (2, 2), (3, 0)]
    new = found[3]
    assert (new.rating.rating, new.rating.interval, new.mean_score, new.fault_share) == (1500, None, 0, 0)
    assert new.win_share is None


def test_scores_in_cents_are_shown_in_dollars() -> None:
    (standing,) = rank(ENTRANTS[:1], [totals(10, score=4000)], [], 100)
    assert standing.mean_score == 1


def test_rating_and_suspension_are_in_the_standings() -> None:
    rating = Rating(0, 2340, None, 1, 1, least=1980.0, provisional=True)
    last = Change(9, ChangeKind.SUSPENDED, 0, None, 0, 0, "forfeits")
    (standing,) = rank([replace(ENTRANTS[0], last=last)], [totals(50)], [rating])
    assert (standing.rating, standing.entrant.suspended) == (rating, "forfeits")


def test_a_new_league_has_standings_without_ranks(store: Store) -> None:
    found = standings(store, store.leagues.get("spring"), running=False)
    assert [(standing.rank, standing.rating.rating) for standing in found] == [(0, 1500)] * 5


def test_standings_of_a_stopped_league_are_those_of_all_its_matches(store: Store) -> None:
    """The run was stopped before it rated the last deals; a running league is taken as it was last rated."""
    pools = FakePools()
    run = league_run(store, pools)
    pools.before = lambda _: run.stop() if pools.played == 30 else None
    run.play()
    league = store.leagues.get("spring")
    assert 0 < league.deals_done < 10
    store.ratings.keep(league.id, Snapshot(0, (), created=0.0))
    rated = standings(store, league, running=False)
    assert store.ratings.latest(league.id).deals == league.deals_done  # type: ignore[union-attr]
    assert standings(store, league, running=True) == rated
    assert [standing.rank for standing in rated] == [1, 2, 3, 4, 5]
    assert sum(standing.wins for standing in rated) == pytest.approx(league.matches_done)


def tables_read(store: Store, work: Callable[[], object]) -> list[str]:
    """The tables that the statements of `work` read first, statement by statement."""
    read: list[str] = []

    def look(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        read.extend(re.findall(r"FROM (\w+)", statement)[-1:])

    event.listen(store.database._engine, "before_cursor_execute", look)
    try:
        work()
    finally:
        event.remove(store.database._engine, "before_cursor_execute", look)
    return read


@pytest.mark.parametrize("deals", [5, 40])
def test_however_many_were_played_standings_read_none_of_them(make_league: MakeLeague, deals: int) -> None:
    store = make_league(deals=deals)
    league_run(store, FakePools()).play()
    league = store.leagues.get("spring")
    read = tables_read(store, lambda: standings(store, league, running=False))
    assert {"rating", "entrant"} <= set(read)
    assert not {"deal", "match", "match_seat", "pair"} & set(read)
    assert len(read) <= 6


@pytest.mark.parametrize("deals", [5, 40])
def test_a_run_goes_on_from_a_row_a_deal(make_league: MakeLeague, deals: int) -> None:
    """Neither matches nor their seats are read, of which there are several times as many."""
    store = make_league(deals=deals)
    league_run(store, FakePools()).play()
    league = store.leagues.get("spring")

    def start() -> object:
        dealer = Dealer(store, league, tables_of_everybody, batch=lambda: 1, joined=lambda _: True, clock=lambda: 0.0)
        return LiveRatings(store, league, lambda: 0.0), dealer

    read = tables_read(store, start)
    assert read.count("deal") == 3  # results, tables, and deals that were given up
    assert read.count("ladder_checkpoint") == 1  # deals that are not played yet, which come after the last of these
    assert not {"match", "match_seat"} & set(read)
    assert len(read) <= 8


def test_a_league_of_seconds_has_a_point_of_its_history_at_each_doubling(make_league: MakeLeague) -> None:
    store = make_league(deals=10)
    league_run(store, FakePools()).play()
    points = {snapshot.deals for snapshot in store.ratings.history(store.leagues.get("spring").id)}
    assert {4, 8, 10} <= points
