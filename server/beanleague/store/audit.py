"""Reading all rows of a league for verification, piece by piece, whether they fit together or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Table, literal
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, func, select

from beanleague.model import Fault, SeatResult, StoredDeal, StoredFault, StoredMatch, TradeFlow
from beanleague.store.database import Database
from beanleague.store.deals import FAULT, SEAT_RESULT, deal_of
from beanleague.store.tables import (
    DealRow,
    EntrantRow,
    FaultRow,
    MatchRow,
    RatingRow,
    SeatRow,
    SnapshotRow,
    TradeRow,
    VoidRow,
    core,
)
from beanleague.store.trades import TRADE_FLOW

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1  # of a number in a database
_CHUNK_DEALS = 500

Key = tuple[int, int]


class Audit:
    """What a verification reads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def positions(self, league_id: int) -> list[tuple[int, int | None]]:
        """Return number and position of every deal, by number."""
        query = (
            select(DealRow.number, DealRow.position).where(DealRow.league_id == league_id).order_by(col(DealRow.number))
        )
        with self._database.read() as session:
            return [(number, position) for number, position in session.exec(query)]

    def deals(self, league_id: int, size: int) -> Iterator[list[StoredDeal]]:
        """Yield all deals, about `size` at a time, with all rows that name them."""
        numbers = [number for number, _ in self.positions(league_id)]
        starts = [_LOWEST, *numbers[size::size]]
        for first, after in zip(starts, [*starts[1:], None], strict=True):
            with self._database.read() as session:
                yield _deals(session, league_id, first, _HIGHEST if after is None else after - 1)

    def results(self, league_id: int, numbers: Sequence[int]) -> Iterator[tuple[int, list[list[SeatResult]]]]:
        """Yield the seats of each match of these deals, in this order."""
        seat = core(SeatRow).c
        columns = select_columns(seat.deal, seat.rotation, *SEAT_RESULT.columns())
        for start in range(0, len(numbers), _CHUNK_DEALS):
            chunk = numbers[start : start + _CHUNK_DEALS]
            query = columns.where(seat.league_id == league_id, seat.deal.in_(chunk))
            with self._database.read() as session:
                rows = session.connection().execute(query.order_by(seat.deal, seat.rotation, seat.seat)).all()
            found = {
                deal: [[SeatResult(*row[2:]) for row in match] for _, match in groupby(of_deal, lambda row: row[1])]
                for deal, of_deal in groupby(rows, lambda row: row[0])
            }
            yield from ((number, found.get(number, [])) for number in chunk)

    def cleared(self, league_id: int) -> tuple[Key, ...]:
        """Return the matches and forfeits of each entrant that count no more towards a suspension, by its number."""
        query = (
            select(EntrantRow.cleared_matches, EntrantRow.cleared_forfeits)
            .where(EntrantRow.league_id == league_id)
            .order_by(col(EntrantRow.number))
        )
        with self._database.read() as session:
            return tuple((matches, forfeits) for matches, forfeits in session.exec(query))

    def kept(self, league_id: int) -> dict[int, bool]:
        """Return for each snapshot of the ratings, by its number of deals, whether it stays for the history."""
        query = select(SnapshotRow.deals, SnapshotRow.kept).where(SnapshotRow.league_id == league_id)
        with self._database.read() as session:
            return dict(session.exec(query).all())

    def ratings(self, league_id: int) -> int:
        """Return how many ratings are stored in all snapshots."""
        query = select(func.count()).select_from(RatingRow).where(col(RatingRow.league_id) == league_id)
        with self._database.read() as session:
            return session.exec(query).one()


def _deals(session: Session, league_id: int, first: int, last: int) -> list[StoredDeal]:
    def rows(table: Table, deal: str, *columns: Any) -> Iterator[Any]:  # noqa: ANN401 - as SQLAlchemy has it
        """Yield the columns of the rows of these deals, in the order of their keys."""
        query = select_columns(*columns).where(table.c.league_id == league_id, _between(table.c[deal], first, last))
        yield from session.connection().execute(query.order_by(*table.primary_key))

    seat, fault, match = core(SeatRow), core(FaultRow), core(MatchRow)
    seats: dict[Key, list[tuple[int, SeatResult]]] = defaultdict(list)
    for deal, rotation, number, *result in rows(
        seat, "deal", seat.c.deal, seat.c.rotation, seat.c.seat, *SEAT_RESULT.columns()
    ):
        seats[deal, rotation].append((number, SeatResult(*result)))
    faults: dict[Key, list[StoredFault]] = defaultdict(list)
    for deal, rotation, number, entrant, *columns in rows(
        fault, "deal", fault.c.deal, fault.c.rotation, fault.c.number, fault.c.entrant, *FAULT.columns()
    ):
        faults[deal, rotation].append(StoredFault(number, entrant, Fault(*columns)))
    records = {
        (deal, rotation): record
        for deal, rotation, record in rows(match, "deal", match.c.deal, match.c.rotation, match.c.record)
    }
    matches: dict[int, list[StoredMatch]] = defaultdict(list)
    for key in sorted({*records, *seats, *faults}):
        matches[key[0]].append(StoredMatch(key[1], records.get(key), tuple(seats[key]), tuple(faults[key])))
    void = core(VoidRow)
    voids: dict[int, list[int]] = defaultdict(list)
    for deal, number in rows(void, "deal", void.c.deal, void.c.number):
        voids[deal].append(number)
    trade = core(TradeRow)
    flows: dict[int, list[TradeFlow]] = defaultdict(list)
    for deal, *columns in rows(trade, "deal", trade.c.deal, *TRADE_FLOW.columns()):
        flows[deal].append(TradeFlow(*columns))
    query = select(DealRow).where(DealRow.league_id == league_id, _between(col(DealRow.number), first, last))
    deals = {row.number: row for row in session.exec(query)}
    return [
        StoredDeal(
            number,
            deal_of(deals[number]) if number in deals else None,
            deals[number].results if number in deals else None,
            tuple(voids[number]),
            tuple(matches[number]),
            tuple(flows[number]),
        )
        for number in sorted({*deals, *matches, *voids, *flows})
    ]


def _between(number: Any, first: int, last: int) -> ColumnElement[bool]:  # noqa: ANN401 - a column, as both write it
    """Select numbers from `first` to `last`, which may be larger than any that the column holds."""
    condition: ColumnElement[bool] = number.between(literal(first, BigInteger), literal(last, BigInteger))
    return condition
