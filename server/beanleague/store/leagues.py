"""Leagues, their entrants and totals, and changes of the seated entrants."""

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

import sqlalchemy as sa

from beanleague.games.core.game import suggestion
from beanleague.model import (
    RETIREMENTS,
    SUSPENSIONS,
    THIEF,
    Change,
    ChangeKind,
    Entrant,
    Forfeits,
    League,
    NewLeague,
    Totals,
)
from beanleague.store import MissingError, TakenError, columns, database
from beanleague.store.tables import BOT, CHANGE, DEAL, ENTRANT, LEAGUE, VERSION
from beanleague.store.tables.leagues import ChangeRow, EntrantRow, LeagueRow

_NEW_LEAGUE = columns.Mapper(NewLeague, LeagueRow, apart=("versions",))
_LEAGUE = columns.Mapper(League, LeagueRow, apart=("entrants", "seated"))
TOTALS = columns.Mapper(Totals, EntrantRow)
_CHANGE = columns.Mapper(Change, ChangeRow)


class Leagues(database.Queries):
    """Queries and updates of leagues."""

    def create(self, new: NewLeague, also: Callable[[sa.Connection, int], None] = lambda *_: None) -> League:
        """Create a league. `also`: called with the league's id to store more in the same transaction.

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
        """Return every league, by name. `hidden`: include hidden leagues."""
        query = _LEAGUES if hidden else _LEAGUES.where(LEAGUE.c.hidden.is_(False))
        return self._all(query.order_by(LEAGUE.c.name), _league)

    def hide(self, league_id: int, *, hidden: bool = True) -> None:
        with self._database.write() as connection:
            connection.execute(sa.update(LEAGUE).where(LEAGUE.c.id == league_id).values(hidden=hidden))

    def entrants(self, league_id: int) -> tuple[Entrant, ...]:
        """Return the entrants of a league, by number."""
        return self._all(_ENTRANTS.where(ENTRANT.c.league_id == league_id), _entrant_in)

    def of_version(self, version_id: int) -> tuple[League, ...]:
        """Return the leagues in which a bot version plays, by name."""
        leagues = sa.select(ENTRANT.c.league_id).where(ENTRANT.c.version_id == version_id)
        return self._all(_LEAGUES.where(LEAGUE.c.id.in_(leagues)).order_by(LEAGUE.c.name), _league)

    def add(self, league_id: int, versions: Sequence[int], deals: int) -> None:
        """Add versions, seated from the next deal on, and set the total number of deals.

        Other versions of the same bots are replaced: they are no longer seated, but their results stay.
        """
        bots = sa.select(VERSION.c.bot_id).where(VERSION.c.id.in_(versions))
        others = sa.select(VERSION.c.id).where(VERSION.c.bot_id.in_(bots))
        with self._database.write() as connection:
            older = sa.select(ENTRANT.c.number).where(ENTRANT.c.league_id == league_id)
            older = older.where(ENTRANT.c.version_id.in_(others), _LAST_KIND.not_in(_RETIRED))
            for entrant in connection.scalars(older.order_by(ENTRANT.c.number)).all():
                note(connection, league_id, ChangeKind.REPLACED, entrant=entrant)
            enter(connection, league_id, versions)
            league = LEAGUE.c.id == league_id, LEAGUE.c.deals != deals
            if connection.execute(sa.update(LEAGUE).where(*league).values(deals=deals)).rowcount:
                note(connection, league_id, ChangeKind.DEALS, deals=deals)

    def suspend(self, league_id: int, entrant: int, why: str) -> None:
        """Suspend an entrant on behalf of an organiser; later deals are scheduled without it."""
        with self._database.write() as connection:
            if seated(connection, league_id, [entrant]):  # a run may have just suspended the entrant
                note(connection, league_id, ChangeKind.EXCLUDED, entrant=entrant, reason=why)

    def lift_suspension(self, league_id: int, entrant: int) -> None:
        """Seat a suspended entrant again; only later matches count towards another suspension."""
        cleared = {
            "cleared_matches": ENTRANT.c.matches,
            "cleared_forfeits": ENTRANT.c.forfeits,
            "forfeits_in_a_row": 0,
            "most_forfeits_in_a_row": 0,
        }
        with self._database.write() as connection:
            lifting = sa.update(ENTRANT).where(*_entrant(league_id, entrant), _LAST_KIND.in_(_SUSPENDED))
            if connection.execute(lifting.values(cleared)).rowcount:
                note(connection, league_id, ChangeKind.LIFTED, entrant=entrant)

    def forfeits(self, league_id: int) -> tuple[Forfeits, ...]:
        """Return the forfeits of each entrant, by entrant number."""
        query = sa.select(ENTRANT).where(ENTRANT.c.league_id == league_id).order_by(ENTRANT.c.number)
        return self._all(query, _forfeits)

    def totals(self, league_id: int) -> tuple[Totals, ...]:
        """Return the totals of each entrant, by entrant number, at a cost independent of the number of matches."""
        query = sa.select(*TOTALS.columns).where(ENTRANT.c.league_id == league_id).order_by(ENTRANT.c.number)
        return self._all(query, TOTALS.from_values)


_NOTHING_DONE = {"deals_done": 0, "matches_done": 0, "hidden": False}
_NEW_ENTRANT = {
    **TOTALS.to_row(Totals(0, 0, 0, 0, 0, 0, 0, 0)),
    **dict.fromkeys(("forfeits_in_a_row", "most_forfeits_in_a_row", "cleared_matches", "cleared_forfeits"), 0),
}

# An index finds the last change of each entrant, so that older changes cost nothing.
_CHANGES_OF_IT = (
    sa.select(CHANGE.c.number)
    .where(CHANGE.c.league_id == ENTRANT.c.league_id, CHANGE.c.entrant == ENTRANT.c.number)
    .order_by(CHANGE.c.number.desc())
    .correlate(ENTRANT)
)
_LAST = _CHANGES_OF_IT.where(CHANGE.c.kind != str(ChangeKind.DROPPED)).limit(1)
_LAST_KIND = sa.func.coalesce(_LAST.with_only_columns(CHANGE.c.kind).scalar_subquery(), str(ChangeKind.JOINED))
_SUSPENDED, _RETIRED = [*map(str, SUSPENSIONS)], [*map(str, RETIREMENTS)]
_ROW = ENTRANT.c
_LAST_CHANGE = CHANGE.alias("last")
_ENTRANTS = (
    sa.select(_ROW.number, _ROW.version_id, BOT.c.name, VERSION.c.number, BOT.c.owner)
    .add_columns(*(_LAST_CHANGE.c[column.name] for column in _CHANGE.columns))
    .select_from(ENTRANT)
    .join(VERSION, VERSION.c.id == ENTRANT.c.version_id, isouter=True)
    .join(BOT, BOT.c.id == VERSION.c.bot_id, isouter=True)
    .join(
        _LAST_CHANGE,
        (_LAST_CHANGE.c.league_id == ENTRANT.c.league_id) & (_LAST_CHANGE.c.number == _LAST.scalar_subquery()),
        isouter=True,
    )
    .order_by(ENTRANT.c.number)
)

_COUNT = sa.select(sa.func.count()).select_from(ENTRANT).where(ENTRANT.c.league_id == LEAGUE.c.id).correlate(LEAGUE)
_SEATED = _COUNT.where(_LAST_KIND.not_in([*_RETIRED, *_SUSPENDED]))
_LEAGUES = sa.select(*_LEAGUE.columns, _COUNT.label("entrants"), _SEATED.label("seated"))


def _league(row: sa.Row[*tuple[Any, ...]]) -> League:
    return _LEAGUE.from_row(row, entrants=row.entrants, seated=row.seated)


def _entrant_in(row: sa.Row[*tuple[Any, ...]]) -> Entrant:
    number, version_id, bot, version, owner = row[:5]
    name, owned_by = columns.checked_name(bot) if bot else THIEF, columns.checked_name(owner) if owner else ""
    change = row[5:]
    if change[0] is None:  # another process may have removed the league
        return Entrant(number, version_id, name, version or 0, owned_by)
    return Entrant(number, version_id, name, version or 0, owned_by, _CHANGE.from_values(change))


def _forfeits(row: sa.Row[*tuple[Any, ...]]) -> Forfeits:
    matches, forfeits = row.matches - row.cleared_matches, row.forfeits - row.cleared_forfeits
    return Forfeits(matches, forfeits, row.most_forfeits_in_a_row, row.forfeits_in_a_row)


class Changes(database.Queries):
    """Queries on changes of leagues, such as entrants that joined, left or were suspended."""

    def list(self, league_id: int) -> tuple[Change, ...]:
        """Return the changes of a league, in order."""
        query = sa.select(CHANGE).where(CHANGE.c.league_id == league_id).order_by(CHANGE.c.number)
        return self._all(query, _CHANGE.from_row)

    def newest(self, league_id: int) -> int:
        """Return the number of a league's last change, a cheap way to notice new changes."""
        newest: int | None = self._value(sa.select(sa.func.max(CHANGE.c.number)).where(CHANGE.c.league_id == league_id))
        return newest or 0

    def of_entrant(self, league_id: int, entrant: int, limit: int) -> tuple[Change, ...]:
        """Return the last `limit` changes of an entrant, newest first."""
        of = CHANGE.c.league_id == league_id, CHANGE.c.entrant == entrant
        return self._all(sa.select(CHANGE).where(*of).order_by(CHANGE.c.number.desc()).limit(limit), _CHANGE.from_row)

    def count_entries(self, league_id: int, entrants: Collection[int], since: float) -> int:
        """Count how often entrants joined or returned since a time."""
        of, row = CHANGE.c.league_id == league_id, CHANGE.c
        before = sa.select(row.number).where(of, row.happened <= since).order_by(row.number.desc()).limit(1)
        later = row.number > sa.func.coalesce(before.scalar_subquery(), 0)
        kinds = row.kind.in_([str(ChangeKind.JOINED), str(ChangeKind.RETURNED)])
        return self._value(sa.select(sa.func.count()).where(of, later, kinds, row.entrant.in_(entrants)))

    def first(self, league_id: int, entrant: int) -> Change:
        """Return an entrant's first change, with which it joined."""
        of = CHANGE.c.league_id == league_id, CHANGE.c.entrant == entrant
        return self._all(sa.select(CHANGE).where(*of).order_by(CHANGE.c.number).limit(1), _CHANGE.from_row)[0]


