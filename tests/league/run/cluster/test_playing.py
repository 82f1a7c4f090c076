"""What a runner hears of a pool on a node that fails."""

from __future__ import annotations

import queue
from collections.abc import Callable

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.run.cluster.orders import Answer, Broken, Play
from beanleague.league.run.cluster.playing import RunHere
from beanleague.model import Node
from beanleague.referee.messages import BotLog, DealResult, DealTask, MatchResult, Pool

NODE = Node("node1", "Test 1", "0", "3.11")


class BrokenPool:
    """A pool that cannot play, and not even end."""

    capacity = unfinished = 1
    nodes = None
    remarks = ()

    def submit(self, task: DealTask) -> None: ...

    def poll(self, timeout: float) -> list[DealResult | MatchResult | BotLog]:
        raise RuntimeError("it cannot play")

    def close(self) -> list[BotLog]:
        raise RuntimeError("it cannot end")


def without_threads() -> Pool:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize(("start", "why"), [(without_threads, "can't start new thread"), (BrokenPool, "it cannot end")])
def test_a_runner_hears_of_whatever_breaks_a_pool(start: Callable[[], Pool], why: str) -> None:
    said: queue.SimpleQueue[Answer] = queue.SimpleQueue()
    run = RunHere(start, NODE, said.put)
    for _ in range(2):  # it is tried again with the next deals
        run.play(Play((), 0.0))
        assert said.get(timeout=10) == Broken(why)
    run.close()
