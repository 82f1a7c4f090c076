"""Matches that were played: lists, records, and the results from which ratings are computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from sqlalchemy import Integer, case, cast, tuple_
from sqlalchemy import select as select_columns
from sqlmodel import col, func, select

from beanleague.model import WIN, CompactDeals, FaultCount, Match, MatchFilter, SeatResult, Totals
from beanleague.store.database import Database
from beanleague.store.deals import SEAT_RESULT
from beanleague.store.errors import MissingError
from beanleague.store.mapping import as_text, lists
from beanleague.store.tables import DealRow, FaultRow, MatchRow, SeatRow, core

_CHUNKS = {"yield_per": 10_000}  # rows read at once
_DEAL, _ROTATION = col(SeatRow.deal), col(SeatRow.rotation)


class Matches:
    """The matches of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, league_id: int, wanted: MatchFilter) -> tuple[Match, ...]:
        """Return the matches that `wanted` describes, by deal and rotation."""
        row = FaultRow if wanted.with_faults else SeatRow
        columns = (col(row.deal), col(row.rotation))
        keys = select(*columns).where(row.league_id == league_id).distinct()
        if wanted.entrants is not None:
            keys = keys.where(col(row.entrant).in_(wanted.entrants))
        if wanted.deal is not None:
            keys = keys.where(row.deal == wanted.deal)
        if wanted.after is not None:
            key, after = tuple_(*columns), tuple_(*wanted.after)
            keys = keys.where(key < after if wanted.newest_first else key > after)
        keys = keys.order_by(*(column.desc() if wanted.newest_first else column.asc() for column in columns))
        order = [column.desc() if wanted.newest_first else column.asc() for column in (_DEAL, _ROTATION)]
        with self._database.read() as session:
            found = session.exec(keys.limit(wanted.limit)).all()
            query = (
                select(SeatRow, DealRow.played, DealRow.layer)
                .join(DealRow, (col(DealRow.league_id) == SeatRow.league_id) & (col(DealRow.number) == SeatRow.deal))
                .where(SeatRow.league_id == league_id, col(SeatRow.deal).in_({deal for deal, _ in found}))
                .order_by(*order, col(SeatRow.seat))
            )
            rows = session.exec(query).all() if found else []
            wanted_keys = set(found)
            return tuple(
                _match(*key, list(seats))
                for key, seats in groupby(rows, lambda row: (row[0].deal, row[0].rotation))
                if key in wanted_keys
            )

    def get(self, league_id: int, deal: int, rotation: int) -> tuple[Match, bytes]:
        """Return a match and its record, a zlib-compressed `beanproto.v1.Record`.

        Raises:
            MissingError: if it does not exist, or was not played yet.
        """
        with self._database.read() as session:
            row = session.get(MatchRow, (league_id, deal, rotation))
            if row is None:
                state = session.get(DealRow, (league_id, deal))
                if state is None:
                    raise MissingError(f"deal {deal} does not exist in this league, or is not scheduled yet")
                if state.played is None:
                    raise MissingError(f"deal {deal} is not played yet")
                last = session.exec(
                    select(func.max(MatchRow.rotation)).where(MatchRow.league_id == league_id, MatchRow.deal == deal)
                ).one()
                raise MissingError(f"deal {deal} has no rotation {rotation}; its rotations are 0 to {last}")
            seats = session.exec(
                select(SeatRow, DealRow.played, DealRow.layer)
                .join(DealRow, (col(DealRow.league_id) == SeatRow.league_id) & (col(DealRow.number) == SeatRow.deal))
                .where(SeatRow.league_id == league_id, SeatRow.deal == deal, SeatRow.rotation == rotation)
                .order_by(col(SeatRow.seat))
            ).all()
            return _match(deal, rotation, list(seats)), row.record

    def newest_records(self, league_id: int, entrant: int, limit: int) -> tuple[tuple[int, int, bytes], ...]:
        """Return of the last matches of an entrant: its seat, its decisions, and the record as `get` does."""
        seat, match = core(SeatRow).c, core(MatchRow).c
        query = (
            select_columns(seat.seat, seat.decisions, match.record)
            .join_from(
                core(SeatRow),
                core(MatchRow),
                (match.league_id == seat.league_id) & (match.deal == seat.deal) & (match.rotation == seat.rotation),
            )
            .where(seat.league_id == league_id, seat.entrant == entrant)
            .order_by(seat.deal.desc(), seat.rotation.desc(), seat.seat.desc())
            .limit(limit)
        )
        with self._database.read() as session:
            return tuple(map(tuple, session.connection().execute(query)))

    def by_deal(self, league_id: int) -> Iterator[Sequence[Sequence[SeatResult]]]:
        """Give, deal by deal, the seats of each of its matches."""
        seat = core(SeatRow).c
        query = (
            select_columns(seat.deal, seat.rotation, *SEAT_RESULT.columns())
            .where(seat.league_id == league_id)
            .order_by(seat.deal, seat.rotation, seat.seat)
        )
        with self._database.read() as session, session.connection().execute(query, execution_options=_CHUNKS) as rows:
            for _, deal in groupby(rows, lambda row: row[0]):
                yield [[SeatResult(*row[2:]) for row in match] for _, match in groupby(deal, lambda row: row[1])]

    def totals(self, league_id: int) -> dict[int, Totals]:
        """Return the totals of each entrant that played, added up from its matches."""
        seat = core(SeatRow).c
        winners = func.count().filter(seat.place == 1).over(partition_by=(seat.deal, seat.rotation))
        seats = select_columns(*seat, winners.label("winners")).where(seat.league_id == league_id).subquery().c
        added_up = {
            "score": seats.score,
            "wins": case((seats.place == 1, WIN // seats.winners), else_=0),
            "decisions": seats.decisions,
            "faults": seats.faults,
            "faulted": seats.faults > 0,
            "forfeits": seats.forfeited,
        }
        sums = (func.sum(cast(what, Integer)) for what in added_up.values())
        deals = (
            select_columns(seat.entrant, func.count(seat.deal.distinct()))
            .where(seat.league_id == league_id)
            .group_by(seat.entrant)
        )
        with self._database.read() as session:
            connection = session.connection()
            deals_of = dict(map(tuple, connection.execute(deals)))
            rows = connection.execute(select_columns(seats.entrant, func.count(), *sums).group_by(seats.entrant))
            return {
                entrant: Totals(deals_of[entrant], matches, **dict(zip(added_up, more, strict=True)))
                for entrant, matches, *more in rows
            }

    def count(self, league_id: int) -> int:
        """Return how many matches a league has."""
        query = select(func.count()).select_from(MatchRow).where(col(MatchRow.league_id) == league_id)
        with self._database.read() as session:
            return session.exec(query).one()

    def compact(self, league_id: int) -> Iterator[CompactDeals]:
        """Yield the places in all matches, many deals at once, from one row per deal. Not for solo leagues."""
        query = (
            select(DealRow.number, as_text(DealRow.entrants), DealRow.results)
            .where(DealRow.league_id == league_id, col(DealRow.results).is_not(None))
            .order_by(col(DealRow.number))
        )
        with self._database.read() as session, session.connection().execute(query, execution_options=_CHUNKS) as rows:
            for chunk in rows.partitions():
                numbers, tables, places = zip(*chunk, strict=True)
                yield CompactDeals(numbers, lists(tables), places)

    def faults(self, league_id: int, entrant: int) -> tuple[FaultCount, ...]:
        """Return which faults an entrant had and how often, most frequent first, each with its last occurrence."""
        mine = (FaultRow.league_id == league_id, FaultRow.entrant == entrant)
        counts = (
            select(FaultRow.kind, func.count())
            .where(*mine)
            .group_by(FaultRow.kind)
            .order_by(func.count().desc(), FaultRow.kind)
        )
        with self._database.read() as session:
            found = []
            for kind, count in session.exec(counts).all():
                last = session.exec(
                    select(FaultRow)
                    .where(*mine, FaultRow.kind == kind)
                    .order_by(col(FaultRow.deal).desc(), col(FaultRow.rotation).desc(), col(FaultRow.number).desc())
                    .limit(1)
                ).one()
                found.append(FaultCount(kind, count, last.reason, last.deal, last.rotation))
            return tuple(found)


def _match(deal: int, rotation: int, rows: list[tuple[SeatRow, float | None, str]]) -> Match:
    _, played, layer = rows[0]
    assert played is not None
    return Match(deal, rotation, tuple(SEAT_RESULT.from_row(seat) for seat, *_ in rows), played, layer)
