"""Checkpoints of a ladder at the end of each day, so that a run need not read all earlier deals.

Each has a digest over itself, its day and the previous digest, so that any later change to earlier data is revealed by
a digest noted before. `league verify` checks the contents from the first deal on.
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from beanleague.league.ladder.deals import FLOATS, LadderDeals, Parts
from beanleague.league.ratings.encounters import Ints
from beanleague.league.schedule.plans import Meetings
from beanleague.league.schedule.tables import seatings
from beanleague.model import ChangeKind, Entrant, LadderCheckpoint, LadderDay, League
from beanleague.store import DamagedError, Store
from beanleague.wire import WireError, unpacked

TURNS = ("sat", "seeded", "turn", "begun")
"""Numbers of turns in the data of `Meetings`."""
_MAX_BYTES = 1 << 29  # maximum unpacked size; 250,000 deals of a thousand entries take 30 MB
_LEVEL = 1  # compression level; higher levels take far longer for a few per cent
_ASCENDING = ("deal", "epoch", "seed")  # ascending columns, stored as differences, which are small numbers
_PARTS = (*LadderDeals([[0]]).to_columns(0), "tables", *TURNS)


@dataclass(slots=True)
class LadderCounts:
    """Counts of a ladder's deals for its ratings and its plans."""

    deals: LadderDeals
    """Deals counted in ratings."""
    meetings: Meetings
    """Earlier seatings, used by the planning of tables."""


def nothing(league: League) -> LadderCounts:
    """Return the empty counts of a ladder without deals."""
    return LadderCounts(LadderDeals(seatings(league, range(league.seats))), Meetings())


def checkpoint(counted: LadderCounts, day: LadderDay, epochs: int, before: bytes) -> tuple[LadderCheckpoint, bytes]:
    """Return the checkpoint of a finished day and its data; call `trim` first.

    `epochs`: number of epochs so far. `before`: digest of the previous checkpoint, b"" if there is none.
    """
    parts = parts_from(counted, counted.deals.bots)
    data = _encode_columns(parts)
    made = LadderCheckpoint(
        day=day.number,
        entrants=counted.deals.bots,
        deals=counted.meetings.tables,
        position=counted.deals.count,
        epochs=epochs,
        digest=b"",
    )
    return replace(made, digest=digest_of(made, data, day, before)), data


def digest_of(made: LadderCheckpoint, data: bytes, day: LadderDay, before: bytes) -> bytes:
    """Return the digest of a checkpoint. `before`: digest of the previous checkpoint."""
    numbers = np.array([made.day, made.entrants, made.deals, made.position, made.epochs], "<i8")
    return sha256(before + day.digest + numbers.tobytes() + data).digest()


def trim(deals: LadderDeals, entrants: Sequence[Entrant], tables: int) -> None:
    """Drop deals that no longer count, at the end of a day. `tables`: number of tables planned so far.

    A replaced entry never plays again; its deals are dropped once tables have been planned without it.
    """
    replaced = (each for each in entrants if each.last.kind == ChangeKind.REPLACED)
    deals.trim([each.number for each in replaced if each.last.scheduled < tables])


def parts_from(counted: LadderCounts, bots: int) -> Parts:
    """Return the columns of a checkpoint. `bots`: number of entries."""
    meetings = counted.meetings
    parts = counted.deals.to_columns(bots) | {"tables": np.array([meetings.tables])}
    for name in TURNS:
        of: Counter[int] = getattr(meetings, name)
        parts[name] = np.array([of[number] for number in range(bots)], np.int64)
    return parts


def newest_counts(store: Store, league: League) -> LadderCounts:
    """Return the counts of a ladder's newest checkpoint; empty counts if there is none.

    Raises:
        DamagedError: if the checkpoint was changed.
    """
    made = store.ladders.checkpoints(league.id, last=2)
    if not made:
        return nothing(league)
    newest = made[-1]
    data = store.ladders.checkpoint_data(league.id, newest.day)
    day = next(day for day in store.ladders.days(league.id) if day.number == newest.day)
    if digest_of(newest, data, day, made[-2].digest if len(made) > 1 else b"") != newest.digest:
        why = f"the checkpoint of day {day.number} is not the one that was stored"
        raise DamagedError(f"{league.name} cannot continue: {why}; restore the database from a backup")
    return counted_from(parts_of(data), store.leagues.get(league.name))  # later entries are not in the checkpoint


def counted_from(parts: Parts, league: League) -> LadderCounts:
    """Return the counts in the columns of a checkpoint.

    Raises:
        DamagedError: if the columns contradict each other.
    """
    try:
        deals = LadderDeals.from_columns(parts, seatings(league, range(league.seats)))
        tables = int(parts["tables"][0])
    except (ValueError, IndexError) as error:
        raise DamagedError(f"a checkpoint of {league.name} is damaged: {error}") from None
    if deals.bots > league.entrants:
        raise DamagedError(
            f"a checkpoint of {league.name} has {deals.bots} entries, but the ladder has {league.entrants}"
        )
    meetings = Meetings()
    meetings.tables = tables
    for name in TURNS:
        getattr(meetings, name).update({entry: times for entry, times in enumerate(parts[name].tolist()) if times})
    return LadderCounts(deals, meetings)


def differences(one: Parts, other: Parts) -> list[str]:
    """Return the names of the columns in which two checkpoints differ."""
    return [name for name in one if not np.array_equal(one[name], other[name])]


def _encode_columns(parts: Parts) -> bytes:
    """Return the encoded columns: all lengths, then all numbers, bytewise transposed."""
    words = [np.array([len(parts[name]) for name in _PARTS])]
    for name in _PARTS:
        part = np.diff(parts[name], prepend=0) if name in _ASCENDING else parts[name]
        words.append(part.astype("<f8").view("<i8") if name in FLOATS else part.astype("<i8"))
    columns = np.concatenate(words).view(np.uint8).reshape(-1, 8).T
    return zlib.compress(columns.tobytes(), _LEVEL)


def parts_of(data: bytes) -> Parts:
    """Return the columns of an encoded checkpoint.

    Raises:
        DamagedError: if the data are damaged.
    """
    try:
        columns = np.frombuffer(unpacked(data, _MAX_BYTES), np.uint8).reshape(8, -1)
        words: Ints = np.ascontiguousarray(columns.T).view("<i8").ravel()
        lengths, words = np.split(words, [len(_PARTS)])
        parts = dict(zip(_PARTS, np.split(words, np.cumsum(lengths)[:-1]), strict=True))
    except (WireError, ValueError) as error:
        raise DamagedError(f"a checkpoint of a ladder cannot be read: {error}") from None
    parts |= {name: parts[name].cumsum() for name in _ASCENDING}
    return parts | {name: parts[name].view("<f8") for name in FLOATS}
