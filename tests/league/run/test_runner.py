import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from unittest.mock import Mock

import pytest
from numpy.typing import ArrayLike

from beanleague.league.errors import RunError
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.ratings import rate
from beanleague.league.run.progress import Progress, RunState
from beanleague.league.schedule.seeds import bot_luck, deal_seed
from beanleague.model import MatchFilter
from beanleague.referee.messages import MatchTask
from beanleague.store import ConflictError, Store
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools, play
from tests.league.helpers import DERIVED, SECRET, VOIDS, contents, league_run, played


def stop_after(matches: int) -> Callable[[Store, FakePools], None]:
    """Return what plays a league until so many more matches were played."""

    def run(store: Store, pools: FakePools) -> None:
        goal = pools.played + matches
        league = league_run(store, pools)
        pools.before = lambda _: league.stop() if pools.played >= goal else None
        league.play()
        pools.before = lambda _: None

    return run


def asking_to_stop(store: Store) -> Callable[[MatchTask], None]:
    """Return what asks the run of "spring" to stop, as another process would."""

    def ask(_: MatchTask) -> None:
        store.runs.ask_to_stop(1)

    return ask


class TestWholeRun:
    def test_every_deal_is_played_once_in_every_rotation(self, store: Store) -> None:
        pools = FakePools()
        league_run(store, pools).play()
        league = store.leagues.get("spring")
        assert (league.deals_done, league.matches_done) == (10, 40)
        matches = store.matches.list(league.id, MatchFilter(limit=100))
        assert [(match.deal, match.rotation) for match in matches] == [(d, r) for d in range(1, 11) for r in range(4)]
        tables = store.deals.tables(league.id)
        for match in matches:
            table = tables[match.deal - 1]
            assert [seat.entrant for seat in match.seats] == [table[(s + match.rotation) % 4] for s in range(4)]
        assert store.deals.unplayed(league.id) == ()
        assert pools.started == pools.closed == 1

    def test_a_league_that_is_done_starts_nothing(self, store: Store) -> None:
        league_run(store, FakePools()).play()
        pools, reports = FakePools(), list[Progress]()
        league_run(store, pools, report=reports.append).play()
        assert pools.started == 0
        assert reports[-1].state is RunState.DONE
        assert reports[-1].standings is not None

    def test_real_matches_are_kept_with_their_records(self, make_league: MakeLeague) -> None:
        store = make_league(deals=1)
        league_run(store, FakePools(play)).play()
        match, record = store.matches.get(1, 1, 2)
        assert min(seat.place for seat in match.seats) == 1
        assert len(record) > 1000

    def test_enough_is_submitted_and_not_much_more(self, make_league: MakeLeague) -> None:
        """Twice what the workers can play at once keeps them busy; the last deal may exceed it."""
        pools = FakePools()
        league_run(make_league(deals=20), pools, in_flight=4).play()
        assert 16 <= pools.most_waiting <= 16 + 3


class TestFairness:
    def test_no_lane_sees_a_deal_twice(self, store: Store) -> None:
        pools = FakePools()
        league_run(store, pools).play()
        lanes = defaultdict(list)
        for task in pools.tasks:
            lanes[task.seed].append(task.lane)
        assert all(len(set(used)) == 4 for used in lanes.values())
        assert {lane for used in lanes.values() for lane in used} == set(range(4))

    def test_no_lane_sees_a_deal_again_that_was_voided(self, store: Store) -> None:
        pools, voided = FakePools(at_once=2), set[bytes]()

        def void(task: MatchTask) -> str:
            if task.seed in voided:
                return ""
            voided.add(task.seed)
            return "a worker died"

        pools.void = void
        league_run(store, pools).play()
        used = [(task.seed, task.lane) for task in pools.tasks]
        assert len(used) == 2 * 40
        assert len(set(used)) == len(used)

    def test_seeds_and_luck_follow_from_the_master_secret(self, store: Store) -> None:
        pools = FakePools()
        league_run(store, pools).play()
        tasks = {task.seed: task for task in pools.tasks if task.luck[0] == bot_luck(SECRET, 3, 1, 0)}
        assert list(tasks) == [deal_seed(SECRET, 3)]
        assert tasks[deal_seed(SECRET, 3)].label == "spring/3.1"
        assert tasks[deal_seed(SECRET, 3)].luck == tuple(bot_luck(SECRET, 3, 1, seat) for seat in range(4))

    def test_digests_are_published_before_play_and_seeds_only_after(self, store: Store) -> None:
        seen = []

        def look(task: MatchTask) -> None:
            deals = {deal.seed_digest: deal for deal in store.deals.list(1)}
            deal = deals[hashlib.sha256(task.seed).digest()]
            seen.append(deal.seed)

        league_run(store, FakePools(before=look)).play()
        assert len(seen) == 40
        assert set(seen) == {None}
        for deal in store.deals.list(1):
            assert deal.seed is not None
            assert hashlib.sha256(deal.seed).digest() == deal.seed_digest

    @pytest.mark.parametrize("show_names", [False, True])
    def test_opponents_are_named_only_if_the_league_says_so(self, make_league: MakeLeague, show_names: bool) -> None:
        pools = FakePools()
        league_run(make_league(show_names=show_names), pools).play()
        for task in pools.tasks:
            assert task.names == (tuple(f"bot{bot}@1" for bot in task.bots) if show_names else ())

    def test_options_and_limits_of_the_league_reach_the_referee(self, make_league: MakeLeague) -> None:
        pools = FakePools()
        wish = {"options": {"max_rounds": 3}, "limits": {"move_ms": 77, "strikes": 0}}
        league_run(make_league(**wish), pools).play()
        assert all(task.options == {"max_rounds": 3} for task in pools.tasks)
        assert pools.limits is not None
        assert (pools.limits.move_ms, pools.limits.strikes, pools.limits.bank_ms) == (77, 0, 10_000)


