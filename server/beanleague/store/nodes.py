"""Nodes: the machines that played deals, and what each of them did in a league."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, case, func, insert, select

from beanleague.model import FaultKind, Node, NodeTotals
from beanleague.store.columns import DEAL, FAULT, NODE, VOID
from beanleague.store.database import Database
from beanleague.store.mapping import Mapper

if TYPE_CHECKING:
    from sqlmodel import Session

NODE_VALUE = Mapper(Node, NODE)

_FIND = select(NODE.c.id).where(*(column == bindparam(column.name) for column in NODE_VALUE.columns()))


class Nodes:
    """The nodes of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def totals(self, league_id: int) -> tuple[NodeTotals, ...]:
        """Return what each node did in a league, by name. Deals of which the node is not known are left out."""
        deal, fault, void, node = DEAL.c, FAULT.c, VOID.c, NODE.c
        deals = (
            select(deal.node_id, func.count())
            .where(deal.league_id == league_id, deal.node_id.is_not(None), deal.played.is_not(None))
            .group_by(deal.node_id)
        )
        voids = (
            select(void.node_id, func.count())
            .where(void.league_id == league_id, void.node_id.is_not(None))
            .group_by(void.node_id)
        )
        late = func.sum(case((fault.kind == FaultKind.TIMEOUT, 1), else_=0))
        faults = (
            select(deal.node_id, func.count(), late)
            .join_from(FAULT, DEAL, (deal.league_id == fault.league_id) & (deal.number == fault.deal))
            .where(fault.league_id == league_id, deal.node_id.is_not(None))
            .group_by(deal.node_id)
        )
        with self._database.read() as connection:
            played = Counter(dict(map(tuple, connection.execute(deals))))
            failed = Counter(dict(map(tuple, connection.execute(voids))))
            at_fault = {node: (count, late) for node, count, late in connection.execute(faults)}
            query = select(NODE).where(node.id.in_({*played, *failed})).order_by(node.name, node.id)
            return tuple(
                NodeTotals(NODE_VALUE.from_row(row), played[row.id], failed[row.id], *at_fault.get(row.id, (0, 0)))
                for row in connection.execute(query)
            )


def node_ids(session: Session, nodes: Iterable[Node | None]) -> dict[Node | None, int | None]:
    """Return the key of each node, and store those that are new; None is no node."""
    connection = session.connection()
    ids: dict[Node | None, int | None] = {None: None}
    for node in nodes:
        if node is None or node in ids:
            continue
        row = NODE_VALUE.to_row(node)
        ids[node] = connection.execute(_FIND, row).scalar_one_or_none()
        if ids[node] is None:
            ids[node] = connection.execute(insert(NODE).returning(NODE.c.id), row).scalar_one()
    return ids
