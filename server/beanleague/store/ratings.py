"""Rating snapshots, and comparisons of two entrants.

Snapshots are derived data: they can be deleted without losing results.
"""

from collections.abc import Collection, Sequence
from dataclasses import astuple
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from beanleague.model import PairDeal, PairMatch, Rating, SeatEffect, Snapshot
from beanleague.store import columns, database
from beanleague.store.tables import RATING, SEAT, SNAPSHOT
from beanleague.store.tables.ratings import RatingRow, SnapshotRow

_RATING = columns.Mapper(Rating, RatingRow)
_SNAPSHOT = columns.Mapper(Snapshot, SnapshotRow, apart=("ratings", "seats"))
_SNAPSHOTS = sa.select(SNAPSHOT).order_by(SNAPSHOT.c.deals)
_WON = 10**9  # constant above any possible lead over the Bean Thief
Columns = Any  # columns of an alias, known only to its table


class RatingSnapshots(database.Queries):
    """Queries and updates of rating snapshots."""

    @database.repeated
    def keep(self, league_id: int, snapshot: Snapshot) -> None:
        """Store the ratings of a league.

        Earlier snapshots are kept only at each doubling of the number of deals (about twenty for a million deals), and
        at the end of a ladder's days; see `Ladders.begin_day`.
        """
        deals = snapshot.deals
        with self._database.write(durable=False) as connection:
            older = connection.execute(_SNAPSHOTS.where(SNAPSHOT.c.league_id == league_id)).all()
            if older and older[-1].deals > deals:
                return
            for row in older:
                if not row.kept or row.deals == deals:
                    key = SNAPSHOT.c.league_id == league_id, SNAPSHOT.c.deals == row.deals
                    connection.execute(sa.delete(SNAPSHOT).where(*key))
            kept = _stays(deals, older)
            seats = [[*astuple(effect)] for effect in snapshot.seats]
            with Session(connection) as session:
                session.add(SnapshotRow(league_id=league_id, kept=kept, seats=seats, **_SNAPSHOT.to_row(snapshot)))
                session.flush()
                rows = map(_RATING.to_row, snapshot.ratings)
                session.add_all(RatingRow(league_id=league_id, deals=deals, **row) for row in rows)
                session.commit()

    @database.repeated
    def latest(self, league_id: int) -> Snapshot | None:
        """Return the latest snapshot; None before the first."""
        query = sa.select(SNAPSHOT).where(SNAPSHOT.c.league_id == league_id).order_by(SNAPSHOT.c.deals.desc())
        with self._database.read() as connection:
            row = connection.execute(query.limit(1)).one_or_none()
            return _snapshot(connection, row) if row else None

    def history(
        self, league_id: int, entrant: int | None = None, *, of: Collection[int] | None = None
    ) -> tuple[Snapshot, ...]:
        """Return all snapshots, oldest first; `entrant`: only the ratings of this entrant.

        `of`: only snapshots at these numbers of deals.
        """
        query = _SNAPSHOTS.where(SNAPSHOT.c.league_id == league_id)
        query = query if of is None else query.where(SNAPSHOT.c.deals.in_(of))
        with self._database.read() as connection:
            return tuple(_snapshot(connection, row, entrant) for row in connection.execute(query).all())


class Pairs(database.Queries):
    """Queries on the results of pairs of entrants."""

    def by_deal(self, league_id: int, a: int, b: int, *, solo: bool) -> tuple[PairDeal, ...]:
        """Return the result of `a` against `b` in each deal with both, by number.

        In a solo league, where everyone plays alone, the two are compared as the ratings compare them.
        """
        one, other = SEAT.alias("one"), SEAT.alias("other")
        met = sa.and_(other.c.league_id == one.c.league_id, other.c.deal == one.c.deal, other.c.entrant == b)
        if solo:
            tables, own, rival = _alone(one.join(other, met), one.c, other.c)
        else:
            tables = one.join(other, sa.and_(met, other.c.rotation == one.c.rotation))
            own, rival = -one.c.place, -other.c.place
        lead = one.c.score - other.c.score
        query = (
            sa.select(
                one.c.deal,
                sa.func.count(),
                sa.func.sum(sa.case((own > rival, 2), (own == rival, 1), else_=0)),
                sa.cast(sa.func.sum(lead), sa.Integer),
                sa.cast(sa.func.sum(lead * lead), sa.Integer),
            )
            .select_from(tables)
            .where(one.c.league_id == league_id, one.c.entrant == a)
            .group_by(one.c.deal)
            .order_by(one.c.deal)
        )
        return self._all(query, lambda row: PairDeal(*row))

    def matches(self, league_id: int, deals: Collection[int], a: int, b: int) -> tuple[PairMatch, ...]:
        """Return the matches of `a` or `b` in some deals, by deal and rotation."""
        seat = SEAT.c
        scores = [sa.func.avg(sa.case((seat.entrant == entrant, seat.score))) for entrant in (a, b)]
        query = (
            sa.select(seat.deal, seat.rotation, *scores)
            .where(seat.league_id == league_id, seat.deal.in_(deals), seat.entrant.in_((a, b)))
            .group_by(seat.deal, seat.rotation)
            .order_by(seat.deal, seat.rotation)
        )
        with self._database.read() as connection:
            return tuple(
                PairMatch(deal, rotation, *(None if score is None else float(score) for score in means))
                for deal, rotation, *means in connection.execute(query)
            )


def _stays(deals: int, older: Sequence[sa.Row[*tuple[Any, ...]]]) -> bool:
    """Return whether the snapshot after `deals` is kept: the number has doubled, or it replaces a kept one."""
    if any(row.kept for row in older if row.deals == deals):
        return True
    longest = max((row.deals for row in older if row.kept and row.deals < deals), default=0)
    return deals.bit_length() > longest.bit_length()


def _snapshot(connection: sa.Connection, row: sa.Row[*tuple[Any, ...]], entrant: int | None = None) -> Snapshot:
    rating = RATING.c
    query = sa.select(*_RATING.columns).where(rating.league_id == row.league_id, rating.deals == row.deals)
    if entrant is not None:
        query = query.where(rating.entrant == entrant)
    ratings = tuple(map(_RATING.from_values, connection.execute(query.order_by(rating.entrant))))
    seats = tuple(SeatEffect(int(size), int(seat), elo, interval) for size, seat, elo, interval in row.seats)
    return _SNAPSHOT.from_row(row, ratings=ratings, seats=seats)


def _alone(
    tables: sa.FromClause, one: Columns, other: Columns
) -> tuple[sa.FromClause, sa.ColumnElement[int], sa.ColumnElement[int]]:
    """Return the tables joined with the Thief of each match, and the results of both entrants; see `tables.ranking`."""
    standings = []
    for bot in (one, other):
        thief = SEAT.alias()
        same = thief.c.league_id == bot.league_id, thief.c.deal == bot.deal, thief.c.rotation == bot.rotation
        tables = tables.join(thief, sa.and_(*same, thief.c.entrant != bot.entrant))
        lead = bot.score - thief.c.score
        standings.append(sa.case((bot.forfeited, -_WON), (bot.place == 1, _WON + lead), else_=lead))
    return tables, standings[0], standings[1]
