"""Decisions through gRPC: four trivial bots in a referee's matches, and a bare stream of the same messages."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import psutil

from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchResult, MatchTask
from beanleague.referee.pool import WorkerPool
from benchmarks.bots import trivial
from benchmarks.figures import Figure

SEATS = 4
WORKERS = 2
IN_FLIGHT = 64
MATCHES = 1_600
WARM_UP = 160
RUNS = 3
BARE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Run:
    decisions: int
    seconds: float
    referee_seconds: float
    """CPU time of all workers."""
    bot_seconds: float
    """CPU time of all bots."""
    batch: float
    """Mean number of requests in a message."""


def measure() -> list[Figure]:
    """Return decisions a second with and without games behind them, their ratio, and CPU time on both sides."""
    runs, bare = [], []
    for _ in range(RUNS):
        run = _referee()
        runs.append(run)
        bare.append(_bare(max(round(run.batch), 1)))
    per_second = tuple(run.decisions / run.seconds for run in runs)
    ratios = tuple(ours / theirs for ours, theirs in zip(per_second, bare, strict=True))
    return [
        Figure("stream: decisions, 2 workers, 4 trivial bots", "a second", per_second, ">= 12,000"),
        Figure("stream: requests in a message", "", tuple(run.batch for run in runs)),
        Figure("stream: bare, same messages and batches, no game", "a second", tuple(bare)),
        Figure("stream: share of the bare stream's rate", "", ratios, ">= 0.5"),
        Figure(
            "stream: CPU of the referee", "us a decision", tuple(r.referee_seconds / r.decisions * 1e6 for r in runs)
        ),
        Figure("stream: CPU of the bots", "us a decision", tuple(r.bot_seconds / r.decisions * 1e6 for r in runs)),
    ]


def _referee() -> _Run:
    with tempfile.TemporaryDirectory() as folder:
        bots = [
            BotSpec(n, f"trivial {n}", str(trivial(Path(folder), n)), ("python", "bot.py"), trusted=True)
            for n in range(SEATS)
        ]
        with WorkerPool(bots, Limits(), workers=WORKERS, in_flight=IN_FLIGHT) as pool:
            lanes = pool.lanes(SEATS)
            for number in range(MATCHES):
                deal, replay = divmod(number, SEATS)
                seats = tuple((seat + replay) % SEATS for seat in range(SEATS))
                lane = (replay + deal * SEATS) % lanes
                pool.submit(MatchTask(number, "bohnanza", b"deal %d" % deal, seats, (bytes(16),) * SEATS, lane))
            over, decisions, logs = 0, 0, []
            start, before = 0.0, (0.0, 0.0)
            while over < MATCHES:
                for report in pool.poll(1.0):
                    if isinstance(report, MatchResult):
                        over += 1
                        decisions += sum(report.decisions) if over > WARM_UP else 0
                    else:
                        logs.append(report)
                    if over == WARM_UP and not start:
                        start, before = perf_counter(), _cpu()
            seconds, after = perf_counter() - start, _cpu()
        return _Run(decisions, seconds, after[0] - before[0], after[1] - before[1], _batch(logs))


def _cpu() -> tuple[float, float]:
    """Return the CPU seconds that workers and that bots have used so far."""
    workers = psutil.Process().children()
    bots = [bot for worker in workers for bot in worker.children(recursive=True)]
    return sum(map(_seconds, workers)), sum(map(_seconds, bots))


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _batch(logs: list[BotLog]) -> float:
    """Return the mean number of requests in a message, from what the bots counted."""
    counts = [line.split()[-2:] for log in logs for line in log.text.splitlines()]  # behind the tag
    last = [(int(messages), int(requests)) for messages, requests in counts if int(messages) >= 1_000]
    return sum(requests for _, requests in last) / sum(messages for messages, _ in last)


def _bare(batch: int) -> float:
    """Return the decisions a second of `WORKERS` bare referees, each with as many bots as a worker has."""
    command = [sys.executable, "-m", "benchmarks.bare", str(SEATS * SEATS // WORKERS), str(batch), str(BARE_SECONDS)]
    referees = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(WORKERS)]
    return sum(int(referee.communicate()[0]) for referee in referees) / BARE_SECONDS
