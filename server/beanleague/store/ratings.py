"""Snapshots of the ratings. They are derived: deleting them all loses nothing that was played."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable, Sequence

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, delete, insert, select, update

from beanleague.model import Rating, SeatEffect, Snapshot
from beanleague.store.database import Database
from beanleague.store.tables import RatingRow, SnapshotRow, core


class Ratings:
    """The rating snapshots of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(
        self,
        league_id: int,
        deals: int,
        ratings: Iterable[Rating],
        *,
        better: Sequence[float] = (),
        seats: Iterable[SeatEffect] = (),
        luck: float | None = None,
    ) -> None:
        """Keep the ratings after `deals` deals; the rest as in `values.Snapshot`.

        Of the snapshots before, those stay that first reached a power of two deals: a league of a million deals
        keeps twenty-one.
        """
        with self._database.write() as session:
            older = session.exec(
                select(SnapshotRow).where(SnapshotRow.league_id == league_id).order_by(col(SnapshotRow.deals))
            ).all()
            if older and older[-1].deals > deals:
                return
            for row in older:
                if not row.kept or row.deals == deals:
                    session.exec(
                        delete(SnapshotRow).where(
                            col(SnapshotRow.league_id) == league_id, col(SnapshotRow.deals) == row.deals
                        )
                    )
            most = max((row.deals for row in older if row.kept and row.deals < deals), default=0)
            kept = deals.bit_length() > most.bit_length()
            connection = session.connection()
            snapshots = core(SnapshotRow)  # who is better than whom is told of the newest ratings only
            connection.execute(update(snapshots).where(snapshots.c.league_id == league_id).values(better=b""))
            connection.execute(
                insert(snapshots),
                [
                    {
                        "league_id": league_id,
                        "deals": deals,
                        "kept": kept,
                        "created": time.time(),
                        "better": array("d", better).tobytes(),
                        "seats": [[effect.seats, effect.seat, effect.elo, effect.interval] for effect in seats],
                        "luck": luck,
                    }
                ],
            )
            rows = [
                {
                    "league_id": league_id,
                    "deals": deals,
                    "entrant": rating.entrant,
                    "rating": rating.rating,
                    "interval": rating.interval,
                    "best_rank": rating.best_rank,
                    "worst_rank": rating.worst_rank,
                }
                for rating in ratings
            ]
            if rows:
                connection.execute(insert(core(RatingRow)), rows)

    def latest(self, league_id: int) -> Snapshot | None:
        """Return the last snapshot, None before the first."""
        query = select(SnapshotRow).where(SnapshotRow.league_id == league_id)
        with self._database.read() as session:
            row = session.exec(query.order_by(col(SnapshotRow.deals).desc()).limit(1)).one_or_none()
            return _snapshot(session, row) if row else None

    def history(self, league_id: int) -> tuple[Snapshot, ...]:
        """Return every snapshot there is, first ones first."""
        query = select(SnapshotRow).where(SnapshotRow.league_id == league_id).order_by(col(SnapshotRow.deals))
        with self._database.read() as session:
            return tuple(_snapshot(session, row) for row in session.exec(query).all())


def _snapshot(session: Session, row: SnapshotRow) -> Snapshot:
    rating = core(RatingRow).c
    query = (
        select_columns(rating.entrant, rating.rating, rating.interval, rating.best_rank, rating.worst_rank)
        .where(rating.league_id == row.league_id, rating.deals == row.deals)
        .order_by(rating.entrant)
    )
    ratings = tuple(Rating(*found) for found in session.connection().execute(query))
    return Snapshot(
        row.deals,
        ratings,
        row.created,
        better=tuple(array("d", row.better)),
        seats=tuple(SeatEffect(int(size), int(seat), elo, interval) for size, seat, elo, interval in row.seats),
        luck=row.luck,
    )
