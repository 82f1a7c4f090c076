"""Leagues, their entrants, the totals of their matches, and the changes of who is seated."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from beanleague.games.core.game import suggestion
from beanleague.model import THIEF, Change, ChangeKind, Entrant, Forfeits, League, NewLeague, Totals
from beanleague.store import MissingError, TakenError, columns, database
from beanleague.store.tables import BOT, CHANGE, DEAL, ENTRANT, LEAGUE, VERSION

_NEW_LEAGUE = columns.Mapper(NewLeague, LEAGUE, apart=("versions",))
_LEAGUE = columns.Mapper(League, LEAGUE, apart=("entrants", "seated"))
TOTALS = columns.Mapper(Totals, ENTRANT)
_CHANGE = columns.Mapper(Change, CHANGE)


class Leagues(database.Queries):
    """The leagues of a database."""

    def create(self, new: NewLeague, also: Callable[[sa.Connection, int], None] = lambda *_: None) -> League:
        """Create a league. `also`: what is to be stored in the same transaction, given the league's id.

        Raises:
            TakenError: if a league of this name exists.
        """
        with self._database.write() as connection:
            if connection.scalar(sa.select(LEAGUE.c.id).where(LEAGUE.c.name == new.name)) is not None:
                raise TakenError(f"the league {new.name!r} already exists; choose another name")
            row = {**_NEW_LEAGUE.to_row(new), **_NOTHING_DONE, "created": time.time()}
            league_id: int = connection.execute(sa.insert(LEAGUE).returning(LEAGUE.c.id), row).scalar_one()
            note(connection, league_id, ChangeKind.DEALS, deals=new.deals)
            enter(connection, league_id, [*new.versions, *([None] if new.seats == 1 else [])])
            also(connection, league_id)
            return _league(connection.execute(_LEAGUES.where(LEAGUE.c.id == league_id)).one())

    def get(self, name: str) -> League:
        """Return a league.

        Raises:
            MissingError: if no league has this name.
        """
        found = self._first(_LEAGUES.where(LEAGUE.c.name == name), _league)
        if found is None:
            names = self._all(
                sa.select(LEAGUE.c.name).order_by(LEAGUE.c.name), lambda row: columns.checked_name(row.name)
            )
            there = suggestion(name, names) if names else "none was created yet"
            raise MissingError(f"there is no league {name!r}; {there}")
        return found

    def list(self, *, hidden: bool = False) -> tuple[League, ...]:
        """Return every league, by name. `hidden`: with those that are hidden."""
        query = _LEAGUES if hidden else _LEAGUES.where(LEAGUE.c.hidden.is_(False))
        return self._all(query.order_by(LEAGUE.c.name), _league)

    def hide(self, league_id: int, *, hidden: bool = True) -> None:
        with self._database.write() as connection:
            connection.execute(sa.update(LEAGUE).where(LEAGUE.c.id == league_id).values(hidden=hidden))

    def entrants(self, league_id: int) -> tuple[Entrant, ...]:
        """Return who plays in a league, by number."""
        return self._all(_ENTRANTS.where(ENTRANT.c.league_id == league_id), _entrant_in)

    def of_version(self, version_id: int) -> tuple[League, ...]:
        """Return the leagues a version of a bot plays in, by name."""
        leagues = sa.select(ENTRANT.c.league_id).where(ENTRANT.c.version_id == version_id)
        return self._all(_LEAGUES.where(LEAGUE.c.id.in_(leagues)).order_by(LEAGUE.c.name), _league)

    def add(self, league_id: int, versions: Sequence[int], deals: int) -> None:
        """Add versions, which play from the next deal on, and set the total number of deals.

        Other versions of the same bots are retired: their results stay, and they are no longer seated.
        """
        bots = sa.select(VERSION.c.bot_id).where(VERSION.c.id.in_(versions))
        others = sa.select(VERSION.c.id).where(VERSION.c.bot_id.in_(bots))
        with self._database.write() as connection:
            older = ENTRANT.c.league_id == league_id, ENTRANT.c.version_id.in_(others)
            connection.execute(sa.update(ENTRANT).where(*older).values(retired=True))
            enter(connection, league_id, versions)
            league = LEAGUE.c.id == league_id, LEAGUE.c.deals != deals
            if connection.execute(sa.update(LEAGUE).where(*league).values(deals=deals)).rowcount:
                note(connection, league_id, ChangeKind.DEALS, deals=deals)

    def suspend(self, league_id: int, entrant: int, why: str) -> None:
        """Suspend an entrant for an organiser: deals that are scheduled later do not have it."""
        seated = ENTRANT.c.suspended == "", ENTRANT.c.retired.is_(False)  # a run may have suspended it this very moment
        suspending = sa.update(ENTRANT).where(*_entrant(league_id, entrant), *seated).values(suspended=why)
        with self._database.write() as connection:
            if connection.execute(suspending).rowcount:
                note(connection, league_id, ChangeKind.EXCLUDED, entrant=entrant)

    def lift_suspension(self, league_id: int, entrant: int) -> None:
        """Seat a suspended entrant again; only later matches count towards another suspension."""
        cleared = {
            "suspended": "",
            "cleared_matches": ENTRANT.c.matches,
            "cleared_forfeits": ENTRANT.c.forfeits,
            "forfeits_in_a_row": 0,
            "most_forfeits_in_a_row": 0,
        }
        with self._database.write() as connection:
            lifting = sa.update(ENTRANT).where(*_entrant(league_id, entrant), ENTRANT.c.suspended != "").values(cleared)
            if connection.execute(lifting).rowcount:
                note(connection, league_id, ChangeKind.LIFTED, entrant=entrant)

    def forfeits(self, league_id: int) -> tuple[Forfeits, ...]:
        """Return how often each entrant forfeited, by its number."""
        query = sa.select(ENTRANT).where(ENTRANT.c.league_id == league_id).order_by(ENTRANT.c.number)
        return self._all(query, _forfeits)

    def totals(self, league_id: int) -> tuple[Totals, ...]:
        """Return the totals of each entrant, by its number. The cost does not depend on the number of matches."""
        query = sa.select(*TOTALS.columns).where(ENTRANT.c.league_id == league_id).order_by(ENTRANT.c.number)
        return self._all(query, TOTALS.from_values)


_NOTHING_DONE = {"deals_done": 0, "matches_done": 0, "hidden": False}
_NEW_ENTRANT = {
    **TOTALS.to_row(Totals(0, 0, 0, 0, 0, 0, 0, 0)),
    **dict.fromkeys(("forfeits_in_a_row", "most_forfeits_in_a_row", "cleared_matches", "cleared_forfeits"), 0),
    "retired": False,
    "suspended": "",
}

_ROW = ENTRANT.c
_ENTRANTS = (
    sa.select(_ROW.number, _ROW.version_id, BOT.c.name, VERSION.c.number, _ROW.retired, _ROW.suspended, BOT.c.owner)
    .select_from(ENTRANT)
    .join(VERSION, VERSION.c.id == ENTRANT.c.version_id, isouter=True)
    .join(BOT, BOT.c.id == VERSION.c.bot_id, isouter=True)
    .order_by(ENTRANT.c.number)
)

_COUNT = sa.select(sa.func.count()).select_from(ENTRANT).where(ENTRANT.c.league_id == LEAGUE.c.id).correlate(LEAGUE)
_SEATED = _COUNT.where(ENTRANT.c.retired.is_(False), ENTRANT.c.suspended == "")
_LEAGUES = sa.select(*_LEAGUE.columns, _COUNT.label("entrants"), _SEATED.label("seated"))


def _league(row: sa.Row[*tuple[Any, ...]]) -> League:
    return _LEAGUE.from_row(row, entrants=row.entrants, seated=row.seated)


def _entrant_in(row: sa.Row[*tuple[Any, ...]]) -> Entrant:
    number, version_id, bot, version, retired, suspended, owner = row
    name, owned_by = columns.checked_name(bot) if bot else THIEF, columns.checked_name(owner) if owner else ""
    return Entrant(number, version_id, name, version or 0, retired, suspended, owned_by)


def _forfeits(row: sa.Row[*tuple[Any, ...]]) -> Forfeits:
    matches, forfeits = row.matches - row.cleared_matches, row.forfeits - row.cleared_forfeits
    return Forfeits(matches, forfeits, row.most_forfeits_in_a_row, row.forfeits_in_a_row)


class Changes(database.Queries):
    """The changes of the leagues of a database."""

    def list(self, league_id: int) -> tuple[Change, ...]:
        """Return the changes of a league, in order."""
        query = sa.select(CHANGE).where(CHANGE.c.league_id == league_id).order_by(CHANGE.c.number)
        return self._all(query, _CHANGE.from_row)

    def count(self, league_id: int) -> int:
        """Return how many changes a league has: a run that asks often need not read them."""
        query = sa.select(sa.func.count()).select_from(CHANGE).where(CHANGE.c.league_id == league_id)
        return self._value(query)


def _entrant(league_id: int, number: int) -> tuple[sa.ColumnElement[bool], ...]:
    return ENTRANT.c.league_id == league_id, ENTRANT.c.number == number


def enter(connection: sa.Connection, league_id: int, versions: Sequence[int | None]) -> int:
    """Add entrants to a league, in the transaction in which that happens; return the number of the first.

    `versions`: the version of each, None for the Bean Thief.
    """
    of = ENTRANT.c.league_id == league_id
    first = connection.execute(sa.select(sa.func.count()).select_from(ENTRANT).where(of)).scalar_one()
    for number, version in enumerate(versions, first):
        row = {"league_id": league_id, "number": number, "version_id": version, **_NEW_ENTRANT}
        connection.execute(sa.insert(ENTRANT), row)
        note(connection, league_id, ChangeKind.JOINED, entrant=number)
    return first


def note(
    connection: sa.Connection,
    league_id: int,
    kind: ChangeKind,
    *,
    entrant: int | None = None,
    deals: int | None = None,
    position: int | None = None,
    reason: str = "",
) -> float:
    """Add a change of a league, in the transaction in which it happens; return when that is.

    `position`: if not after all deals so far.
    """
    now = time.time()
    last = connection.scalar(sa.select(sa.func.max(CHANGE.c.number)).where(CHANGE.c.league_id == league_id))
    scheduled = connection.scalar(sa.select(sa.func.max(DEAL.c.number)).where(DEAL.c.league_id == league_id))
    done = connection.scalar(sa.select(LEAGUE.c.deals_done).where(LEAGUE.c.id == league_id))
    connection.execute(
        sa.insert(CHANGE),
        {
            "league_id": league_id,
            "number": (last or 0) + 1,
            "kind": str(kind),
            "entrant": entrant,
            "deals": deals,
            "scheduled": scheduled or 0,
            "position": None if kind is ChangeKind.DEALS else done if position is None else position,
            "happened": now,
            "reason": reason,
        },
    )
    return now
