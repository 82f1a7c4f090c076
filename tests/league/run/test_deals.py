"""Deals are played again when something other than a bot failed, and known with the nodes that played them."""

from collections import Counter
from dataclasses import replace
from itertools import count as count_from

import pytest

from beanleague.league.errors import RunError
from beanleague.league.run.progress import Meter, NodeProgress, Progress, RunState
from beanleague.league.schedule.seeds import bot_luck, deal_seed
from beanleague.referee.deal_pool import start_workers
from beanleague.referee.messages import MatchTask
from beanleague.referee.this_node import this_node
from beanleague.store import Store
from tests.league.conftest import MakeLeague
from tests.league.fakepool import NODE, FakePools, play
from tests.league.helpers import SECRET, VOIDS, contents, league_run, played, verified


def test_a_void_match_lets_the_whole_deal_be_played_again(make_league: MakeLeague) -> None:
    """What was played of it before is forgotten; in the end all is as if nothing had happened."""
    spoilt = {deal_seed(SECRET, 2): 2, deal_seed(SECRET, 5): 1}

    def void(task: MatchTask) -> str:
        if task.luck[1] == bot_luck(SECRET, 2, 3, 1) or task.luck[1] == bot_luck(SECRET, 5, 0, 1):
            spoilt[task.seed] -= 1
            return "the worker ended" if spoilt[task.seed] >= 0 else ""
        return ""

    pools, reports = FakePools(void=void, at_once=3), list[Progress]()
    store = make_league()
    league_run(store, pools, report=reports.append).play()
    whole = played(make_league(), FakePools())
    assert contents(store, leave_out=VOIDS) == contents(whole, leave_out=VOIDS)
    assert {deal.number: deal.voids for deal in store.deals.list(1) if deal.voids} == {2: 2, 5: 1}
    assert (reports[-1].voided_deals, reports[-1].matches_done, reports[-1].matches_played) == (3, 40, 40)
    assert Counter(task.seed for task in pools.tasks)[deal_seed(SECRET, 2)] == 12


def test_a_deal_that_stays_void_stops_the_run_and_says_why(store: Store) -> None:
    pools = FakePools(void=lambda task: "no memory" if task.seed == deal_seed(SECRET, 4) else "")
    with pytest.raises(RunError, match=r"deal 4 of (bot\d@1, ){3}bot\d@1 failed 3 times in a row: no memory"):
        league_run(store, pools).play()
    assert pools.closed == 1
    league_run(store, FakePools()).play()
    assert store.leagues.get("spring").deals_done == 10


def test_a_run_waits_longer_each_time_that_the_host_is_short_of_something(store: Store) -> None:
    now, tried = 0.0, list[float]()

    def clock() -> float:
        nonlocal now
        now += 0.1
        return now

    def void(task: MatchTask) -> str:
        if task.luck[0] != bot_luck(SECRET, 4, 0, 0):
            return ""
        tried.append(now)
        return "no memory left" if len(tried) < 3 else ""

    pools = FakePools(void=void, host=True)
    league_run(store, pools, clock=clock).play()
    assert tried[2] - tried[1] > 10
    assert 2 < tried[1] - tried[0] < 10
    assert store.leagues.get("spring").deals_done == 10
    assert {deal.number: deal.voids for deal in store.deals.list(1) if deal.voids} == {4: 2}


def test_a_deal_of_an_isolated_league_that_waits_for_the_host_begins_anew(make_league: MakeLeague) -> None:
    voided = list[int]()

    def void(task: MatchTask) -> str:
        if task.luck[0] != bot_luck(SECRET, 4, 1, 0) or voided:
            return ""
        voided.append(task.id)
        return "no memory left"

    pools = FakePools(void=void, host=True)
    ticks = count_from(0)
    league_run(make_league(isolate=True), pools, clock=lambda: next(ticks) / 10).play()
    of_the_deal = [task for task in pools.tasks if task.seed == deal_seed(SECRET, 4)]
    assert len(of_the_deal) == 2 + 4
    assert of_the_deal[1].id == voided[0]


@pytest.mark.parametrize("deaths", [0, 2])
def test_a_bot_that_was_killed_once_is_to_blame_in_all_later_deals_of_the_run(store: Store, deaths: int) -> None:
    """However often workers died before."""
    died = 0
    kills: list[tuple[int, int]] = []  # the bot, and how many tasks there were by then

    def void(task: MatchTask) -> str:
        nonlocal died
        if task.luck[0] != bot_luck(SECRET, 1, 0, 0) or died == deaths:
            return ""
        died += 1
        return "the worker process ended with -9"

    def killed(task: MatchTask) -> int | None:
        if not task.label.endswith(".0") or died < deaths or task.bots[1] in task.unforgiven:
            return None  # of one match of a deal at most: when that is void, nobody asks what becomes of the others
        kills.append((task.bots[1], len(pools.tasks)))
        return task.bots[1]

    pools = FakePools(void=void, killed=killed, at_once=1)
    league_run(store, pools, in_flight=1).play()
    assert store.leagues.get("spring").deals_done == 10
    assert len({bot for bot, _ in kills}) > 1
    for bot, before in kills:
        assert all(bot in task.unforgiven for task in pools.tasks[before:] if bot in task.bots)
    assert all(task.unforgiven <= set(task.bots) for task in pools.tasks)


