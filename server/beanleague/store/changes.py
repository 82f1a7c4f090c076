"""The changes of a league: who joined, was suspended or returned, and when. Its tables follow from them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from beanleague.model import Change, ChangeKind
from beanleague.store.columns import CHANGE, DEAL, LEAGUE
from beanleague.store.database import Database
from beanleague.store.mapping import Mapper

if TYPE_CHECKING:
    from sqlmodel import Session

_CHANGE = Mapper(Change, CHANGE)


class Changes:
    """The changes of the leagues of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, league_id: int) -> tuple[Change, ...]:
        """Return the changes of a league, in order."""
        query = select(CHANGE).where(CHANGE.c.league_id == league_id).order_by(CHANGE.c.number)
        with self._database.read() as connection:
            return tuple(map(_CHANGE.from_row, connection.execute(query)))


def note(
    session: Session,
    league_id: int,
    kind: ChangeKind,
    *,
    entrant: int | None = None,
    deals: int | None = None,
    position: int | None = None,
) -> None:
    """Add a change of a league, in the transaction in which it happens. `position`: if not after all deals so far."""
    from beanleague.store.tables import ChangeRow

    last = session.scalar(select(func.max(CHANGE.c.number)).where(CHANGE.c.league_id == league_id))
    scheduled = session.scalar(select(func.max(DEAL.c.number)).where(DEAL.c.league_id == league_id))
    done = session.scalar(select(LEAGUE.c.deals_done).where(LEAGUE.c.id == league_id))
    session.add(
        ChangeRow(
            league_id=league_id,
            number=(last or 0) + 1,
            kind=str(kind),
            entrant=entrant,
            deals=deals,
            scheduled=scheduled or 0,
            position=None if kind is ChangeKind.DEALS else done if position is None else position,
            happened=time.time(),
        )
    )
    session.flush()
