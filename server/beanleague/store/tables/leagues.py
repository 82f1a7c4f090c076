"""Tables of leagues, their entrants and changes, and their runs.

Rows of a league are found by natural keys: league, deal number, rotation, seat. Therefore nothing in a finished league
depends on the order of its results.
"""

from typing import Any

import sqlalchemy as sa

from beanleague.model import COMPARISON, GAUNTLET, LADDER, LEAGUE, ChangeKind
from beanleague.store.tables.base import Bytes, Row, Total, column
from beanleague.store.tables.rules import (
    COUNT,
    LARGE_COUNT,
    NAME,
    SMALL,
    Column,
    ColumnRule,
    Condition,
    keys_among,
    long,
    none_of_each,
    one_of,
    read_between,
)

LIMITS = (
    *("move_ms", "bank_ms", "match_ms", "strikes", "connect_ms", "message_bytes", "stderr_bytes", "memory_bytes"),
    *("processes", "scratch_bytes"),
)
"""Names of the resource limits; a test compares them with `referee.messages.Limits`."""

TEST = ("elo0", "elo1", "alpha", "beta", "by")
"""Parameters of a comparison's test; a test compares them with `SequentialTest`."""


def names_entrant(league_id: Column, number: sa.ColumnElement[Any]) -> Condition:
    """Return the condition that a league has an entrant with this number."""
    entrant = EntrantRow.__table__.alias("e")
    key = entrant.c.league_id == league_id, entrant.c.number == number
    return sa.exists().where(*key).correlate_except(entrant)


ENTRANT = ColumnRule(lambda column: names_entrant(column.table.c.league_id, column))
"""Rule for columns with the number of an entrant of the row's league."""


def _is_anchor(column: Column) -> Condition:
    return none_of_each(column, lambda each: ~names_entrant(column.table.c.id, each.c.value))


def _is_test(column: Column) -> Condition:
    unit = sa.func.coalesce(sa.func.json_extract(column, "$.by"), "places")
    return keys_among(TEST).condition(column) & unit.in_(("places", "dollars"))


def _is_counted(number: Column) -> Condition:
    """Return the condition that entrants are numbered from 0 without a gap."""
    entrant = EntrantRow.__table__.alias("e")
    count = sa.select(sa.func.count()).select_from(entrant).where(entrant.c.league_id == number.table.c.league_id)
    return number.between(0, count.correlate(number.table).scalar_subquery() - 1)


class LeagueRow(Row, table=True):
    """A league."""

    __tablename__ = "league"
    __table_args__ = (sa.UniqueConstraint("name"),)

    id: int = column(primary_key=True)
    """Primary key."""
    name: str = column(NAME)
    """Name of the league."""
    ruleset: str = column(NAME)
    """Id of the ruleset."""
    seats: int = column(read_between(1, 7))
    """Bots per table."""
    options: dict[str, int | str] = column(sa_type=sa.JSON)
    """Options of the game."""
    limits: dict[str, int] = column(keys_among(LIMITS), sa_type=sa.JSON)
    """Resource limits of a bot."""
    secret: bytes = column(long(1, 64), sa_type=Bytes)
    """Master secret from which every seed is derived."""
    deals: int = column(read_between(0, SMALL))
    """Number of deals."""
    show_names: bool
    """Whether bots see the names of their opponents."""
    all_seatings: bool
    """Whether a deal is played with the table's bots in every order."""
    isolate: bool
    """Whether rotations of a deal never share a bot process."""
    mix_owners: bool
    """Whether bots of one owner may share a table even if there are enough others."""
    one_cpu: bool
    """Whether all deals are played on one model of CPU."""
    cpu: str
    """CPU model of all deals; "" before the first deal."""
    created: float
    """Time of creation."""
    format: str = column(one_of((LEAGUE, GAUNTLET, COMPARISON, LADDER)))
    """Name of the format, which decides how tables are chosen."""
    hero: int | None = column(ColumnRule(lambda column: names_entrant(column.table.c.id, column)))
    """In a gauntlet, the entrant at every table."""
    test: dict[str, int | float | str] = column(ColumnRule(_is_test), sa_type=sa.JSON)
    """In a comparison, the parameters of the test."""
    anchor: list[int] = column(ColumnRule(_is_anchor), sa_type=sa.JSON)
    """Entrants whose mean rating is fixed; empty if the mean of all ratings is fixed."""
    rules: int = column(read_between(0, SMALL))
    """Version of the rules."""
    deals_done: int = column(read_between(0, SMALL))
    """Number of deals committed, updated by every commit."""
    matches_done: int = column(LARGE_COUNT, sa_type=Total)
    """Number of matches committed, updated by every commit."""
    hidden: bool
    """Whether lists leave the league out."""


