"""Two entrants of a league against each other, deal by deal."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Integer, and_, case, cast, func, select

from beanleague.model import PairDeal, PairMatch
from beanleague.store.columns import SEAT
from beanleague.store.database import Database

_WON = 10**9  # more than any lead over the Bean Thief
Columns = Any  # of an alias: their names are known to the table alone


class Pairs:
    """The pairs of entrants of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def by_deal(self, league_id: int, a: int, b: int, *, solo: bool) -> tuple[PairDeal, ...]:
        """Return how `a` did against `b` in each deal in which both sat, by its number.

        In a solo league each plays by itself; there they are compared as in its ratings.
        """
        one, other = SEAT.alias("one"), SEAT.alias("other")
        met = and_(other.c.league_id == one.c.league_id, other.c.deal == one.c.deal, other.c.entrant == b)
        if solo:
            tables, own, rival = _alone(one.join(other, met), one.c, other.c)
        else:
            tables = one.join(other, and_(met, other.c.rotation == one.c.rotation))
            own, rival = -one.c.place, -other.c.place
        lead = one.c.score - other.c.score
        query = (
            select(
                one.c.deal,
                func.count(),
                func.sum(case((own > rival, 2), (own == rival, 1), else_=0)),
                cast(func.sum(lead), Integer),
                cast(func.sum(lead * lead), Integer),
            )
            .select_from(tables)
            .where(one.c.league_id == league_id, one.c.entrant == a)
            .group_by(one.c.deal)
            .order_by(one.c.deal)
        )
        with self._database.read() as connection:
            return tuple(PairDeal(*row) for row in connection.execute(query))

    def matches(self, league_id: int, deals: Collection[int], a: int, b: int) -> tuple[PairMatch, ...]:
        """Return the matches of these deals in which `a` or `b` sat, by deal and rotation."""
        seat = SEAT.c
        scores = [func.avg(case((seat.entrant == entrant, seat.score))) for entrant in (a, b)]
        query = (
            select(seat.deal, seat.rotation, *scores)
            .where(seat.league_id == league_id, seat.deal.in_(deals), seat.entrant.in_((a, b)))
            .group_by(seat.deal, seat.rotation)
            .order_by(seat.deal, seat.rotation)
        )
        with self._database.read() as connection:
            return tuple(
                PairMatch(deal, rotation, *(None if score is None else float(score) for score in means))
                for deal, rotation, *means in connection.execute(query)
            )


def _alone(
    tables: FromClause, one: Columns, other: Columns
) -> tuple[FromClause, ColumnElement[int], ColumnElement[int]]:
    """Return the tables with the Thief of each match, and how well each of the two did; see `solo.ranking`."""
    standings = []
    for bot in (one, other):
        thief = SEAT.alias()
        tables = tables.join(
            thief,
            and_(
                thief.c.league_id == bot.league_id,
                thief.c.deal == bot.deal,
                thief.c.rotation == bot.rotation,
                thief.c.entrant != bot.entrant,
            ),
        )
        lead = bot.score - thief.c.score
        standings.append(case((bot.forfeited, -_WON), (bot.place == 1, _WON + lead), else_=lead))
    return tables, standings[0], standings[1]
