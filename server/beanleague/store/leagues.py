"""Leagues, their entrants, and the totals of their matches."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import bindparam
from sqlalchemy import select as select_columns
from sqlmodel import col, func, insert, select

from beanleague.games.core.similar import suggestion
from beanleague.model import THIEF, ChangeKind, Entrant, Forfeits, League, NewLeague, Totals
from beanleague.store.changes import note
from beanleague.store.database import Database, repeated
from beanleague.store.errors import MissingError, TakenError
from beanleague.store.mapping import Mapper
from beanleague.store.tables import BotRow, EntrantRow, LeagueRow, VersionRow, core

_NEW_LEAGUE = Mapper(NewLeague, LeagueRow, apart=("versions",))
_LEAGUE = Mapper(League, LeagueRow, apart=("entrants", "seated"))
TOTALS = Mapper(Totals, EntrantRow)


class Leagues:
    """The leagues of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, new: NewLeague) -> League:
        """Create a league.

        Raises:
            TakenError: if a league of this name exists.
        """
        with self._database.write() as session:
            if session.exec(select(LeagueRow.id).where(LeagueRow.name == new.name)).one_or_none() is not None:
                raise TakenError(f"the league {new.name!r} already exists; choose another name")
            row = LeagueRow(created=time.time(), **_NEW_LEAGUE.to_row(new))
            session.add(row)
            session.flush()
            versions: list[int | None] = [*new.versions, *([None] if new.seats == 1 else [])]
            session.connection().execute(
                insert(core(EntrantRow)),
                [
                    {"league_id": row.id, "number": number, "version_id": version, **_NEW_ENTRANT}
                    for number, version in enumerate(versions)
                ],
            )
            assert row.id is not None
            note(session, row.id, ChangeKind.DEALS, deals=new.deals)
            for number in range(len(versions)):
                note(session, row.id, ChangeKind.JOINED, entrant=number)
            return _league(row, len(versions), len(versions))

    @repeated
    def get(self, name: str) -> League:
        """Return a league.

        Raises:
            MissingError: if no league has this name.
        """
        with self._database.read() as session:
            row = session.exec(_LEAGUES.where(LeagueRow.name == name)).one_or_none()
            if row is None:
                names = session.exec(select(LeagueRow.name).order_by(LeagueRow.name)).all()
                there = suggestion(name, names) if names else "none was created yet"
                raise MissingError(f"there is no league {name!r}; {there}")
            return _league(*row)

    def list(self, *, hidden: bool = False) -> tuple[League, ...]:
        """Return every league, by name. `hidden`: with those that are hidden."""
        query = _LEAGUES if hidden else _LEAGUES.where(col(LeagueRow.hidden).is_(False))
        with self._database.read() as session:
            return tuple(_league(*row) for row in session.exec(query.order_by(LeagueRow.name)))

    def hide(self, league_id: int, *, hidden: bool = True) -> None:
        """Hide a league, or show it again."""
        with self._database.write() as session:
            session.get_one(LeagueRow, league_id).hidden = hidden

    @repeated
    def entrants(self, league_id: int) -> tuple[Entrant, ...]:
        """Return who plays in a league, by number."""
        with self._database.read() as session:
            return tuple(
                Entrant(number, version_id, bot or THIEF, version or 0, retired, suspended, owner or "")
                for number, version_id, bot, version, retired, suspended, owner in session.connection().execute(
                    _ENTRANTS, {"league": league_id}
                )
            )

    def of_version(self, version_id: int) -> tuple[League, ...]:
        """Return the leagues a version of a bot plays in, by name."""
        leagues = select(EntrantRow.league_id).where(EntrantRow.version_id == version_id)
        with self._database.read() as session:
            query = _LEAGUES.where(col(LeagueRow.id).in_(leagues)).order_by(LeagueRow.name)
            return tuple(_league(*row) for row in session.exec(query))

    def add(self, league_id: int, versions: Sequence[int], deals: int) -> None:
        """Add versions, which play from the next deal on, and set the total number of deals.

        Other versions of the same bots are retired: their results stay, and they are no longer seated.
        """
        with self._database.write() as session:
            there = session.exec(select(EntrantRow).where(EntrantRow.league_id == league_id)).all()
            bots = session.exec(select(VersionRow.bot_id).where(col(VersionRow.id).in_(versions))).all()
            others = set(session.exec(select(VersionRow.id).where(col(VersionRow.bot_id).in_(bots))).all())
            for row in there:
                row.retired = row.retired or row.version_id in others
            if versions:
                session.connection().execute(
                    insert(core(EntrantRow)),
                    [
                        {"league_id": league_id, "number": number, "version_id": version, **_NEW_ENTRANT}
                        for number, version in enumerate(versions, len(there))
                    ],
                )
            for number in range(len(there), len(there) + len(versions)):
                note(session, league_id, ChangeKind.JOINED, entrant=number)
            league = session.get_one(LeagueRow, league_id)
            if league.deals != deals:
                league.deals = deals
                note(session, league_id, ChangeKind.DEALS, deals=deals)

    def lift_suspension(self, league_id: int, entrant: int) -> None:
        """Seat a suspended entrant again; only later matches count towards another suspension."""
        with self._database.write() as session:
            row = session.get_one(EntrantRow, (league_id, entrant))
            row.suspended = ""
            row.cleared_matches, row.cleared_forfeits = row.matches, row.forfeits
            row.forfeits_in_a_row = row.most_forfeits_in_a_row = 0
            note(session, league_id, ChangeKind.LIFTED, entrant=entrant)

    @repeated
    def forfeits(self, league_id: int) -> tuple[Forfeits, ...]:
        """Return how often each entrant forfeited, by its number."""
        query = select(EntrantRow).where(EntrantRow.league_id == league_id).order_by(col(EntrantRow.number))
        with self._database.read() as session:
            return tuple(
                Forfeits(
                    row.matches - row.cleared_matches,
                    row.forfeits - row.cleared_forfeits,
                    row.most_forfeits_in_a_row,
                    row.forfeits_in_a_row,
                )
                for row in session.exec(query)
            )

    @repeated
    def totals(self, league_id: int) -> tuple[Totals, ...]:
        """Return the totals of each entrant, by its number. The cost does not depend on the number of matches."""
        entrant = core(EntrantRow).c
        query = select_columns(*TOTALS.columns()).where(entrant.league_id == league_id).order_by(entrant.number)
        with self._database.read() as session:
            return tuple(Totals(*row) for row in session.connection().execute(query))


