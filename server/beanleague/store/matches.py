"""Matches as they were played: lists, records, and what ratings are made from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from sqlalchemy import tuple_
from sqlmodel import col, func, select

from beanleague.store.database import Database
from beanleague.store.errors import MissingError
from beanleague.store.tables import DealRow, FaultRow, MatchRow, SeatRow
from beanleague.store.values import FaultCount, Match, MatchFilter, SeatResult

_CHUNK = 10_000  # rows read at once


class Matches:
    """The matches of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, league_id: int, wanted: MatchFilter) -> tuple[Match, ...]:
        """Return the matches that `wanted` describes, by deal and rotation."""
        key = tuple_(col(SeatRow.deal), col(SeatRow.rotation))
        keys = select(SeatRow.deal, SeatRow.rotation).where(SeatRow.league_id == league_id).distinct()
        if wanted.entrants is not None:
            keys = keys.where(col(SeatRow.entrant).in_(wanted.entrants))
        if wanted.with_faults:
            keys = keys.where(SeatRow.faults > 0)
        if wanted.deal is not None:
            keys = keys.where(SeatRow.deal == wanted.deal)
        if wanted.after is not None:
            after = tuple_(*wanted.after)
            keys = keys.where(key < after if wanted.newest_first else key > after)
        columns = (col(SeatRow.deal), col(SeatRow.rotation))
        order = [column.desc() if wanted.newest_first else column.asc() for column in columns]
        with self._database.read() as session:
            found = session.exec(keys.order_by(*order).limit(wanted.limit)).all()
            query = (
                select(SeatRow, DealRow.played)
                .join(DealRow, (col(DealRow.league_id) == SeatRow.league_id) & (col(DealRow.number) == SeatRow.deal))
                .where(SeatRow.league_id == league_id, key.in_(found))
                .order_by(*order, col(SeatRow.seat))
            )
            rows = session.exec(query).all() if found else []
            return tuple(
                _match(deal, rotation, list(seats))
                for (deal, rotation), seats in groupby(rows, lambda row: (row[0].deal, row[0].rotation))
            )

    def get(self, league_id: int, deal: int, rotation: int) -> tuple[Match, bytes]:
        """Return a match and its record, a zlib-compressed `beanproto.v1.Record`.

        Raises:
            MissingError: it is not there, or not yet.
        """
        with self._database.read() as session:
            row = session.get(MatchRow, (league_id, deal, rotation))
            if row is None:
                state = session.get(DealRow, (league_id, deal))
                if state is None:
                    raise MissingError(f"there is no deal {deal} in this league, or not yet")
                if state.played is None:
                    raise MissingError(f"deal {deal} is not played yet")
                raise MissingError(
                    f"deal {deal} has no rotation {rotation}; its rotations are 0 to {len(state.entrants) - 1}"
                )
            seats = session.exec(
                select(SeatRow, DealRow.played)
                .join(DealRow, (col(DealRow.league_id) == SeatRow.league_id) & (col(DealRow.number) == SeatRow.deal))
                .where(SeatRow.league_id == league_id, SeatRow.deal == deal, SeatRow.rotation == rotation)
                .order_by(col(SeatRow.seat))
            ).all()
            return _match(deal, rotation, list(seats)), row.record

    def results(self, league_id: int) -> Iterator[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]]:
        """Give, deal by deal, the entrants and the places by seat of each of its matches."""
        query = (
            select(SeatRow.deal, SeatRow.rotation, SeatRow.entrant, SeatRow.place)
            .where(SeatRow.league_id == league_id)
            .order_by(col(SeatRow.deal), col(SeatRow.rotation), col(SeatRow.seat))
            .execution_options(yield_per=_CHUNK)
        )
        with self._database.read() as session:
            for _, rows in groupby(session.exec(query), lambda row: row[0]):
                matches = [list(seats) for _, seats in groupby(rows, lambda row: row[1])]
                yield tuple((tuple(row[2] for row in seats), tuple(row[3] for row in seats)) for seats in matches)

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


def _match(deal: int, rotation: int, rows: list[tuple[SeatRow, float | None]]) -> Match:
    played = rows[0][1]
    assert played is not None
    seats = tuple(
        SeatResult(seat.entrant, seat.score, seat.place, seat.decisions, seat.faults, seat.forfeited)
        for seat, _ in rows
    )
    return Match(deal, rotation, seats, played)
