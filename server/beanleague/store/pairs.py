"""Pair counters: who beat whom, from which seats. Kept up to date with every deal, in its transaction.

For two entrants of a league there is one row, with the half-wins (2 for the better place, 1 for the same) of each over
the other by seats. All are whole numbers, so the order in which deals come makes no difference.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam
from sqlmodel import Session, col, select, update

from beanleague.model import PlayedDeal
from beanleague.store.database import Database
from beanleague.store.tables import PairRow, core

_PAIR = core(PairRow)
_INSERT = _PAIR.insert()
_UPDATE = (
    update(_PAIR)
    .where(
        _PAIR.c.league_id == bindparam("league"),
        _PAIR.c.first == bindparam("one"),
        _PAIR.c.second == bindparam("other"),
    )
    .values(half_wins=bindparam("now"))
)
_FEW = 200  # entrants of a commit up to which their pairs are looked up by number

PairKey = tuple[int, int]
"""The numbers of two entrants, the lower one first."""


@dataclass(frozen=True, slots=True)
class PairCount:
    """Half-wins of two entrants, both (seats * seats,).

    `of_first[s * seats + r]`: those of `first` in seat s over `second` in seat r; `of_second[s * seats + r]`: those of
    `second` in seat s over `first` in seat r.
    """

    first: int
    second: int
    of_first: tuple[int, ...]
    of_second: tuple[int, ...]


class Pairs:
    """The pair counters of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, league_id: int) -> tuple[PairCount, ...]:
        """Return the counters of every two entrants that met, by their numbers."""
        query = (
            select(PairRow.first, PairRow.second, PairRow.half_wins)
            .where(PairRow.league_id == league_id)
            .order_by(col(PairRow.first), col(PairRow.second))
        )
        with self._database.read() as session:
            rows = session.connection().execute(query).all()
        return tuple(_count(first, second, _unpacked(data)) for first, second, data in rows)


def counted(deals: Iterable[PlayedDeal]) -> tuple[PairCount, ...]:
    """Count deals that are not in a database, as `Pairs.list` would tell them."""
    return tuple(_count(*key, counts) for key, counts in sorted(_gains(deals).items()))


def add_pairs(session: Session, league_id: int, deals: Sequence[PlayedDeal]) -> None:
    """Add deals to the counters, in the transaction of `session`; nobody else can write meanwhile."""
    gains = _gains(deals)
    if not gains:
        return
    involved = {entrant for key in gains for entrant in key}
    query = select(PairRow.first, PairRow.second, PairRow.half_wins).where(PairRow.league_id == league_id)
    if len(involved) <= _FEW:
        query = query.where(col(PairRow.first).in_(involved), col(PairRow.second).in_(involved))
    connection = session.connection()
    before = {(one, other): data for one, other, data in connection.execute(query)}
    new, changed = [], []
    for key, gain in gains.items():
        one, other = key
        if key in before:
            total = [count + more for count, more in zip(_unpacked(before[key]), gain, strict=True)]
            changed.append({"league": league_id, "one": one, "other": other, "now": _packed(total)})
        else:
            row = {"league_id": league_id, "first": one, "second": other}
            new.append({**row, "half_wins": _packed(gain)})
    if new:
        connection.execute(_INSERT, new)
    if changed:
        connection.execute(_UPDATE, changed)


def _gains(deals: Iterable[PlayedDeal]) -> dict[PairKey, list[int]]:
    gains: dict[PairKey, list[int]] = {}
    for deal in deals:
        for match in deal.matches:
            seats = len(match.seats)
            for s, one in enumerate(match.seats):
                for r, other in enumerate(match.seats):
                    if one.entrant >= other.entrant:
                        continue
                    key = (one.entrant, other.entrant)
                    gain = gains.setdefault(key, [0] * (2 * seats * seats))
                    won = (one.place < other.place) - (one.place > other.place)
                    gain[s * seats + r] += 1 + won
                    gain[seats * seats + r * seats + s] += 1 - won
    return gains


def _count(first: int, second: int, counts: Sequence[int]) -> PairCount:
    half = len(counts) // 2
    return PairCount(first, second, tuple(counts[:half]), tuple(counts[half:]))


def _packed(counts: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(counts)}I", *counts)


def _unpacked(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data)