class ChangeRow(Row, table=True):
    """A change of the seated entrants of a league. The changes together determine the tables of its deals.

    The last change of an entrant alone decides whether it is seated: see `model.Entrant`.
    """

    __tablename__ = "league_change"
    __table_args__ = (
        sa.Index("changes_of_entrant", "league_id", "entrant", "number", "kind"),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"]),
    )

    league_id: int = column(primary_key=True)
    """Id of the league."""
    number: int = column(COUNT, primary_key=True)
    """Number of the change in the league, from 1."""
    kind: str = column(one_of(ChangeKind))
    """One of `ChangeKind`."""
    entrant: int | None = column(ENTRANT)
    """Number of the entrant that the change concerns; NULL for a new number of deals."""
    deals: int | None = column(COUNT)
    """The league's new number of deals; NULL for a change of an entrant."""
    scheduled: int = column(COUNT)
    """Number of deals scheduled before the change."""
    position: int | None = column(COUNT)
    """Number of deals committed before the change; NULL for a new number of deals."""
    happened: float
    """Time of the change."""
    reason: str
    """Reason in a few words; may be empty."""


class EntrantRow(Row, table=True):
    """An entrant: a version in a league or the Bean Thief, with totals that every commit updates."""

    __tablename__ = "entrant"
    __table_args__ = (
        sa.UniqueConstraint("league_id", "version_id"),
        sa.Index("entrant_of_version", "version_id"),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"]),
        sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"]),
        {"sqlite_with_rowid": False},
    )

    league_id: int = column(primary_key=True)
    """Id of the league."""
    number: int = column(ColumnRule(_is_counted), primary_key=True)
    """Number of the entrant in the league, from 0."""
    version_id: int | None
    """Id of the bot version; NULL for the Bean Thief."""
    deals: int = column(LARGE_COUNT, sa_type=Total)
    """Number of deals that the entrant took part in."""
    matches: int = column(LARGE_COUNT, sa_type=Total)
    """Number of matches played."""
    score: int = column(sa_type=Total)
    """Sum of the entrant's scores."""
    wins: int = column(LARGE_COUNT, sa_type=Total)
    """Wins, each counted as `model.WIN`; a shared win counts as a fraction of it."""
    decisions: int = column(LARGE_COUNT, sa_type=Total)
    """Number of decisions."""
    faults: int = column(LARGE_COUNT, sa_type=Total)
    """Number of faults."""
    faulted: int = column(LARGE_COUNT, sa_type=Total)
    """Number of matches with at least one fault."""
    forfeits: int = column(LARGE_COUNT, sa_type=Total)
    """Number of matches forfeited."""
    forfeits_in_a_row: int = column(COUNT)
    """Length of the run of forfeits up to the latest match."""
    most_forfeits_in_a_row: int = column(COUNT)
    """Longest run of forfeits since the entrant joined or its suspension was lifted."""
    cleared_matches: int = column(ColumnRule(lambda column: column.between(0, column.table.c.matches)), sa_type=Total)
    """Number of matches when the entrant joined or its suspension was lifted; only later matches count towards another
    suspension."""
    cleared_forfeits: int = column(ColumnRule(lambda column: column.between(0, column.table.c.forfeits)), sa_type=Total)
    """Number of forfeits when the entrant joined or its suspension was lifted."""


class RunRow(Row, table=True):
    """The current run of a league, or the error of its last run."""

    __tablename__ = "run"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """Id of the league."""
    token: str
    """Random text known only to this run."""
    host: str
    """Machine and boot of the run, and namespace of its process."""
    pid: int
    """Process id of the run."""
    thread: int
    """Thread id of the run."""
    born: str
    """Start time of the thread, which distinguishes threads with the same id."""
    began: float
    """Start time of the run."""
    heartbeat: float
    """Time of the latest heartbeat."""
    progress: bytes | None = column(sa_type=Bytes)
    """Latest progress report; NULL before the first."""
    stop: bool
    """Whether a stop was requested."""
    ended: bool
    """Whether the run has ended with `error`."""
    error: str
    """Reason for the failure; "" if the run did not fail."""
