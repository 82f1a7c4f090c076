"""Snapshots of the ratings. They are derived: deleting them all loses nothing that was played."""

from __future__ import annotations

from array import array
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from beanleague.model import Rating, SeatEffect, Snapshot
from beanleague.store.columns import RATING, SNAPSHOT
from beanleague.store.database import Database, repeated
from beanleague.store.mapping import Mapper

_RATING = Mapper(Rating, RATING)
_SNAPSHOTS = select(SNAPSHOT).order_by(SNAPSHOT.c.deals)


class RatingSnapshots:
    """The rating snapshots of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @repeated
    def keep(self, league_id: int, snapshot: Snapshot) -> None:
        """Store the ratings of a league.

        Of the earlier snapshots, the first at each doubling of the number of deals stays, so a league of a million
        deals has about twenty.
        """
        from beanleague.store.tables import RatingRow, SnapshotRow, core

        deals = snapshot.deals
        snapshots = core(SnapshotRow)
        with self._database.write(durable=False) as session:
            connection = session.connection()
            older = connection.execute(_SNAPSHOTS.where(SNAPSHOT.c.league_id == league_id)).all()
            if older and older[-1].deals > deals:
                return
            for row in older:
                if not row.kept or row.deals == deals:
                    connection.execute(
                        delete(snapshots).where(snapshots.c.league_id == league_id, snapshots.c.deals == row.deals)
                    )
            longest_kept = max((row.deals for row in older if row.kept and row.deals < deals), default=0)
            kept = deals.bit_length() > longest_kept.bit_length()
            # Who is better than whom is kept of the newest ratings only.
            connection.execute(update(snapshots).where(snapshots.c.league_id == league_id).values(better=b""))
            connection.execute(
                insert(snapshots),
                [
                    {
                        "league_id": league_id,
                        "deals": deals,
                        "kept": kept,
                        "created": snapshot.created,
                        "better": array("d", snapshot.better).tobytes(),
                        "seats": [
                            [effect.seats, effect.seat, effect.elo, effect.interval] for effect in snapshot.seats
                        ],
                        "luck": snapshot.luck,
                    }
                ],
            )
            rows = [{"league_id": league_id, "deals": deals, **_RATING.to_row(rating)} for rating in snapshot.ratings]
            if rows:
                connection.execute(insert(core(RatingRow)), rows)

    @repeated
    def latest(self, league_id: int) -> Snapshot | None:
        """Return the last snapshot, None before the first."""
        query = select(SNAPSHOT).where(SNAPSHOT.c.league_id == league_id).order_by(SNAPSHOT.c.deals.desc())
        with self._database.read() as connection:
            row = connection.execute(query.limit(1)).one_or_none()
            return _snapshot(connection, row) if row else None

    def history(self, league_id: int) -> tuple[Snapshot, ...]:
        """Return all snapshots, oldest first."""
        query = _SNAPSHOTS.where(SNAPSHOT.c.league_id == league_id)
        with self._database.read() as connection:
            return tuple(_snapshot(connection, row) for row in connection.execute(query).all())


def _snapshot(connection: Connection, row: Row[*tuple[Any, ...]]) -> Snapshot:
    rating = RATING.c
    query = (
        select(*_RATING.columns())
        .where(rating.league_id == row.league_id, rating.deals == row.deals)
        .order_by(rating.entrant)
    )
    ratings = tuple(Rating(*columns) for columns in connection.execute(query))
    return Snapshot(
        row.deals,
        ratings,
        row.created,
        better=tuple(array("d", row.better)),
        seats=tuple(SeatEffect(int(size), int(seat), elo, interval) for size, seat, elo, interval in row.seats),
        luck=row.luck,
    )
