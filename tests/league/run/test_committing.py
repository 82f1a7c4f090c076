"""When played deals are committed: short ones share a commit."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from beanleague.league.compare import ComparisonRequest, comparison_league
from beanleague.league.errors import RunError
from beanleague.league.ratings.sprt import SequentialTest
from beanleague.league.run.committing import COMMIT_WAIT_S, MAX_GROUP, MAX_IN_A_ROW, Commits, Suspensions
from beanleague.league.run.progress import Meter
from beanleague.model import PlayedDeal, PlayedMatch, Suspension
from beanleague.referee.messages import MatchReport, MatchTask
from beanleague.store import DatabaseError, DisconnectedError, Store
from beanleague.store.database import Database
from beanleague.store.deals import Deals
from tests.league import helpers
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePool, FakePools, quick
from tests.matches import changed
from tests.store.helpers import add_bots, add_league, deal


class NotedDeals(Deals):
    """The deals of a database, with notes of their commits; `error` is raised instead, if it is set."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.done: list[object] = []
        self.suspended: list[tuple[int, int]] = []
        self.error: Exception | None = None

    def commit(
        self, league_id: int, deals: Sequence[PlayedDeal], suspended: Iterable[Suspension] = (), **more: Any
    ) -> bool:
        if self.error:
            raise self.error
        suspended = tuple(suspended)
        stored = super().commit(league_id, deals, suspended, **more)
        if stored:
            self.done.append([each.number for each in deals])
            self.suspended += [(each.entrant, each.deal) for each in suspended]
        return stored


class Played:
    """Commits of a league of three bots, in a run whose clock shows `now`."""

    def __init__(self, store: Store, *, wait_s: float = COMMIT_WAIT_S) -> None:
        self.now = 1000.0
        self.deals = store.deals = NotedDeals(store.database)
        league = add_league(store, add_bots(store, 3))
        self.meter = Meter(league, lambda: self.now)
        suspensions = Suspensions(store.leagues.forfeits(league.id), range(3))
        self.commits = Commits(store, league, suspensions, self.meter, self._count, lambda: self.now, wait_s=wait_s)

    def add(self, number: int, after: float = 0.001, played: PlayedDeal | None = None) -> None:
        self.now += after
        self.commits.add([played or deal(number)])

    @property
    def done(self) -> list[object]:
        """The numbers of the deals of each commit, and of each deal that was counted, in order."""
        return self.deals.done

    @property
    def wait(self) -> float:
        return round(self.commits.due_in(10.0), 6)

    def _count(self, played: PlayedDeal) -> None:
        self.deals.done.append(played.number)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Store]:
    """A store without bots."""
    with Store(f"sqlite:///{tmp_path}/empty.db") as store:
        yield store


@pytest.fixture
def run(empty: Store) -> Played:
    return Played(empty)


class TestWaiting:
    def test_a_deal_that_comes_soon_after_another_waits_50_ms_and_no_longer(self, run: Played) -> None:
        run.add(1)
        assert run.wait == 0
        run.commits.commit()
        run.add(2, after=0.01)
        assert run.wait == 0.05
        run.add(3, after=0.02)
        assert run.wait == 0.03
        run.now += 0.03
        assert run.wait == 0
        run.commits.commit()
        assert run.wait == 10.0
        assert run.done == [[1], 1, [2, 3], 2, 3]

    def test_deals_that_come_rarely_do_not_wait(self, run: Played) -> None:
        for number in range(1, 5):
            run.add(number, after=0.06)
            assert run.wait == 0
            run.commits.commit()

    def test_enough_deals_do_not_wait(self, run: Played) -> None:
        run.add(1)
        run.commits.commit()
        for number in range(2, MAX_GROUP + 2):
            assert run.wait
            run.add(number, after=0)
        assert run.wait == 0

    def test_a_deal_that_suspends_a_bot_does_not_wait(self, run: Played) -> None:
        assert 3 < MAX_IN_A_ROW <= 6  # the forfeits of one deal do not suspend, those of two do
        run.add(1)
        run.commits.commit()
        run.add(2, played=forfeited_by(1, deal(2)))
        assert run.wait
        run.add(3, played=forfeited_by(1, deal(3)))
        assert run.wait == 0
        run.commits.commit()
        assert run.deals.suspended == [(1, 3)]
        assert run.done[2:] == [[2, 3], 2, 3]

    def test_without_a_wait_each_is_due_at_once(self, empty: Store) -> None:
        run = Played(empty, wait_s=0.0)
        for number in range(1, 4):
            run.add(number, after=0)
            assert run.wait == 0


def forfeited_by(entrant: int, played: PlayedDeal) -> PlayedDeal:
    """Return the deal with the matches of `entrant` forfeited."""
    matches = (
        changed(match, forfeited=tuple(seat.entrant == entrant for seat in match.seats)) for match in played.matches
    )
    return replace(played, matches=tuple(matches))


