"""Reading all rows of a league for verification, piece by piece, whether they fit together or not."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, func, literal, select

from beanleague.model import SeatResult
from beanleague.store.columns import DEAL, ENTRANT, FAULT, MATCH, RATING, SEAT, SNAPSHOT, TRADE, VOID
from beanleague.store.database import Database
from beanleague.store.matches import SEAT_RESULT

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1  # of a number in a database
_CHUNK_DEALS = 500

TableRow = dict[str, Any]
"""A row by the names of its columns."""
Rows = dict[str, list[TableRow]]
"""Rows by table."""

_OF_A_DEAL = (
    (DEAL, "number"),
    (VOID, "deal number"),
    (MATCH, "deal rotation"),
    (SEAT, "deal rotation seat"),
    (FAULT, "deal rotation number"),
    (TRADE, "deal giver receiver"),
)
"""The tables whose rows name a deal, each with the columns that name a row in a league."""


class Audit:
    """What a verification reads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def positions(self, league_id: int) -> list[tuple[int, int | None]]:
        """Return number and position of every deal, by number."""
        deal = DEAL.c
        query = select(deal.number, deal.position).where(deal.league_id == league_id).order_by(deal.number)
        with self._database.read() as connection:
            return [(number, position) for number, position in connection.execute(query)]

    def deals(self, league_id: int, size: int) -> Iterator[list[tuple[int, Rows]]]:
        """Yield all deals by number, about `size` at a time, with all rows that name them."""
        numbers = [number for number, _ in self.positions(league_id)]
        starts = [_LOWEST, *numbers[size::size]]
        for first, after in zip(starts, [*starts[1:], None], strict=True):
            with self._database.read() as connection:
                yield _deals(connection, league_id, first, _HIGHEST if after is None else after - 1)

    def results(self, league_id: int, numbers: Sequence[int]) -> Iterator[tuple[int, list[list[SeatResult]]]]:
        """Yield the seats of each match of these deals, in this order."""
        seat = SEAT.c
        columns = select(seat.deal, seat.rotation, *SEAT_RESULT.columns())
        for start in range(0, len(numbers), _CHUNK_DEALS):
            chunk = numbers[start : start + _CHUNK_DEALS]
            query = columns.where(seat.league_id == league_id, seat.deal.in_(chunk))
            with self._database.read() as connection:
                rows = connection.execute(query.order_by(seat.deal, seat.rotation, seat.seat)).all()
            result = SEAT_RESULT.from_values
            found = {
                deal: [[result(row[2:]) for row in match] for _, match in groupby(of_deal, lambda row: row[1])]
                for deal, of_deal in groupby(rows, lambda row: row[0])
            }
            yield from ((number, found.get(number, [])) for number in chunk)

    def cleared(self, league_id: int) -> tuple[tuple[int, int], ...]:
        """Return the matches and forfeits of each entrant that count no more towards a suspension, by its number."""
        query = (
            select(ENTRANT.c.cleared_matches, ENTRANT.c.cleared_forfeits)
            .where(ENTRANT.c.league_id == league_id)
            .order_by(ENTRANT.c.number)
        )
        with self._database.read() as connection:
            return tuple((matches, forfeits) for matches, forfeits in connection.execute(query))

    def kept(self, league_id: int) -> dict[int, bool]:
        """Return for each snapshot of the ratings, by its number of deals, whether it stays for the history."""
        query = select(SNAPSHOT.c.deals, SNAPSHOT.c.kept).where(SNAPSHOT.c.league_id == league_id)
        with self._database.read() as connection:
            return {row.deals: row.kept for row in connection.execute(query)}

    def ratings(self, league_id: int) -> int:
        """Return how many ratings are stored in all snapshots."""
        query = select(func.count()).select_from(RATING).where(RATING.c.league_id == league_id)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one()


def _deals(connection: Connection, league_id: int, first: int, last: int) -> list[tuple[int, Rows]]:
    found: dict[int, Rows] = defaultdict(lambda: {table.name: [] for table, _ in _OF_A_DEAL})
    for table, key in _OF_A_DEAL:
        keys = [table.c[name] for name in key.split()]
        query = select(table).where(table.c.league_id == league_id, _between(keys[0], first, last)).order_by(*keys)
        for row in connection.execute(query).mappings():
            found[row[keys[0].name]][table.name].append(dict(row))
    return sorted(found.items(), key=lambda deal: deal[0])


def _between(number: Any, first: int, last: int) -> ColumnElement[bool]:  # noqa: ANN401 - a column, as both write it
    """Select numbers from `first` to `last`, which may be larger than any that the column holds."""
    condition: ColumnElement[bool] = number.between(literal(first, BigInteger), literal(last, BigInteger))
    return condition