def _entrant(league_id: int, number: int) -> tuple[sa.ColumnElement[bool], ...]:
    return ENTRANT.c.league_id == league_id, ENTRANT.c.number == number


def last_changes(connection: sa.Connection, league_id: int, entrants: Collection[int]) -> dict[int, tuple[int, str]]:
    """Return number and kind of the last change of each entrant, by entrant number; see `Entrant.last`."""
    of = ENTRANT.c.league_id == league_id, ENTRANT.c.number.in_(entrants)
    query = sa.select(ENTRANT.c.number, _LAST.scalar_subquery(), _LAST_KIND).where(*of)
    return {number: (last, kind) for number, last, kind in connection.execute(query)}


def seated(connection: sa.Connection, league_id: int, entrants: Collection[int]) -> frozenset[int]:
    """Return the entrants among `entrants` that are seated, inside the transaction that depends on it."""
    last = last_changes(connection, league_id, entrants)
    return frozenset(number for number, (_, kind) in last.items() if kind not in RETIREMENTS | SUSPENSIONS)


def enter(connection: sa.Connection, league_id: int, versions: Sequence[int | None]) -> int:
    """Add entrants to a league in the caller's transaction; return the number of the first.

    `versions`: version id of each, None for the Bean Thief.
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
    """Record a change of a league in the caller's transaction; return its time.

    `position`: number of deals committed before the change, by default all.
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
