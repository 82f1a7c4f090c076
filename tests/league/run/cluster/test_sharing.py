"""How a pool shares deals among nodes, in simulated time."""

from __future__ import annotations

from collections import deque

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.run.cluster.members import Member
from beanleague.league.run.cluster.sharing import share_out
from beanleague.referee.messages import DealTask, MatchTask
from beanleague.referee.worker import LONG_S
from tests.league.run.cluster.simulated import SimulatedNode, Simulation

SLOW_S, QUICK_S = 0.18, 0.005  # work of a match


@pytest.mark.parametrize(("deals", "faster"), [(24, 1.75), (60, 1.8), (200, 1.9)])
def test_two_nodes_that_join_one_after_the_other_are_nearly_twice_as_fast_as_one(deals: int, faster: float) -> None:
    """Even if all deals of a league are fewer than one of them plays at once."""
    first, second = SimulatedNode(match_s=SLOW_S), SimulatedNode(match_s=SLOW_S, joins_s=0.5)
    alone = Simulation(deals, {"a": SimulatedNode(match_s=SLOW_S)}).play()
    assert alone / Simulation(deals, {"a": first, "b": second}).play() > faster
    assert abs(first.played - second.played) <= 2


def test_a_node_that_never_joins_costs_nothing_in_the_end() -> None:
    alone = Simulation(60, {"a": SimulatedNode(match_s=SLOW_S)}).play()
    beside = Simulation(60, {"a": SimulatedNode(match_s=SLOW_S), "b": SimulatedNode(match_s=SLOW_S, joins_s=1e9)})
    assert beside.play() < 1.05 * alone


def test_a_node_that_joins_late_gets_its_share_of_what_is_left() -> None:
    first, late = SimulatedNode(match_s=SLOW_S), SimulatedNode(match_s=SLOW_S, joins_s=15.0)
    Simulation(100, {"a": first, "b": late}).play()
    assert late.played > 35


@pytest.mark.parametrize(("match_s", "at_once"), [(SLOW_S, LONG_S / SLOW_S), (QUICK_S, 128)])
def test_a_node_holds_some_seconds_of_play_beyond_what_it_plays_at_once(match_s: float, at_once: float) -> None:
    """So few deals of long matches, and many of short ones."""
    node = SimulatedNode(match_s=match_s)
    Simulation(10**6, {"a": node}).play(60.0)
    assert node.busy_s > 59
    assert 0 < (node.left - at_once) * match_s < 3


def test_nodes_of_which_one_is_slower_end_together() -> None:
    fast, slow = SimulatedNode(match_s=SLOW_S), SimulatedNode(match_s=2 * SLOW_S)
    seconds = Simulation(200, {"fast": fast, "slow": slow}).play()
    assert fast.busy_s + slow.busy_s > 1.9 * seconds


def test_deals_share_an_order_when_they_are_short() -> None:
    """An order a second suffices, however many deals are played in it."""
    node = SimulatedNode(match_s=QUICK_S)
    simulation = Simulation(10**6, {"a": node})
    simulation.play(20.0)
    assert node.played > 700
    assert len(simulation.orders) < 40


@pytest.mark.parametrize(("nodes", "workers"), [(30, 10), (3, 100), (100, 1)])
def test_all_workers_of_all_nodes_are_busy(nodes: int, workers: int) -> None:
    made = {str(each): SimulatedNode(match_s=0.5, workers=workers, at_once=workers) for each in range(nodes)}
    simulation = Simulation(10**6, made)
    simulation.play(6.0)
    before = sum(node.busy_s for node in made.values())
    simulation.play(14.0)
    assert sum(node.busy_s for node in made.values()) - before > 0.97 * 8.0 * nodes * workers


def test_a_deal_goes_to_the_node_that_would_be_the_first_to_have_nothing_to_play() -> None:
    slow, fast = (Member(name, isolate=False, at_once=20, rate=rate) for name, rate in (("slow", 1.0), ("fast", 3.0)))
    tasks = deque(DealTask(number, (MatchTask(0, "dice", b"", (0,), (b"",)),)) for number in range(12))
    given = share_out(tasks, [slow, fast], 0, 1.0)
    assert {name: len(deals) for name, deals in given.items()} == {"slow": 3, "fast": 9}


@pytest.mark.parametrize("isolate", [False, True])
def test_the_share_of_nodes_that_join_stays_in_the_queue(isolate: bool) -> None:
    member = Member("a", isolate, at_once=20, rate=10.0)
    match = MatchTask(0, "dice", b"", (0, 0), (b"", b""))
    tasks = deque(DealTask(number, (match, match)) for number in range(9))
    assert {name: len(deals) for name, deals in share_out(tasks, [member], 2, 1.0).items()} == {"a": 3}
    assert [task.number for task in tasks] == [1, 2, 4, 5, 7, 8]
