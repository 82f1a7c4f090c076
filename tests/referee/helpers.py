"""Helpers for the tests of the referee."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from pathlib import Path

from beanleague import wire
from beanleague.games.records.record import Record
from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchResult, MatchTask
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanproto.v1 import referee_pb2 as pb

BOTS = Path(__file__).parent / "bots"
QUICK = Limits(move_ms=200, bank_ms=300, connect_ms=3_000)
STARTS_PROGRAMS = (Layer.BUBBLEWRAP,)
"""The layers under which a bot may start programs; it may without a sandbox too."""


def bot(number: int, file: str) -> BotSpec:
    """Return the bot in `bots/<file>.py`, which may run where no layer of the sandbox works."""
    return BotSpec(number, file, str(BOTS), ("python", f"{file}.py"), trusted=True)


def task(number: int, bots: Sequence[int], *, deal: int = 0, lane: int = 0) -> MatchTask:
    """Return match `number`: `bots` per seat play deal `deal` of the card game for so many."""
    luck = tuple(bytes([seat]) * 16 for seat in range(len(bots)))
    ruleset = "bohnanza" if len(bots) > 2 else "bohnanza-two"
    return MatchTask(number, ruleset, b"deal %d" % deal, tuple(bots), luck, lane)


def finish(pool: WorkerPool, matches: int) -> tuple[dict[int, MatchResult], list[BotLog]]:
    """Wait until `matches` matches are over; return results by task, and what the bots wrote."""
    results: dict[int, MatchResult] = {}
    logs: list[BotLog] = []
    while len(results) < matches:
        for report in pool.poll(1.0):
            if isinstance(report, MatchResult):
                assert report.id not in results
                results[report.id] = report
            else:
                logs.append(report)
    return results, logs


def play(
    specs: Sequence[BotSpec], tasks: Sequence[MatchTask], in_flight: int = 8, layers: Sequence[Layer] = CONFINING
) -> dict[int, MatchResult]:
    """Play `tasks` on one worker; return results by task."""
    with WorkerPool(specs, QUICK, workers=1, in_flight=in_flight, layers=layers) as pool:
        for each in tasks:
            pool.submit(each)
        return finish(pool, len(tasks))[0]


def record_of(result: MatchResult) -> Record:
    """Return the record of a match."""
    return wire.record_from_pb(pb.Record.FromString(zlib.decompress(result.record)))


def untagged(log: str) -> str:
    """Return what a bot wrote, without the decisions that the referee puts before its lines."""
    return re.sub(r"^\[\S*, move \d+\] ", "", log, flags=re.MULTILINE)