class TestSameResults:
    def test_order_and_number_of_matches_in_flight_change_nothing(self, make_league: MakeLeague) -> None:
        """Standings are compared to the last bit: the ratings are among the rows."""
        one = contents(played(make_league(), FakePools(at_once=1), in_flight=1), leave_out=DERIVED)
        other = contents(played(make_league(), FakePools(order=7, at_once=9), in_flight=8), leave_out=DERIVED)
        assert one == other

    @pytest.mark.parametrize("steps", [[1, 1, 1], [17], [5, 30, 5], [41]])
    def test_stopping_and_resuming_changes_nothing(self, make_league: MakeLeague, steps: list[int]) -> None:
        whole = played(make_league(), FakePools())
        store, pools = make_league(), FakePools(order=3)
        for matches in steps:
            stop_after(matches)(store, pools)
        league_run(store, pools).play()
        assert contents(store, leave_out=DERIVED) == contents(whole, leave_out=DERIVED)
        assert store.ratings.latest(1).ratings == whole.ratings.latest(1).ratings  # type: ignore[union-attr]

    def test_deals_between_two_ratings_are_counted_together(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And nothing is rated twice, not even when a run ends.

        No time passes here, so the league is rated at its start, at each doubling of its deals from 4, and at its end.
        """
        counted: list[int] = []
        count_deals = Counters.add_deals

        def add_deals(counters: Counters, seatings: list[list[list[int]]], places: ArrayLike) -> None:
            counted.append(len(seatings))
            count_deals(counters, seatings, places)

        rating = Mock(wraps=rate)
        monkeypatch.setattr(Counters, "add_deals", add_deals)
        monkeypatch.setattr("beanleague.league.counting.rate", rating)
        reports: list[Progress] = []
        league_run(store, FakePools(), clock=lambda: 0.0, report=reports.append).play()
        assert counted == [4, 4, 2]
        assert rating.call_count == 4
        assert reports[-1].standings
        assert store.ratings.latest(1).deals == 10  # type: ignore[union-attr]

    def test_committed_deals_are_not_played_again(self, store: Store) -> None:
        pools = FakePools(at_once=1)
        stop_after(30)(store, pools)
        done = {deal.seed for deal in store.deals.list(1) if deal.seed}
        before = len(pools.tasks)
        league_run(store, pools).play()
        assert done
        assert done.isdisjoint(task.seed for task in pools.tasks[before:])


class TestIsolation:
    def test_an_isolated_league_is_played_in_rounds_of_one_match_of_each_deal(self, make_league: MakeLeague) -> None:
        """Nothing is begun while a match is played, so no process of a bot is there in two replays of a deal."""
        rounds: list[int] = []  # how many matches were begun, whenever one is played
        pools = FakePools(before=lambda _: rounds.append(len(pools.tasks)))
        league_run(make_league(isolate=True), pools, in_flight=3).play()
        assert pools.isolate
        assert sorted(set(rounds)) == [6, 12, 18, 24, 28, 32, 36, 40]  # two workers, ten deals of four matches
        for number, begun in enumerate(rounds):
            assert begun == rounds[number - 1] or number in {0, rounds[number - 1]}
        for first, end in pairwise([0, *sorted(set(rounds))]):
            tasks = pools.tasks[first:end]
            assert len({task.seed for task in tasks}) == len(tasks)
            assert len({task.lane % 2 for task in tasks}) == 2

    def test_an_isolated_league_has_the_results_of_any_other(self, make_league: MakeLeague) -> None:
        isolated = contents(played(make_league(isolate=True), FakePools()), leave_out=DERIVED | {"league"})
        assert isolated == contents(played(make_league(), FakePools(order=3)), leave_out=DERIVED | {"league"})

    def test_a_void_deal_is_played_again_in_later_rounds(self, make_league: MakeLeague) -> None:
        """Of the void one no more matches are begun, and the next ones have lanes of their own."""
        spoilt = [deal_seed(SECRET, 2)]

        def void(task: MatchTask) -> str:
            if task.seed in spoilt and task.luck[0] == bot_luck(SECRET, 2, 1, 0):
                spoilt.clear()
                return "the worker ended"
            return ""

        pools = FakePools(void=void)
        store = make_league(isolate=True)
        league_run(store, pools).play()
        again = [task for task in pools.tasks if task.seed == deal_seed(SECRET, 2)]
        assert len(again) == 2 + 4
        assert {task.lane for task in again[:2]}.isdisjoint(task.lane for task in again[2:])
        whole = played(make_league(), FakePools())
        assert contents(store, leave_out=VOIDS | {"league"}) == contents(whole, leave_out=VOIDS | {"league"})


class TestStopping:
    def test_stop_from_another_thread_ends_the_run(self, store: Store) -> None:
        begun = threading.Event()
        go_on = threading.Event()

        def wait(_: MatchTask) -> None:
            begun.set()
            go_on.wait(60)

        pools, reports = FakePools(before=wait), list[Progress]()
        run = league_run(store, pools, report=reports.append)
        thread = threading.Thread(target=run.play)
        thread.start()
        assert begun.wait(60)
        run.stop()
        go_on.set()
        thread.join(60)
        assert not thread.is_alive()
        assert pools.closed == 1
        assert store.leagues.get("spring").deals_done < 10
        assert RunState.DONE not in {progress.state for progress in reports}
        assert store.runs.running() == frozenset()

    def test_a_second_run_of_the_same_league_is_refused(self, store: Store) -> None:
        refused: list[str] = []

        def again(_: MatchTask) -> None:
            if not refused:
                with pytest.raises(ConflictError) as error:
                    league_run(store, FakePools()).play()
                refused.append(str(error.value))

        league_run(store, FakePools(before=again)).play()
        assert "is already being run" in refused[0]
        assert store.leagues.get("spring").deals_done == 10

    def test_an_error_ends_the_pool_and_frees_the_league(self, store: Store) -> None:
        def fail(_: MatchTask) -> None:
            raise OSError("broken")

        pools = FakePools(before=fail)
        with pytest.raises(OSError, match="broken"):
            league_run(store, pools).play()
        assert pools.closed == 1
        assert store.runs.running() == frozenset()

    def test_a_stop_that_is_asked_for_with_the_last_deal_stops_nothing(self, make_league: MakeLeague) -> None:
        store = make_league(deals=2)
        pools = FakePools(at_once=1000, before=asking_to_stop(store))
        league_run(store, pools, in_flight=100).play()
        assert store.leagues.get("spring").deals_done == 2
        assert store.runs.last(1) is None

    def test_a_stop_that_is_asked_for_before_is_an_end_with_a_reason(self, store: Store) -> None:
        pools = FakePools(at_once=4, before=asking_to_stop(store))
        with pytest.raises(RunError, match="the run was stopped; deals played before are kept"):
            league_run(store, pools).play()
        assert store.leagues.get("spring").deals_done < 10


class TestReports:
    def test_progress_counts_up_to_the_end(self, store: Store) -> None:
        reports: list[Progress] = []
        ticks = iter(range(100_000))
        league_run(store, FakePools(), report=reports.append, clock=lambda: float(next(ticks))).play()
        assert reports[0].state is RunState.STARTING
        assert reports[-1].state is RunState.DONE
        for name in ("deals_done", "matches_done", "decisions", "seconds"):
            values = [getattr(progress, name) for progress in reports]
            assert values == sorted(values), name
        last = reports[-1]
        assert (last.deals_done, last.deals_total, last.matches_done, last.matches_total) == (10, 10, 40, 40)
        assert last.decisions == sum(total.decisions for total in store.leagues.totals(1))
        assert last.standings is not None
        assert len(last.standings) == 5
        assert any(progress.standings for progress in reports[:-1])

    def test_a_resumed_run_tells_what_was_done_before(self, store: Store) -> None:
        stop_after(30)(store, FakePools())
        done = store.leagues.get("spring").deals_done
        reports: list[Progress] = []
        league_run(store, FakePools(), report=reports.append).play()
        assert reports[0].deals_done == done > 0
        assert reports[-1].deals_played == 10 - done

    def test_logs_of_bots_are_stored_for_each_version(self, store: Store) -> None:
        league_run(store, FakePools(logs="hello\n")).play()
        for version in store.bots.newest():
            (log,) = store.logs.get(version.id)
            assert log.league == "spring"
            assert log.text == "hello\n" * 32 + "last words\n"
