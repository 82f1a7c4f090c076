"""Waiting times of a first-time user: for the help, and for a first match."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from beanleague.model import PlayedMatch
from beanleague.referee.messages import BotSpec, Limits, MatchTask
from beanleague.referee.pool import WorkerPool
from benchmarks.bots import trivial
from benchmarks.figures import Figure

RUNS = 7


def measure() -> list[Figure]:
    """Return milliseconds until the help is printed, and until a first short match of new processes is over."""
    return [
        Figure("start-up: beanleague --help", "ms", tuple(_help() for _ in range(RUNS)), "< 300"),
        Figure("start-up: python -c pass, beside it", "ms", tuple(_run("-c", "pass") for _ in range(RUNS))),
        Figure("start-up: worker and three bots to the end of a match", "ms", tuple(_match() for _ in range(RUNS))),
    ]


def _help() -> float:
    return _run("-c", "from beanleague.cli import main; main(['--help'])")


def _run(*arguments: str) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return (perf_counter() - start) * 1000


def _match() -> float:
    with tempfile.TemporaryDirectory() as folder:
        bots = [
            BotSpec(n, f"trivial {n}", str(trivial(Path(folder), n)), ("python", "bot.py"), trusted=True)
            for n in range(3)
        ]
        start = perf_counter()
        with WorkerPool(bots, Limits(), workers=1, in_flight=1) as pool:
            pool.submit(MatchTask(1, "bohnanza", b"start", (0, 1, 2), (bytes(16),) * 3, 0))
            while not any(isinstance(report, PlayedMatch) for report in pool.poll(1.0)):
                pass
            return (perf_counter() - start) * 1000
