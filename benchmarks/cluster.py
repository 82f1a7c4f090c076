"""Number of nodes that a runner and Dask's scheduler keep busy: deals that sleep, on node objects, many per process."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from heapq import heappop, heappush
from pathlib import Path
from typing import Unpack

import psutil
from distributed import Scheduler

from beanleague.league.run.cluster.connecting import configure
from beanleague.league.run.cluster.node import serve_node
from beanleague.league.run.cluster.pool import ClusterPool, ClusterPools
from beanleague.league.run.cluster.settings import ClusterSettings
from beanleague.model import PlayedDeal, PlayedMatch, SeatResult
from beanleague.referee.deal_pool import DealPool
from beanleague.referee.messages import (
    BotLog,
    BotSpec,
    DealTask,
    Limits,
    MatchReport,
    MatchTask,
    PoolSettings,
)
from beanleague.referee.pool import WorkerPool
from benchmarks.figures import Figure

NODES = ((10, 100), (100, 10), (1_000, 1))
"""Numbers of nodes, and of the workers of each."""
DEAL_S = 2.0
SECONDS = 20.0
_PROCESSES = 8  # for all nodes together
_MATCHES = 4  # of a deal
_RECORD_BYTES = 6_000
_START_TIMEOUT_S = 300.0


def measure() -> list[Figure]:
    """Return, for each number of nodes, how busy they are, and the CPU that runner and scheduler take."""
    return [figure for nodes, workers in NODES for figure in _measure(nodes, workers)]


def _measure(nodes: int, workers: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        scheduler = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.cluster", "scheduler"], stdout=subprocess.PIPE, text=True
        )
        assert scheduler.stdout is not None
        address = scheduler.stdout.readline().strip()
        processes = min(_PROCESSES, nodes)
        others = [
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "benchmarks.cluster",
                    "nodes",
                    address,
                    str((nodes + number) // processes),
                    str(workers),
                    folder,
                ],
                text=True,
            )
            for number in range(processes)
        ]
        try:
            rate, runner, central, far = _play(address, nodes * workers, [scheduler], others)
        finally:
            for process in (*others, scheduler):
                process.kill()
                process.wait()
    name = f"cluster: {nodes} nodes of {workers} with deals of {DEAL_S:g} s"
    return [
        Figure(f"{name}, workers busy", "%", (100 * rate * DEAL_S / nodes / workers,), "> 95"),
        Figure(f"{name}, deals", "deals/s", (rate,)),
        Figure(f"{name}, runner without store", "% of a core", (100 * runner,)),
        Figure(f"{name}, scheduler", "% of a core", (100 * central,)),
        Figure(f"{name}, processes of the nodes", "% of a core", (100 * far,)),
    ]


def _play(address: str, workers: int, *groups: Sequence[subprocess.Popen[str]]) -> tuple[float, ...]:
    """Return the deals a second once all workers play, and the CPU of this process and of each group in a second.

    To this process belongs the one that talks to Dask for it.
    """
    others = psutil.Process().children()
    pool = ClusterPools(ClusterSettings(address))([], Limits(), workers=1, in_flight=1)
    deadline = time.monotonic() + _START_TIMEOUT_S
    number = 0
    while sum(pool.nodes.values()) < workers:
        pool.poll(0.1)
        if time.monotonic() > deadline:
            raise TimeoutError(f"{sum(pool.nodes.values())} of {workers} workers came in {_START_TIMEOUT_S:.0f} s")
    own = [each.pid for each in psutil.Process().children() if each not in others]
    warm = time.monotonic() + 4 * DEAL_S + workers / 50
    while time.monotonic() < warm:
        number, _ = _step(pool, number)
    start, before, done = time.monotonic(), _cpu(own, groups), 0
    while time.monotonic() < start + SECONDS:
        number, results = _step(pool, number)
        done += results
    seconds = time.monotonic() - start
    used = [(now - then) / seconds for now, then in zip(_cpu(own, groups), before, strict=True)]
    pool.close()
    return done / seconds, *used


def _step(pool: ClusterPool, number: int) -> tuple[int, int]:
    """Keep the pool full, as a run does; return the number of the last deal begun, and how many ended."""
    while pool.unfinished < 2 * pool.capacity:
        number += 1
        seed = os.urandom(32)
        luck = tuple(os.urandom(16) for _ in range(_MATCHES))
        matches = (MatchTask(rotation, "bohnanza", seed, tuple(range(_MATCHES)), luck) for rotation in range(_MATCHES))
        pool.submit(DealTask(number, tuple(matches), _MATCHES))
    return number, sum(isinstance(report, PlayedDeal) for report in pool.poll(0.1))


def _cpu(own: Sequence[int], groups: Sequence[Sequence[subprocess.Popen[str]]]) -> list[float]:
    """Return the seconds of CPU of this process with `own`, and of each group."""
    pids = [[os.getpid(), *own], *([process.pid for process in group] for group in groups)]
    return [sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in group) for group in pids]


class _Sleeping(WorkerPool):
    """Workers with matches of a fixed time, one at a time per worker."""

    def __init__(self, workers: int) -> None:
        self.capacity = workers
        self._free = [0.0] * workers  # when each worker is
        self._playing: list[tuple[float, int, MatchTask]] = []  # by when they end

    def lanes(self, seats: int) -> int:
        return -(-seats // self.capacity) * self.capacity

    def submit(self, task: MatchTask) -> None:
        worker = task.lane % self.capacity
        ends = self._free[worker] = max(self._free[worker], time.monotonic()) + DEAL_S / _MATCHES
        heappush(self._playing, (ends, task.id, task))

    def poll(self, timeout: float) -> list[MatchReport]:
        now = time.monotonic()
        time.sleep(max(min(self._playing[0][0] - now, timeout), 0) if self._playing else timeout)
        now, over = time.monotonic(), list[MatchReport]()
        while self._playing and self._playing[0][0] <= now:
            over.append(_result(heappop(self._playing)[2]))
        return over

    def close(self) -> list[BotLog]:
        return []


def _start(bots: Sequence[BotSpec], limits: Limits, **settings: Unpack[PoolSettings]) -> DealPool:
    """Start a pool of deals that sleep."""
    del bots, limits
    return DealPool(_Sleeping(settings["workers"]))


def _result(match: MatchTask) -> PlayedMatch:
    record = zlib.compress(os.urandom(_RECORD_BYTES), 0)
    seats = (SeatResult(bot, seat, seat, seat, 0, forfeited=False) for seat, bot in enumerate(match.bots, 1))
    return PlayedMatch(match.id, record, tuple(seats))


async def _scheduler() -> None:
    configure()
    async with Scheduler(host="127.0.0.1", port=0, dashboard_address="127.0.0.1:0") as scheduler:
        sys.stdout.write(f"{scheduler.address}\n")
        sys.stdout.flush()
        await scheduler.finished()


async def _nodes(address: str, nodes: str, workers: str, folder: str) -> None:
    await asyncio.gather(
        *(
            serve_node(
                ClusterSettings(address),
                workers=int(workers),
                cache=Path(folder),
                name=f"{os.getpid()}-{number}",
                start_pool=_start,
            )
            for number in range(int(nodes))
        )
    )


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    asyncio.run(_scheduler() if what == "scheduler" else _nodes(*words))