_NEW_ENTRANT = {
    **TOTALS.to_row(Totals(0, 0, 0, 0, 0, 0, 0, 0)),
    **dict.fromkeys(("forfeits_in_a_row", "most_forfeits_in_a_row", "cleared_matches", "cleared_forfeits"), 0),
    "retired": False,
    "suspended": "",
}

_ENTRANT, _VERSION, _BOT = core(EntrantRow).c, core(VersionRow).c, core(BotRow).c
_ENTRANTS = (
    select_columns(
        _ENTRANT.number,
        _ENTRANT.version_id,
        _BOT.name,
        _VERSION.number,
        _ENTRANT.retired,
        _ENTRANT.suspended,
        _BOT.owner,
    )
    .select_from(core(EntrantRow))
    .join(core(VersionRow), _VERSION.id == _ENTRANT.version_id, isouter=True)
    .join(core(BotRow), _BOT.id == _VERSION.bot_id, isouter=True)
    .where(_ENTRANT.league_id == bindparam("league"))
    .order_by(_ENTRANT.number)
)

_COUNT = (
    select(func.count())
    .select_from(EntrantRow)
    .where(col(EntrantRow.league_id) == col(LeagueRow.id))
    .correlate(core(LeagueRow))
)
_SEATED = _COUNT.where(col(EntrantRow.retired).is_(False), EntrantRow.suspended == "")
_LEAGUES = select(LeagueRow, _COUNT.scalar_subquery(), _SEATED.scalar_subquery())


def _league(row: LeagueRow, entrants: int, seated: int) -> League:
    return _LEAGUE.from_row(row, entrants=entrants, seated=seated)
