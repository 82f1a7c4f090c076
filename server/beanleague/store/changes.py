"""The changes of a league: who joined, was suspended or returned, and when. Its tables follow from them."""

from __future__ import annotations

import time

from sqlmodel import Session, col, func, select

from beanleague.model import Change, ChangeKind
from beanleague.store.database import Database
from beanleague.store.mapping import Mapper
from beanleague.store.tables import ChangeRow, DealRow, LeagueRow

_CHANGE = Mapper(Change, ChangeRow)


class Changes:
    """The changes of the leagues of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, league_id: int) -> tuple[Change, ...]:
        """Return the changes of a league, in order."""
        query = select(ChangeRow).where(ChangeRow.league_id == league_id).order_by(col(ChangeRow.number))
        with self._database.read() as session:
            return tuple(map(_CHANGE.from_row, session.exec(query)))


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
    last = session.exec(select(func.max(ChangeRow.number)).where(ChangeRow.league_id == league_id)).one()
    scheduled = session.exec(select(func.max(DealRow.number)).where(DealRow.league_id == league_id)).one()
    done = session.exec(select(LeagueRow.deals_done).where(LeagueRow.id == league_id)).one()
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
