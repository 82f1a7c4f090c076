"""Old records of ladders: blocks of records without events, and pinned matches, whose records are kept whole."""

import hashlib
import zlib
from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from beanleague.model import RecordBlock
from beanleague.store import ConflictError, columns, database
from beanleague.store.tables import BLOCK, MATCH, PIN
from beanleague.store.tables.ladders import BlockRow

Key = tuple[int, int]
"""Key of a match in a ladder: deal and rotation."""

_BLOCK = columns.Mapper(RecordBlock, BlockRow)


def block_digest(before: bytes, first: int, last: int, data: bytes) -> bytes:
    """Return the digest of a block. `before`: digest of the previous block, b"" for the first."""
    return hashlib.sha256(before + f"{first} {last}".encode() + data).digest()


class Archive(database.Queries):
    """Queries and updates of record blocks. A match in a block has an empty record, unless it is pinned."""

    def blocks(self, league_id: int, *, last: int | None = None) -> tuple[RecordBlock, ...]:
        """Return the blocks of a ladder in order; only the `last` blocks if given."""
        query = sa.select(*_BLOCK.columns).where(BLOCK.c.league_id == league_id)
        return self._all(query.order_by(BLOCK.c.number.desc()).limit(last), _BLOCK.from_row)[::-1]

    def data(self, league_id: int, number: int) -> bytes:
        """Return the data of an existing block; see `wire.block_of`."""
        of = BLOCK.c.league_id == league_id, BLOCK.c.number == number
        data: bytes = self._value(sa.select(BLOCK.c.data).where(*of))
        return data

    def emptied_matches(self, league_id: int, first: int, last: int) -> frozenset[Key]:
        """Return the keys of the matches with an empty record in deals `first` to `last`."""
        of = MATCH.c.league_id == league_id, MATCH.c.deal.between(first, last), sa.func.length(MATCH.c.record) == 0
        return frozenset(self._all(sa.select(MATCH.c.deal, MATCH.c.rotation).where(*of), tuple))

    def keep(self, league_id: int, block: RecordBlock, data: bytes, keys: Collection[Key]) -> None:
        """Store a block and empty the records that it replaces, except pinned records, in one transaction.

        Raises:
            ConflictError: if the block does not follow the last one, because another process was first.
        """
        with self._database.write() as connection:
            last = connection.scalar(sa.select(sa.func.max(BLOCK.c.number)).where(BLOCK.c.league_id == league_id))
            if block.number != (last or 0) + 1:
                raise ConflictError(f"block {block.number} does not follow the last block of this ladder")
            connection.execute(sa.insert(BLOCK), {"league_id": league_id, **_BLOCK.to_row(block), "data": data})
            pinned = connection.execute(sa.select(PIN.c.deal, PIN.c.rotation).where(PIN.c.league_id == league_id))
            for key in set(keys).difference(map(tuple, pinned)):
                connection.execute(_set_record(league_id, key, b""))

    def pinned_matches(self, league_id: int) -> frozenset[Key]:
        """Return the keys of a ladder's pinned matches."""
        return frozenset(self._all(sa.select(PIN.c.deal, PIN.c.rotation).where(PIN.c.league_id == league_id), tuple))

    def pin(self, league_id: int, key: Key, record: bytes) -> None:
        """Pin an existing match. `record`: its packed record with events, if only a block has it."""
        with self._database.write() as connection:
            connection.execute(sa.delete(PIN).where(*_pin(league_id, key)))
            connection.execute(sa.insert(PIN), {"league_id": league_id, "deal": key[0], "rotation": key[1]})
            empty = sa.func.length(MATCH.c.record) == 0
            connection.execute(_set_record(league_id, key, record).where(empty))

    def unpin(self, league_id: int, key: Key) -> None:
        """Unpin a match; its record is emptied if a block contains it."""
        with self._database.write() as connection:
            connection.execute(sa.delete(PIN).where(*_pin(league_id, key)))
            if key in _records_in_blocks(connection, league_id, {key[0]}):
                connection.execute(_set_record(league_id, key, b""))


def _pin(league_id: int, key: Key) -> Sequence[sa.ColumnElement[bool]]:
    return PIN.c.league_id == league_id, PIN.c.deal == key[0], PIN.c.rotation == key[1]


def _set_record(league_id: int, key: Key, record: bytes) -> sa.Update:
    of = MATCH.c.league_id == league_id, MATCH.c.deal == key[0], MATCH.c.rotation == key[1]
    return sa.update(MATCH).where(*of).values(record=record)


def with_archived(connection: sa.Connection, league_id: int, records: Mapping[Key, bytes]) -> Mapping[Key, bytes]:
    """Return packed records, with empty records replaced by those in blocks, which have no events."""
    empty = [key for key, record in records.items() if not record]
    if not empty:
        return records
    old = _records_in_blocks(connection, league_id, {deal for deal, _ in empty})
    return {**records, **{key: old.get(key, b"") for key in empty}}


def _records_in_blocks(connection: sa.Connection, league_id: int, deals: Collection[int]) -> dict[Key, bytes]:
    """Return the archived records of some deals, packed and without events; damaged blocks are skipped."""
    from beanleague.wire import WireError, records_of  # imported late: it loads the games, which lists do not need

    found: dict[Key, bytes] = {}
    of = sa.or_(sa.false(), *(sa.between(deal, BLOCK.c.first, BLOCK.c.last) for deal in deals))
    for data in connection.scalars(sa.select(BLOCK.c.data).where(BLOCK.c.league_id == league_id, of)):
        try:
            found |= {key: zlib.compress(record, 1) for key, record in records_of(data, deals).items()}
        except WireError:
            continue  # verification of the ladder reports the damage
    return found
