"""Helpers for the tests of the referee."""

import re
import zlib
from collections.abc import Sequence
from pathlib import Path

from beanleague import wire
from beanleague.games.records.record import Record
from beanleague.model import PlayedMatch
from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchTask, VoidMatch
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


def finish(
    pool: WorkerPool, matches: int, voids: list[VoidMatch] | None = None
) -> tuple[dict[int, PlayedMatch], list[BotLog]]:
    """Wait until `matches` matches are over; return results by task, and what the bots wrote.

    `voids`: gets those that do not count; None if there should be none.
    """
    results: dict[int, PlayedMatch] = {}
    logs: list[BotLog] = []
    while len(results) + len(voids or ()) < matches:
        for report in pool.poll(1.0):
            if isinstance(report, PlayedMatch):
                assert report.id not in results
                results[report.id] = report
            elif isinstance(report, VoidMatch):
                assert voids is not None, report
                voids.append(report)
            elif isinstance(report, BotLog):
                logs.append(report)
    return results, logs


def play(
    specs: Sequence[BotSpec],
    tasks: Sequence[MatchTask],
    in_flight: int = 8,
    layers: Sequence[Layer] = CONFINING,
    voids: list[VoidMatch] | None = None,
) -> dict[int, PlayedMatch]:
    """Play `tasks` on one worker; return results by task. `voids`: as of `finish`."""
    with WorkerPool(specs, QUICK, workers=1, in_flight=in_flight, layers=layers) as pool:
        for each in tasks:
            pool.submit(each)
        return finish(pool, len(tasks), voids)[0]


def record_of(result: PlayedMatch) -> Record:
    """Return the record of a match."""
    return wire.record_from_pb(pb.Record.FromString(zlib.decompress(result.record)))


def untagged(log: str) -> str:
    """Return what a bot wrote, without the decisions that the referee puts before its lines."""
    return re.sub(r"^\[\S*, move \d+\] ", "", log, flags=re.MULTILINE)
