"""The faults of a trial match for the author of the bot: each kind of mistake once."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from beanleague.games import Record, new_game
from beanleague.model import Fault, FaultKind
from beanleague.wire import record_from_bytes


@dataclass(frozen=True, slots=True)
class TrialFault:
    """A mistake that a bot made, once or several times."""

    fault: Fault
    """The first of these faults."""
    decision: str
    """What the bot was asked then, e.g. "TRADE"; "" if the game has one decision only, or that is not known."""
    count: int
    """How often it made the mistake."""

    def sentence(self) -> str:
        """Return what went wrong, for a line."""
        asked = f" when asked {self.decision}" if self.decision else ""
        return f"in seat {self.fault.seat}{asked}, {self.fault.reason}"


def distinct_faults(faults: Sequence[Fault], record: bytes) -> tuple[TrialFault, ...]:
    """Return the faults that are not alike: of another kind, in another decision, or for another reason.

    `record`: that of the match, as in `MatchResult`. All time-outs are alike: a bot that hangs in a decision fails
    those that come after it too.
    """
    found: dict[tuple[str, ...], TrialFault] = {}
    for fault, decision in zip(faults, _decisions(faults, record), strict=True):
        key = (fault.kind,) if fault.kind == FaultKind.TIMEOUT else (fault.kind, decision, fault.reason)
        known = found.get(key)
        found[key] = replace(known, count=known.count + 1) if known else TrialFault(fault, decision, 1)
    return tuple(found.values())


def _decisions(faults: Sequence[Fault], record: bytes) -> Iterable[str]:
    """Return what was asked when each of `faults` happened."""
    if not faults:
        return ()
    return _asked(faults, record_from_bytes(zlib.decompress(record)))


def _asked(faults: Sequence[Fault], record: Record) -> Iterator[str]:
    game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    applied = 0
    for fault in faults:
        for move in record.moves[applied : fault.move]:
            game.apply(move.seat, move.action)
        applied = max(applied, fault.move)
        decision = getattr(game.view(fault.seat, news=False), "decision", None)
        yield decision.name if decision is not None else ""
