"""Runs know on which nodes deals are played, and keep to one model of CPU where the league demands it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from beanleague.league.errors import RunError
from beanleague.league.run.progress import Meter, NodeProgress, RunState
from beanleague.league.verify.verification import verify_league
from beanleague.referee.deal_pool import start_workers
from beanleague.referee.messages import MatchTask
from beanleague.referee.this_node import this_node
from beanleague.store.store import Store
from tests.league.conftest import MakeLeague
from tests.league.fakepool import NODE, FakePools, play
from tests.league.helpers import league_run

RIGHT = replace(NODE, name="right")
OTHER = replace(NODE, cpu="another CPU")


def play_some(store: Store, pools: FakePools, matches: int) -> None:
    """Play until so many matches are over, and then stop."""
    run = league_run(store, pools, in_flight=1)

    def before(_: MatchTask) -> None:
        if pools.played >= matches:
            run.stop()

    pools.before = before
    run.play()


def test_deals_are_kept_with_the_node_that_played_them_and_those_that_failed_too(store: Store) -> None:
    failing = [True]
    league_run(store, FakePools(void=lambda _: "the power failed" if failing and failing.pop() else "")).play()
    assert [deal.node for deal in store.deals.list(1)] == [NODE] * 10
    assert [(void.reason, void.node) for void in store.deals.voids(1, limit=9)] == [("the power failed", NODE)]


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
            league_run(store, start_workers).play()  # type: ignore[arg-type]
        assert f"on the CPU of the first, a CPU, and this machine has another, {this_node().cpu};" in str(refused.value)
        assert store.leagues.get("spring").deals_done == done
        assert not store.runs.running()

    def test_verification_finds_a_deal_of_another_model(self, make_league: MakeLeague) -> None:
        store = make_league(one_cpu=True, bots=2, seats=2, deals=2, game="dice")
        league_run(store, FakePools(play)).play()
        with store.database.write() as session:
            session.connection().exec_driver_sql("UPDATE node SET cpu = 'another CPU'")
        reports = verify_league(store, "spring", workers=1)
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
