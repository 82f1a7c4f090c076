"""Cost of the sandbox: the start of bots, and their decisions, under every layer that works here.

All layers take turns, match by match, so that other load on the machine disturbs all of them alike.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import exp, log, sqrt
from pathlib import Path
from statistics import mean, stdev
from time import perf_counter
from unittest.mock import patch

import psutil

from beanleague.model import PlayedMatch
from beanleague.referee import pool as pools
from beanleague.referee.messages import BotSpec, Limits, MatchTask
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.launch import Sandbox
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from benchmarks.bots import trivial
from benchmarks.figures import Figure

STARTS = 3
ROUNDS = 110
MATCHES = 10
"""Played in each way in each round."""

_Costs = tuple[float, float]  # seconds and CPU seconds a decision


def measure() -> list[Figure]:
    """Return the time of first matches, time and CPU of decisions, and the cost of the system call filter."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        bots = [
            BotSpec(n, f"trivial {n}", str(trivial(Path(folder), n)), ("python", "bot.py"), trusted=True)
            for n in range(3)
        ]
        sandboxes = dict(_sandboxes())
        starts = [{name: _start(bots, sandbox) for name, sandbox in sandboxes.items()} for _ in range(STARTS)]
        open_pools = {name: opened.enter_context(_pool(bots, sandbox)) for name, sandbox in sandboxes.items()}
        for pool in open_pools.values():
            _play(pool, 1)  # starts the bots
        rounds = [{name: _costs(pool) for name, pool in open_pools.items()} for _ in range(ROUNDS)]
    runs = {name: [costs[name] for costs in rounds] for name in sandboxes}
    return [*_figures(starts, runs), *_prices(runs)]


def _figures(starts: list[dict[str, float]], runs: dict[str, list[_Costs]]) -> Iterator[Figure]:
    for name, costs in runs.items():
        yield Figure(f"sandbox: {name}, first match of three new bots", "ms", tuple(s[name] * 1e3 for s in starts))
        yield Figure(f"sandbox: {name}, a decision", "us", tuple(wall * 1e6 for wall, _ in costs))
        yield Figure(f"sandbox: {name}, CPU of a decision", "us", tuple(cpu * 1e6 for _, cpu in costs))


def _prices(runs: dict[str, list[_Costs]]) -> Iterator[Figure]:
    """Return the cost of the filter, with its 95 % interval; each round is compared with itself."""
    for layer in CONFINING:
        if layer not in runs:
            continue
        pairs = list(zip(runs[layer], runs[_without(layer)], strict=True))
        for index, what in enumerate(("time", "CPU")):
            logs = [log(on[index] / off[index]) for on, off in pairs]
            margin = 1.96 * stdev(logs) / sqrt(len(logs))
            more = tuple(100 * (exp(mean(logs) + way * margin) - 1) for way in (-1, 0, 1))
            yield Figure(f"sandbox: {layer}, {what} that the filter adds", "%", more, aim="< 3")


def _start(bots: list[BotSpec], sandbox: Sandbox) -> float:
    """Return the seconds from the start of a worker to the end of its first match."""
    start = perf_counter()
    with _pool(bots, sandbox) as pool:
        _play(pool, 1)
        return perf_counter() - start


def _sandboxes() -> Iterator[tuple[str, Sandbox]]:
    """Yield every sandbox, and each that filters system calls also without its filter, as no league can have it."""
    for layer in (Layer.PLAIN, *CONFINING):
        sandbox = examine(layer, Limits()).sandbox
        if sandbox is None:
            continue
        yield layer, sandbox
        if sandbox.filter:
            yield _without(layer), replace(sandbox, filter=b"")


def _without(layer: Layer) -> str:
    return f"{layer} without filter"


@contextmanager
def _pool(bots: list[BotSpec], sandbox: Sandbox) -> Iterator[WorkerPool]:
    with patch.object(pools, "choose", lambda *_, **__: sandbox):
        pool = WorkerPool(bots, Limits(), workers=1, in_flight=16)
    with pool:
        yield pool


def _costs(pool: WorkerPool) -> _Costs:
    """Return seconds and CPU seconds a decision, of the referee and the bots."""
    before, start = _cpu(pool), perf_counter()
    decisions = _play(pool, MATCHES)
    return (perf_counter() - start) / decisions, (_cpu(pool) - before) / decisions


def _cpu(pool: WorkerPool) -> float:
    worker = psutil.Process(pool._workers[0].popen.pid)
    times = [process.cpu_times() for process in (worker, *worker.children(recursive=True))]
    return float(sum(time.user + time.system for time in times))


def _play(pool: WorkerPool, matches: int) -> int:
    """Play `matches` matches; return the number of decisions."""
    for number in range(matches):
        pool.submit(MatchTask(number, "bohnanza", b"%d" % number, (0, 1, 2), (bytes(16),) * 3, 0))
    done = decisions = 0
    while done < matches:
        for report in pool.poll(1.0):
            if isinstance(report, PlayedMatch):
                done += 1
                decisions += sum(seat.decisions for seat in report.seats)
    return decisions