class TestEnd:
    def test_waiting_deals_are_committed_at_the_end(self, run: Played) -> None:
        with run.commits:
            run.add(1)
            run.add(2)
        assert run.done == [[1, 2], 1, 2]

    def test_waiting_deals_are_committed_when_the_run_fails(self, run: Played) -> None:
        run.add(1)
        with pytest.raises(RunError, match="no worker"), run.commits:
            raise RunError("no worker")
        assert run.done == [[1], 1]

    def test_the_error_that_ended_the_run_is_the_one_that_is_raised(self, run: Played) -> None:
        run.add(1)
        run.deals.error = DatabaseError("the disk is full")
        with pytest.raises(RunError, match="no worker"), run.commits:
            raise RunError("no worker")
        assert run.done == []

    def test_a_deal_whose_commit_failed_is_neither_counted_nor_tried_again(self, run: Played) -> None:
        run.add(1)
        run.deals.error = DatabaseError("the disk is full")
        with pytest.raises(DatabaseError), run.commits:
            run.commits.commit()
        assert (run.done, run.meter.deals) == ([], 0)


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many deals each commit had."""
    sizes: list[int] = []
    commit = Deals.commit

    def note(self: Deals, league: int, deals: Sequence[PlayedDeal], *more: Any, **others: Any) -> bool:
        done = commit(self, league, deals, *more, **others)
        sizes.extend([len(deals)] * done)
        return done

    monkeypatch.setattr(Deals, "commit", note)
    return sizes


class TestLeagues:
    def test_short_deals_share_commits_and_the_league_ends_as_with_one_for_each(
        self, make_league: MakeLeague, groups: list[int]
    ) -> None:
        whole, store = make_league(deals=30), make_league(deals=30)
        helpers.league_run(whole, FakePools(at_once=1), clock=helpers.slow_clock()).play()
        assert groups == [1] * 30
        groups.clear()
        helpers.league_run(store, FakePools(at_once=1), clock=helpers.slow_clock(0.001)).play()
        assert sum(groups) == 30
        assert 1 < len(groups) < 20
        assert helpers.contents(store, leave_out=helpers.DERIVED) == helpers.contents(whole, leave_out=helpers.DERIVED)

    def test_the_end_does_not_wait(self, store: Store, groups: list[int]) -> None:
        helpers.league_run(store, FakePools(at_once=1), clock=lambda: 0.0).play()
        assert groups == [1, 9]

    def test_results_are_awaited_no_longer_than_a_deal_waits(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        timeouts: list[float] = []
        poll = FakePool.poll

        def note(pool: FakePool, timeout: float) -> list[MatchReport]:
            timeouts.append(timeout)
            return poll(pool, timeout)

        monkeypatch.setattr(FakePool, "poll", note)
        helpers.league_run(store, FakePools(at_once=1), clock=lambda: 0.0).play()
        assert timeouts[0] == 0.1
        assert timeouts[-1] == COMMIT_WAIT_S

    def test_a_deal_of_a_comparison_does_not_wait(self, tmp_path: Path, groups: list[int]) -> None:
        """It may be the one that decides."""
        with helpers.store_with_bots(tmp_path / "a.db", 2) as store:
            asked = ComparisonRequest("bot1", "bot0", "bohnanza", SequentialTest())
            league = comparison_league(store, asked)
            helpers.league_run(store, FakePools(at_once=1), name=league.name).play()
        assert set(groups) == {1}

    def test_a_round_does_not_wait(self, make_league: MakeLeague, groups: list[int]) -> None:
        helpers.league_run(make_league(isolate=True), FakePools(at_once=1), clock=lambda: 0.0).play()
        assert groups == [1] * 10

    def test_a_stop_keeps_what_waits(self, store: Store, groups: list[int]) -> None:
        pools = FakePools(at_once=1)
        run = helpers.league_run(store, pools, clock=lambda: 0.0)
        pools.before = lambda _: run.stop() if pools.played == 30 else None
        run.play()
        assert groups[0] == 1
        assert len(groups) == 2
        assert store.leagues.get("spring").deals_done == sum(groups)

    def test_a_commit_that_was_cut_off_after_it_was_done_counts_once(
        self, make_league: MakeLeague, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Else a bot would have as many forfeits again, and be held for suspended though it is not."""
        alone = Database.alone

        @contextmanager
        def cut_off(self: Database, *, again: bool = False) -> Iterator[None]:
            with alone(self, again=again):
                yield
            if not again:
                raise DisconnectedError("the connection was lost")

        def forfeits(task: MatchTask, names: object) -> PlayedMatch:
            return changed(quick(task, names), forfeited=tuple(bot == pools.tasks[0].bots[0] for bot in task.bots))  # type: ignore[arg-type]

        monkeypatch.setattr(Database, "alone", cut_off)
        store = make_league(deals=20)
        pools = FakePools(forfeits, at_once=1)
        helpers.league_run(store, pools, in_flight=1, clock=helpers.slow_clock()).play()
        assert store.leagues.get("spring").deals_done == 20
        assert store.leagues.entrants(1)[pools.tasks[0].bots[0]].suspended
        assert helpers.derived_problems(store) == []
