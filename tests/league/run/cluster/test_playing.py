"""What a node does for a run: its bots, the pool in which it plays, and what it reports when. No Dask."""

import queue
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.bots.bundles import read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.environments import Environments
from beanleague.league.run.cluster import orders, playing
from beanleague.league.run.cluster.playing import NodeRuns, Reporting, RunHere
from beanleague.model import Node, PlayedDeal
from beanleague.referee import messages
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import SandboxError
from tests.league.fakepool import FakePools
from tests.league.helpers import bundle
from tests.waiting import until

NODE = Node("moor", "a CPU", "1.0", "3.11.7")
ZIP = bundle("guest")
DIGEST = read_bundle(ZIP).digest


def join(*, trusted: bool = False, carried: bool = True) -> orders.Join:
    """An order to join a run of one bot."""
    bots = (orders.RunBot(0, "guest", DIGEST, ("python", "bot.py"), trusted),)
    return orders.Join(bots, messages.Limits(), {"workers": 9, "in_flight": 4}, {DIGEST: ZIP} if carried else {})


def deal(number: int) -> orders.Play:
    """An order to play a deal of one match."""
    match = messages.MatchTask(0, "bohnanza", bytes(32), (0, 0, 0), (bytes(16),) * 3, lane=0)
    return orders.Play((messages.DealTask(number, (match,), 1),), 0.0)


def said_by(pools: messages.StartPool, folder: Path) -> tuple[NodeRuns, queue.SimpleQueue[orders.Answer]]:
    """Return the runs of a node, and what they say when they play."""
    said: queue.SimpleQueue[orders.Answer] = queue.SimpleQueue()
    return NodeRuns(NODE, 2, BundleCache(folder), pools), said


def test_a_node_asks_for_bundles_that_it_lacks_and_keeps_them(tmp_path: Path) -> None:
    runs, said = said_by(FakePools(), tmp_path)
    assert runs.join("a", join(carried=False), said.put) == orders.Lacking((DIGEST,))
    assert isinstance(runs.join("a", join(), said.put), orders.NodeJoined)
    assert isinstance(runs.join("b", join(carried=False), said.put), orders.NodeJoined)


@pytest.mark.parametrize("trusted", [False, True])
def test_the_runner_says_which_bots_are_trusted_and_the_node_how_many_workers_play(
    tmp_path: Path, trusted: bool
) -> None:
    started: list[tuple[tuple[messages.BotSpec, ...], int]] = []
    pools = FakePools()

    def start(
        bots: Sequence[messages.BotSpec], limits: messages.Limits, **settings: Unpack[messages.PoolSettings]
    ) -> messages.Pool:
        started.append((tuple(bots), settings["workers"]))
        return pools(bots, limits, **settings)

    runs, said = said_by(start, tmp_path)
    runs.join("a", join(trusted=trusted), said.put)
    runs["a"].play(deal(1))
    assert isinstance(said.get(timeout=60), orders.Reports)
    runs.close()
    (((bot,), workers),) = started
    assert (bot.trusted, workers) == (trusted, 2)


def test_a_node_that_lacks_the_environment_of_a_bot_refuses(tmp_path: Path) -> None:
    said: queue.SimpleQueue[orders.Answer] = queue.SimpleQueue()
    cache = BundleCache(tmp_path / "cache", Environments(tmp_path / "environments"))
    order = join()
    lacking = replace(order, bots=(replace(order.bots[0], packages="ab" * 32),))
    refused = NodeRuns(NODE, 2, cache, FakePools()).join("a", lacking, said.put)
    assert isinstance(refused, orders.NodeRefused)
    assert refused.why.startswith("it cannot run guest: the environment abababababababab is not on this machine")
    assert refused.name == "moor"


def test_a_node_without_a_sandbox_refuses_bots_that_are_not_trusted(tmp_path: Path) -> None:
    def start(
        bots: Sequence[messages.BotSpec], limits: messages.Limits, **_: Unpack[messages.PoolSettings]
    ) -> messages.Pool:
        WorkerPool(bots, limits, workers=1, in_flight=1, layers=())
        raise AssertionError("it began")

    runs, said = said_by(start, tmp_path)
    runs.join("a", join(), said.put)
    runs["a"].play(deal(1))
    refused = said.get(timeout=60)
    assert isinstance(refused, orders.NodeRefused)
    assert refused.name == "moor"
    assert not refused.passing
    with pytest.raises(SandboxError) as why:
        WorkerPool([messages.BotSpec(0, "guest", "/", ("true",))], messages.Limits(), workers=1, in_flight=1, layers=())
    assert refused.why == str(why.value)