def test_a_bot_that_holds_what_others_lack_ends_no_run(store: Store) -> None:
    """The host was short on its account: that is no failure of the deal, and the next time it is ended."""
    tried: list[int] = []

    def killed(task: MatchTask) -> int | None:
        if 2 not in task.bots or 2 in task.unforgiven:
            return None
        tried.append(task.id)
        return 2

    pools = FakePools(killed=killed, host=True, at_once=1)
    ticks = count_from(0)
    league_run(store, pools, in_flight=8, clock=lambda: next(ticks)).play()
    assert len(tried) > 3
    assert store.leagues.get("spring").deals_done == 10


def test_a_bot_that_was_killed_once_is_to_blame_in_later_runs_of_the_league(store: Store) -> None:
    def killed(task: MatchTask) -> int | None:
        return 2 if 2 in task.bots and 2 not in task.unforgiven else None

    play_some(store, FakePools(killed=killed, at_once=1), 8)
    assert {void.reason for void in store.deals.voids(1, limit=9)} == {"on account of bot2@1: somebody killed a bot"}
    later = FakePools(killed=killed)
    league_run(store, later).play()
    assert store.leagues.get("spring").deals_done == 10
    assert {2 in task.unforgiven for task in later.tasks if 2 in task.bots} == {True}
    assert not any(task.unforgiven - {2} for task in later.tasks)


RIGHT = replace(NODE, name="right")


def play_some(store: Store, pools: FakePools, matches: int) -> None:
    """Play until so many matches are over, and then stop."""
    run = league_run(store, pools, in_flight=1)

    def before(_: MatchTask) -> None:
        if pools.played >= matches:
            run.stop()

    pools.before = before
    run.play()


class TestOneCpu:
    def test_the_first_run_may_take_any_model_and_later_ones_its_own(self, make_league: MakeLeague) -> None:
        store = make_league(one_cpu=True)
        first, second = FakePools(), FakePools()
        play_some(store, first, 10)
        assert (first.cpu, store.leagues.get("spring").cpu) == ("", NODE.cpu)
        league_run(store, second).play()
        assert second.cpu == NODE.cpu
        assert store.leagues.get("spring").deals_done == 10

    def test_other_leagues_are_played_on_any(self, store: Store) -> None:
        pools = FakePools()
        league_run(store, pools).play()
        assert pools.cpu is None

    def test_a_machine_with_another_model_is_refused_and_named(self, make_league: MakeLeague) -> None:
        store = make_league(one_cpu=True)
        play_some(store, FakePools(), 10)
        done = store.leagues.get("spring").deals_done
        with pytest.raises(RunError) as refused:
            league_run(store, start_workers).play()
        assert f"on the CPU of its first deal, a CPU, but this machine has {this_node().cpu};" in str(refused.value)
        assert store.leagues.get("spring").deals_done == done
        assert not store.runs.running()

    def test_verification_finds_a_deal_of_another_model(self, make_league: MakeLeague) -> None:
        store = make_league(one_cpu=True, bots=2, seats=2, deals=2, game="dice")
        league_run(store, FakePools(play)).play()
        with store.database.write() as connection:
            connection.exec_driver_sql("UPDATE node SET cpu = 'another CPU'")
        reports = verified(store, "spring", workers=1)
        assert [finding.column for report in reports for finding in report.findings] == ["league.cpu"]


class TestMeter:
    @pytest.fixture
    def meter(self, store: Store) -> Meter:
        """A meter whose clock says 0, 10, 20, ... when it is looked at."""
        times = iter(range(0, 1000, 10))
        return Meter(store.leagues.get("spring"), lambda: float(next(times)))

    def test_a_machine_that_plays_alone_is_not_listed(self, meter: Meter) -> None:
        meter.add_deal(NODE)
        assert meter.progress(RunState.PLAYING, None).nodes == ()

    def test_nodes_are_listed_with_their_workers_and_recent_speed(self, meter: Meter) -> None:
        meter.workers = {RIGHT: 8, NODE: 2}
        for node in (NODE, RIGHT, RIGHT):
            meter.add_deal(node)
        assert meter.progress(RunState.PLAYING, None).nodes == (
            NodeProgress(NODE, workers=2, deals=1, deals_per_second=0.1),
            NodeProgress(RIGHT, workers=8, deals=2, deals_per_second=0.2),
        )
        meter.add_deal(RIGHT)
        speeds = [node.deals_per_second for node in meter.progress(RunState.PLAYING, None).nodes]
        assert speeds == [0, 0.1]
        assert [node.deals_per_second for node in meter.progress(RunState.DONE, None).nodes] == [1 / 30, 0.1]

    def test_a_node_that_has_gone_stays_listed_with_what_it_played(self, meter: Meter) -> None:
        meter.add_deal(RIGHT)
        meter.workers = {NODE: 2}
        assert [(each.node, each.workers, each.deals) for each in meter.progress(RunState.PLAYING, None).nodes] == [
            (NODE, 2, 0),
            (RIGHT, 0, 1),
        ]
