"""What the sandbox costs: the start of a bot, and its decisions, under every layer that works here."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from beanleague.referee.messages import BotSpec, Limits, MatchResult, MatchTask
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from benchmarks.bots import trivial
from benchmarks.figures import Figure

RUNS = 5
MATCHES = 60


def measure() -> list[Figure]:
    """Return milliseconds until new bots have played a match, and microseconds a decision, layer by layer."""
    figures = []
    for layer in (Layer.PLAIN, *CONFINING):
        if examine(layer, Limits()).sandbox is None:
            continue
        runs = [_run(layer) for _ in range(RUNS)]
        figures.append(Figure(f"sandbox: {layer}, first match of three new bots", "ms", tuple(r[0] for r in runs)))
        figures.append(Figure(f"sandbox: {layer}, a decision", "us", tuple(r[1] for r in runs)))
    return figures


def _run(layer: Layer) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        bots = [
            BotSpec(n, f"trivial {n}", str(trivial(Path(folder), n)), ("python", "bot.py"), trusted=True)
            for n in range(3)
        ]
        layers = [] if layer is Layer.PLAIN else [layer]
        with WorkerPool(bots, Limits(), workers=1, in_flight=16, layers=layers) as pool:
            start = perf_counter()
            _play(pool, 1)
            first = perf_counter() - start
            start = perf_counter()
            decisions = _play(pool, MATCHES)
            return first * 1e3, (perf_counter() - start) / decisions * 1e6


def _play(pool: WorkerPool, matches: int) -> int:
    """Play `matches` matches; return the number of decisions."""
    for number in range(matches):
        pool.submit(MatchTask(number, "bohnanza", b"%d" % number, (0, 1, 2), (bytes(16),) * 3, 0))
    done = decisions = 0
    while done < matches:
        for report in pool.poll(1.0):
            if isinstance(report, MatchResult):
                done += 1
                decisions += sum(report.decisions)
    return decisions