def test_a_pool_begins_with_the_first_deal_ends_when_none_comes_and_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "IDLE_S", 0.01)
    pools = FakePools()
    runs, said = said_by(pools, tmp_path)
    runs.join("a", join(), said.put)
    assert pools.started == 0
    for number in (1, 2):
        runs["a"].play(deal(number))
        assert isinstance(said.get(timeout=60), orders.Reports)
        until(lambda: pools.closed == pools.started)
        assert pools.started == number
    runs.close()


def test_a_run_that_is_left_ends_its_pool(tmp_path: Path) -> None:
    pools = FakePools()
    runs, said = said_by(pools, tmp_path)
    runs.join("a", join(), said.put)
    runs["a"].play(deal(1))
    said.get(timeout=60)
    assert pools.closed == 0
    runs.leave("a")
    assert pools.closed == 1
    assert "a" not in runs


class BusyPool:
    """A pool that plays two matches at a time, and never ends; it keeps how long each poll may take."""

    capacity = 2
    nodes = None
    remarks = ()

    def __init__(self) -> None:
        self.unfinished = 0
        self.timeouts: queue.SimpleQueue[tuple[int, float]] = queue.SimpleQueue()

    def admit(self, bots: Sequence[messages.BotSpec]) -> bool:
        del bots
        return True

    def submit(self, task: messages.DealTask) -> None:
        self.unfinished += len(task.matches)

    def poll(self, timeout: float) -> list[messages.DealReport]:
        self.timeouts.put((self.unfinished, timeout))
        return []

    def close(self) -> list[messages.BotLog]:
        return []


def test_more_is_looked_for_seldom_while_there_is_enough_to_play() -> None:
    """Nodes of which many share a machine would take its cores with that."""
    pool = BusyPool()
    run = RunHere(lambda: pool, NODE, lambda _: None)
    waits = dict[int, float]()
    for number in (1, 2):
        run.play(deal(number))
        while number not in waits:
            waits.update([pool.timeouts.get(timeout=60)])
    run.close()
    assert waits[2] > waits[1] > 0


class BrokenPool:
    """A pool that cannot play, and not even end."""

    capacity = unfinished = 1
    nodes = None
    remarks = ()

    def submit(self, task: messages.DealTask) -> None: ...

    def poll(self, timeout: float) -> list[messages.DealReport]:
        raise RuntimeError("it cannot play")

    def close(self) -> list[messages.BotLog]:
        raise RuntimeError("it cannot end")


def without_threads() -> messages.Pool:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize(("start", "why"), [(without_threads, "can't start new thread"), (BrokenPool, "it cannot end")])
def test_a_runner_hears_of_whatever_breaks_a_pool(start: Callable[[], messages.Pool], why: str) -> None:
    said: queue.SimpleQueue[orders.Answer] = queue.SimpleQueue()
    run = RunHere(start, NODE, said.put)
    for _ in range(2):  # it is tried again with the next deals
        run.play(orders.Play((), 0.0))
        assert said.get(timeout=60) == orders.Broken(why)
    run.close()


def reporting(*deals: int) -> Reporting:
    """Return that of a node which plays these deals, of two matches each, and whose results may wait for a second."""
    match = messages.MatchTask(0, "dice", b"", (0, 1), (b"", b""))
    made = Reporting()
    made.begin(orders.Play(tuple(messages.DealTask(number, (match, match)) for number in deals), 1.0))
    return made


def test_results_wait_for_others_while_there_is_more_to_play() -> None:
    node = reporting(1, 2, 3)
    node.add([PlayedDeal(1, b"", ())], 10.0)
    assert node.message(4, 10.9) is None
    node.add([PlayedDeal(2, b"", ())], 10.9)
    assert node.message(2, 11.0) == orders.Reports([PlayedDeal(1, b"", ()), PlayedDeal(2, b"", ())], 0)
    node.add([PlayedDeal(3, b"", ())], 11.1)
    assert node.message(0, 11.1) == orders.Reports([PlayedDeal(3, b"", ())], 0)
    assert node.message(0, 99.0) is None


def test_matches_that_are_over_are_reported_before_their_deals_are() -> None:
    node = reporting(1, 2)
    assert node.message(4, 0.0) is None
    assert node.message(2, 1.0) == orders.Reports([], 2)
    assert node.message(1, 4.9) is None
    assert node.message(1, 5.0) == orders.Reports([], 3)
    node.add([PlayedDeal(2, b"", ())], 6.0)
    assert node.message(1, 7.0) == orders.Reports([PlayedDeal(2, b"", ())], 1)


def test_logs_of_bots_wait_like_results() -> None:
    node, log = reporting(1), messages.BotLog(0, 0, "beans\n")
    node.add([log], 0.0)
    assert node.message(2, 0.9) is None
    assert node.message(2, 1.0) == orders.Reports([log], 0)
