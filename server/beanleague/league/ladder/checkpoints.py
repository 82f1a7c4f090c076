"""Checkpoints of a ladder: what was counted of it when a day ended, so that nobody has to read the deals before.

Each has a digest over itself, its day and the digest before: who has noted one can tell whether anything up to it was
changed. What it says of the deals before is checked by `league verify`, from the first deal on.
"""

import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.encounters import Ints
from beanleague.league.ratings.fit import fit
from beanleague.league.ratings.spread import settle
from beanleague.league.schedule.plans import Meetings
from beanleague.model import LadderCheckpoint, LadderDay, League
from beanleague.store import DamagedError, Store
from beanleague.wire import WireError, unpacked

TURNS = ("sat", "drawn", "seeded", "turn", "begun")
"""What `Meetings` counts beside who met whom."""
_MAX_BYTES = 1 << 29  # unpacked: 9 million encounters have 220 MB
_LEVEL = 1  # of compression; higher ones take far longer for a few per cent
_ASCENDING = ("encounters", "shared")  # of these the steps are kept, which are small numbers
_FLOATS = ("scatter", "luck")
_PARTS = (*Counters(0).saved(0), "tables", *TURNS)
_ROUNDING = 1e-6  # of the largest of some floats, whose last digits depend on the machine

Parts: TypeAlias = Mapping[str, NDArray[Any]]
"""What a checkpoint says; see `Counters.saved` and `Meetings`."""


@dataclass(slots=True)
class Counted:
    """What ratings and plans of a ladder need to know of its deals."""

    counters: Counters
    """What ratings need."""
    meetings: Meetings
    """What plans need."""


def checkpoint(
    counted: Counted, league: League, day: LadderDay, epochs: int, before: bytes
) -> tuple[LadderCheckpoint, bytes]:
    """Sum up all deals of a ladder, at the end of a day; return the checkpoint and its data.

    `epochs`: how many there were. `before`: the digest of the checkpoint before, b"" if there is none.
    """
    parts = summed_up(counted, league)
    data = _packed(parts)
    made = LadderCheckpoint(
        day=day.number,
        entrants=counted.counters.bots,
        deals=counted.meetings.tables,
        position=counted.counters.deals,
        epochs=epochs,
        digest=b"",
    )
    return replace(made, digest=digest_of(made, data, day, before)), data


def digest_of(made: LadderCheckpoint, data: bytes, day: LadderDay, before: bytes) -> bytes:
    """Return the digest that a checkpoint must have. `before`: that of the checkpoint before."""
    numbers = np.array([made.day, made.entrants, made.deals, made.position, made.epochs], "<i8")
    return sha256(before + day.digest + numbers.tobytes() + data).digest()


def summed_up(counted: Counted, league: League) -> Parts:
    """Sum up all deals counted; return what a checkpoint says of them."""
    counters, meetings = counted.counters, counted.meetings
    settle(counters, fit(counters))
    parts = counters.saved(league.seats) | {"tables": np.array([meetings.tables])}
    for name in TURNS:
        of: Counter[int] = getattr(meetings, name)
        parts[name] = np.array([of[number] for number in range(counters.bots)], np.int64)
    return parts


def begun(store: Store, league: League) -> Counted:
    """Return what the newest checkpoint of a ladder says; nothing if there is none.

    Raises:
        DamagedError: if it was changed.
    """
    made = store.ladders.checkpoints(league.id, last=2)
    if not made:
        return Counted(Counters(0), Meetings())
    newest = made[-1]
    data = store.ladders.checkpoint_data(league.id, newest.day)
    day = next(day for day in store.ladders.days(league.id) if day.number == newest.day)
    if digest_of(newest, data, day, made[-2].digest if len(made) > 1 else b"") != newest.digest:
        why = f"the checkpoint of day {day.number} is not the one that was made"
        raise DamagedError(f"{league.name} cannot go on: {why}; restore the database from a copy")
    return counted_from(parts_of(data), store.leagues.get(league.name))  # others may have entered since


def counted_from(parts: Parts, league: League) -> Counted:
    """Return what the parts of a checkpoint say.

    Raises:
        DamagedError: if they do not fit together.
    """
    try:
        counters, tables = Counters.loaded(parts, league.seats), int(parts["tables"][0])
    except (ValueError, IndexError) as error:
        raise DamagedError(f"a checkpoint of {league.name} is damaged: {error}") from None
    if counters.bots > league.entrants:
        raise DamagedError(f"a checkpoint of {league.name} has {counters.bots} entries, the ladder {league.entrants}")
    met, matches = counters.pairs().by_bot(), league.matches_a_deal
    meetings = Meetings(lambda entry: {other: times // matches for other, times in met(entry).items()})
    meetings.tables = tables
    for name in TURNS:
        getattr(meetings, name).update({entry: times for entry, times in enumerate(parts[name].tolist()) if times})
    return Counted(counters, meetings)


def differences(one: Parts, other: Parts) -> list[str]:
    """Return in which parts two checkpoints say different things."""
    return [name for name in one if not _alike(name, one[name], other[name])]


def _alike(name: str, one: NDArray[Any], other: NDArray[Any]) -> bool:
    if name not in _FLOATS or len(one) != len(other):
        return np.array_equal(one, other)
    return np.allclose(one, other, rtol=0, atol=_ROUNDING * float(np.abs(one).max(initial=1.0)))


def _packed(parts: Parts) -> bytes:
    """Return the parts as they are kept: all lengths, then all numbers, first the first bytes of all of them."""
    words = [np.array([len(parts[name]) for name in _PARTS])]
    for name in _PARTS:
        part = np.diff(parts[name], prepend=0) if name in _ASCENDING else parts[name]
        words.append(part.astype("<f8").view("<i8") if name in _FLOATS else part.astype("<i8"))
    columns = np.concatenate(words).view(np.uint8).reshape(-1, 8).T
    return zlib.compress(columns.tobytes(), _LEVEL)


def parts_of(data: bytes) -> Parts:
    """Return what a checkpoint says.

    Raises:
        DamagedError: if it is damaged.
    """
    try:
        columns = np.frombuffer(unpacked(data, _MAX_BYTES), np.uint8).reshape(8, -1)
        words: Ints = np.ascontiguousarray(columns.T).view("<i8").ravel()
        lengths, words = np.split(words, [len(_PARTS)])
        parts = dict(zip(_PARTS, np.split(words, np.cumsum(lengths)[:-1]), strict=True))
    except (WireError, ValueError) as error:
        raise DamagedError(f"a checkpoint of a ladder cannot be read: {error}") from None
    parts |= {name: parts[name].cumsum() for name in _ASCENDING}
    return parts | {name: parts[name].view("<f8") for name in _FLOATS}
