"""Deals: publishing them before play, and what is stored of them; `commits` commits their results."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Row, insert, select

from beanleague.model import Deal, Node, PlayedDeal, Suspension, Void
from beanleague.store.columns import DEAL, NODE, VOID
from beanleague.store.database import Database, repeated
from beanleague.store.mapping import Mapper, as_text, lists
from beanleague.store.nodes import NODE_VALUE, node_ids

_PLAN = Mapper(Deal, DEAL, apart=("table", "node"))
_VOID = Mapper(Void, VOID, apart=("node",))


class Deals:
    """The deals of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def schedule(self, league_id: int, deals: Iterable[Deal]) -> None:
        """Publish deals that will be played: their tables and the digests of their seeds."""
        now = {"published": time.time()}
        rows = [{"league_id": league_id, "entrants": list(deal.table), **_PLAN.to_row(deal), **now} for deal in deals]
        if rows:
            self._database.repeat(partial(self._schedule, rows))

    def _schedule(self, rows: Sequence[dict[str, Any]], again: bool) -> None:  # noqa: FBT001  # as `repeat`
        from beanleague.store.tables import DealRow, core

        with self._database.write(durable=False) as session:
            first = session.get(DealRow, (rows[0]["league_id"], rows[0]["number"])) if again else None
            if first is None or first.published != rows[0]["published"]:
                session.connection().execute(insert(core(DealRow)), rows)

    @repeated
    def tables(self, league_id: int) -> tuple[tuple[int, ...], ...]:
        """Return the table of every deal scheduled so far, by deal number from 1."""
        query = select(as_text(DEAL.c.entrants)).where(DEAL.c.league_id == league_id).order_by(DEAL.c.number)
        with self._database.read() as connection:
            return tuple(map(tuple, lists(connection.scalars(query).all())))

    @repeated
    def unplayed(self, league_id: int) -> tuple[Deal, ...]:
        """Return the deals that are scheduled but not played, by number."""
        query = select(DEAL).where(DEAL.c.league_id == league_id, DEAL.c.played.is_(None)).order_by(DEAL.c.number)
        with self._database.read() as connection:
            return tuple(map(deal_of, connection.execute(query)))

    def list(self, league_id: int, *, after: int = 0, limit: int = 100) -> tuple[Deal, ...]:
        """Return up to `limit` deals with numbers above `after`, by number."""
        query = (
            select(DEAL, *NODE_VALUE.columns())
            .join_from(DEAL, NODE, NODE.c.id == DEAL.c.node_id, isouter=True)
            .where(DEAL.c.league_id == league_id, DEAL.c.number > after)
            .order_by(DEAL.c.number)
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(deal_of(row, _node(row)) for row in connection.execute(query))

    def seed_digest(self, league_id: int, number: int) -> bytes:
        """Return the published digest of the seed of a deal that exists."""
        query = select(DEAL.c.seed_digest).where(DEAL.c.league_id == league_id, DEAL.c.number == number)
        with self._database.read() as connection:
            digest: bytes = connection.execute(query).scalar_one()
            return digest

    def voided(self, league_id: int, number: int, reason: str = "", node: Node | None = None) -> int:
        """Store that a deal has to be played again, why, and where that was; return how often it has happened to it."""
        return self._database.repeat(partial(self._void, league_id, number, reason, node, time.time()))

    def _void(self, league_id: int, number: int, reason: str, node: Node | None, now: float, again: bool) -> int:  # noqa: FBT001
        from beanleague.store.tables import DealRow, VoidRow

        with self._database.write(durable=False) as session:
            row = session.get_one(DealRow, (league_id, number))
            last = session.get(VoidRow, (league_id, number, row.voids)) if again else None
            if last is None or last.happened != now:
                row.voids += 1
                session.add(
                    VoidRow(
                        league_id=league_id,
                        deal=number,
                        number=row.voids,
                        reason=reason,
                        happened=now,
                        node_id=node_ids(session, [node])[node],
                    )
                )
            return row.voids

    def voids(self, league_id: int, *, limit: int) -> tuple[Void, ...]:
        """Return the last `limit` times that a deal had to be played again, newest first."""
        query = (
            select(VOID, *NODE_VALUE.columns())
            .join_from(VOID, NODE, NODE.c.id == VOID.c.node_id, isouter=True)
            .where(VOID.c.league_id == league_id)
            .order_by(VOID.c.happened.desc(), VOID.c.deal.desc(), VOID.c.number.desc())
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(_VOID.from_row(row, node=_node(row)) for row in connection.execute(query))

    def commit(self, league_id: int, deals: Sequence[PlayedDeal], suspended: Iterable[Suspension] = ()) -> None:
        """Store the matches of `deals` in this order, update all totals, and suspend entrants, in one transaction.

        Raises:
            ConflictError: if one of them is already played, or was never scheduled, or was played on another model of
                CPU than the league demands; then nothing is stored.
            DatabaseError: if the server of the database stays away.
        """
        from beanleague.store.commits import commit

        self._database.repeat(partial(commit, self._database, league_id, deals, tuple(suspended), time.time()))


def deal_of(row: Row[*tuple[Any, ...]], node: Node | None = None) -> Deal:
    """Return the deal in a row. `node`: who played it."""
    return _PLAN.from_row(row, table=tuple(row.entrants), node=node)


def _node(row: Row[*tuple[Any, ...]]) -> Node | None:
    """Return the node in a row of a join with them, if there is one."""
    return None if row.name is None else NODE_VALUE.from_row(row)
