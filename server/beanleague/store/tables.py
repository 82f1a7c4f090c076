"""The tables.

Rows of a league are found by natural keys: league, deal number, rotation, seat. So nothing of a finished league depends
on the order in which its results came in.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

_COMPACT = {"sqlite_with_rowid": False}  # rows are stored in the index of their key: half the space, one access less

_LARGE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""Of totals, which outgrow 32 bits; the integers of SQLite are large anyway, but would lose their short form."""


def _played(columns: list[str], others: list[str]) -> sa.ForeignKeyConstraint:
    """Return the foreign key of a table that gets many rows with each deal. PostgreSQL does without it.

    There it would take a query for each row, and so as long as storing them. Their deal is in the same transaction,
    which fails unless it was scheduled; no row is ever changed or removed; and `league verify` compares all of them.
    """
    return sa.ForeignKeyConstraint(columns, others).ddl_if(dialect="sqlite")


class Row(SQLModel, registry=registry()):
    """Base of all tables; a registry of its own, so that other users of SQLModel in a process do not matter."""


class SchemaRow(Row, table=True):
    """The version of these tables, in databases that have no place of their own for it."""

    __tablename__ = "schema_version"
    version: int = Field(primary_key=True)


class BotRow(Row, table=True):
    """A bot, which is a name for versions."""

    __tablename__ = "bot"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    owner: str = ""
    """Name of the author it belongs to; "" for organisers."""
    hidden: bool = False


class BundleRow(Row, table=True):
    """A canonical bundle by its digest."""

    __tablename__ = "bundle"
    digest: str = Field(primary_key=True)
    data: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False))


class VersionRow(Row, table=True):
    """A version of a bot. Rows are added and never changed."""

    __tablename__ = "bot_version"
    __table_args__ = (sa.UniqueConstraint("bot_id", "number"), sa.UniqueConstraint("bot_id", "digest"))
    id: int | None = Field(default=None, primary_key=True)
    bot_id: int = Field(foreign_key="bot.id")
    number: int
    digest: str = Field(foreign_key="bundle.digest")
    games: list[str] = Field(sa_column=sa.Column(sa.JSON, nullable=False))
    command: list[str] = Field(sa_column=sa.Column(sa.JSON, nullable=False))
    description: str
    author: str
    bundle_bytes: int
    submitted: float
    environment: str = ""
    packages: str = ""
    """Digest of the environment."""


class TrialRow(Row, table=True):
    """A trial match of a version. Of those that earlier releases stored there is none."""

    __tablename__ = "trial"
    version_id: int = Field(primary_key=True, foreign_key="bot_version.id")
    record: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False))


class LeagueRow(Row, table=True):
    """A league. `deals_done` and `matches_done` are counted up with every deal committed.

    `format`, `hero`, `test`, `anchor`, `rules`, `cpu`: see `model.League`.
    """

    __tablename__ = "league"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    ruleset: str
    seats: int
    options: dict[str, int | str] = Field(sa_column=sa.Column(sa.JSON, nullable=False))
    limits: dict[str, int] = Field(sa_column=sa.Column(sa.JSON, nullable=False))
    secret: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False))
    deals: int
    show_names: bool
    all_seatings: bool = False
    isolate: bool = False
    mix_owners: bool = False
    one_cpu: bool = False
    cpu: str = ""
    created: float
    format: str = "league"
    hero: int | None = None
    test: dict[str, Any] = Field(sa_column=sa.Column(sa.JSON, nullable=False))
    anchor: list[int] = Field(sa_column=sa.Column(sa.JSON, nullable=False))
    rules: int
    """The version of the rules it is played by."""
    deals_done: int = 0
    matches_done: int = Field(default=0, sa_type=_LARGE)
    hidden: bool = False


class ChangeRow(Row, table=True):
    """What changed who is seated in a league; `number` counts the changes. The tables of its deals follow from them."""

    __tablename__ = "league_change"
    league_id: int = Field(primary_key=True, foreign_key="league.id")
    number: int = Field(primary_key=True)
    kind: str
    """One of `model.ChangeKind`."""
    entrant: int | None = None
    """Whom it concerns; None for the number of deals."""
    deals: int | None = None
    """The new number of deals of the league."""
    scheduled: int
    """Deals scheduled before it."""
    position: int | None = None
    """Deals committed before it; None for the number of deals, for which that does not matter."""
    happened: float
    reason: str = ""


class LadderRow(Row, table=True):
    """What a ladder has beside what every league has: see `model.Ladder`."""

    __tablename__ = "ladder"
    league_id: int = Field(primary_key=True, foreign_key="league.id")
    state: str
    reason: str
    per_owner: int
    versions_a_day: int


class DayRow(Row, table=True):
    """A day of a ladder; see `model.LadderDay`. The secret is shown once the day has ended, and never changes."""

    __tablename__ = "ladder_day"
    league_id: int = Field(primary_key=True, foreign_key="league.id")
    number: int = Field(primary_key=True)
    began: float
    digest: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False))
    secret: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False))
    ended: float | None = None


class EpochRow(Row, table=True):
    """Deals of a ladder that were planned at once, and what from; see `model.LadderEpoch`."""

    __tablename__ = "ladder_epoch"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),)
    league_id: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    day: int
    first: int
    count: int
    tables: int
    background: int
    position: int
    made: float
    entries: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False))


class EntrantRow(Row, table=True):
    """A version in a league, with the totals of its matches (`model.Totals`), updated with every deal committed."""

    __tablename__ = "entrant"
    __table_args__ = (
        sa.UniqueConstraint("league_id", "version_id"),
        sa.Index("entrant_of_version", "version_id"),
        _COMPACT,
    )
    league_id: int = Field(primary_key=True, foreign_key="league.id")
    number: int = Field(primary_key=True)
    version_id: int | None = Field(default=None, foreign_key="bot_version.id")
    """None for the Bean Thief, against which the bots of a solo league play."""
    deals: int = Field(default=0, sa_type=_LARGE)
    matches: int = Field(default=0, sa_type=_LARGE)
    score: int = Field(default=0, sa_type=_LARGE)
    wins: int = Field(default=0, sa_type=_LARGE)
    decisions: int = Field(default=0, sa_type=_LARGE)
    faults: int = Field(default=0, sa_type=_LARGE)
    faulted: int = Field(default=0, sa_type=_LARGE)
    forfeits: int = Field(default=0, sa_type=_LARGE)
    forfeits_in_a_row: int = 0
    """Consecutive forfeits up to the match committed last."""
    most_forfeits_in_a_row: int = 0
    """Most consecutive forfeits since it joined or a suspension was lifted."""
    retired: bool = False
    """A newer version replaced it."""
    suspended: str = ""
    """Why it is no longer seated; "" if it is not suspended."""
    cleared_matches: int = Field(default=0, sa_type=_LARGE)
    """Matches when a suspension was lifted; only later ones count towards another suspension."""
    cleared_forfeits: int = Field(default=0, sa_type=_LARGE)
    """Forfeits when a suspension was lifted, likewise."""


class NodeRow(Row, table=True):
    """A node that played deals (`model.Node`); with another version it is another row."""

    __tablename__ = "node"
    __table_args__ = (sa.UniqueConstraint("name", "cpu", "beanleague", "python"),)
    id: int | None = Field(default=None, primary_key=True)
    name: str
    cpu: str
    beanleague: str
    python: str


class DealRow(Row, table=True):
    """A deal. Once it is played, `played`, `seed`, `layer` and `node_id` are set."""

    __tablename__ = "deal"
    __table_args__ = (_COMPACT,)
    league_id: int = Field(primary_key=True, foreign_key="league.id")
    number: int = Field(primary_key=True)
    entrants: list[int] = Field(sa_column=sa.Column(sa.JSON, nullable=False))
    seed_digest: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False))
    seed: bytes | None = Field(default=None, sa_column=sa.Column(sa.LargeBinary, nullable=True))
    voids: int = 0
    published: float
    played: float | None = None
    layer: str = ""
    """Sandbox layer that its bots ran under."""
    results: bytes | None = Field(default=None, sa_column=sa.Column(sa.LargeBinary, nullable=True))
    """Places in its matches: by rotation, a byte for each seat. Not set in solo leagues.

    Ratings are computed from this one row per deal, instead of one row per seat.
    """
    position: int | None = None
    """1, 2, ... in the order in which the deals of the league were committed."""
    node_id: int | None = None
    """`NodeRow.id` of who played it; not set by earlier versions."""
    dropped: float | None = None
    """When it was given up, unplayed: see `model.Deal`."""


class VoidRow(Row, table=True):
    """A deal that was played again, because something other than a bot failed; `number` counts those of a deal."""

    __tablename__ = "void"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "deal"], ["deal.league_id", "deal.number"]), _COMPACT)
    league_id: int = Field(primary_key=True)
    deal: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    reason: str
    happened: float
    node_id: int | None = None
    """`NodeRow.id` of where that was; not set by earlier versions."""


class MatchRow(Row, table=True):
    """A match. The record comes last: lists need not read it."""

    __tablename__ = "match"
    __table_args__ = (_played(["league_id", "deal"], ["deal.league_id", "deal.number"]),)
    league_id: int = Field(primary_key=True)
    deal: int = Field(primary_key=True)
    rotation: int = Field(primary_key=True)
    record: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False))


class SeatRow(Row, table=True):
    """A seat of a match."""

    __tablename__ = "match_seat"
    __table_args__ = (
        _played(["league_id", "deal", "rotation"], ["match.league_id", "match.deal", "match.rotation"]),
        sa.Index("seats_of_entrant", "league_id", "entrant", "deal", "rotation"),
        _COMPACT,
    )
    league_id: int = Field(primary_key=True)
    deal: int = Field(primary_key=True)
    rotation: int = Field(primary_key=True)
    seat: int = Field(primary_key=True)
    entrant: int
    score: int
    place: int
    decisions: int
    faults: int
    forfeited: bool


class FaultRow(Row, table=True):
    """A fault of a seat; `number` counts those of a match."""

    __tablename__ = "fault"
    __table_args__ = (
        sa.ForeignKeyConstraint(
            ["league_id", "deal", "rotation", "seat"],
            ["match_seat.league_id", "match_seat.deal", "match_seat.rotation", "match_seat.seat"],
        ),
        sa.Index("faults_of_entrant", "league_id", "entrant", "deal", "rotation"),
        _COMPACT,
    )
    league_id: int = Field(primary_key=True)
    deal: int = Field(primary_key=True)
    rotation: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    seat: int
    entrant: int
    move: int
    kind: str
    reason: str
    forfeited: bool


class TradeRow(Row, table=True):
    """What an entrant gave another in all matches of a deal (`model.TradeFlow`); no row if the two did not trade."""

    __tablename__ = "trade_flow"
    __table_args__ = (_played(["league_id", "deal"], ["deal.league_id", "deal.number"]), _COMPACT)
    league_id: int = Field(primary_key=True)
    deal: int = Field(primary_key=True)
    giver: int = Field(primary_key=True)
    receiver: int = Field(primary_key=True)
    trades: int
    cards: int
    gifts: int
    cents: int


class LogRow(Row, table=True):
    """The newest part of what a version wrote to stderr in a league."""

    __tablename__ = "bot_log"
    version_id: int = Field(primary_key=True, foreign_key="bot_version.id")
    league_id: int = Field(primary_key=True, foreign_key="league.id")
    text: str = Field(sa_column=sa.Column(sa.Text, nullable=False))
    truncated: bool
    updated: float


class SnapshotRow(Row, table=True):
    """Ratings after `deals` deals. `seats`, `luck`: see `model.Snapshot`."""

    __tablename__ = "rating_snapshot"
    league_id: int = Field(primary_key=True, foreign_key="league.id")
    deals: int = Field(primary_key=True)
    kept: bool
    """Whether it stays for the history; others are replaced by the next snapshot."""
    created: float
    seats: list[list[float]] = Field(default=[], sa_column=sa.Column(sa.JSON, nullable=False))
    luck: float | None = None


class RatingRow(Row, table=True):
    """A rating in a snapshot."""

    __tablename__ = "rating"
    __table_args__ = (
        sa.ForeignKeyConstraint(
            ["league_id", "deals"], ["rating_snapshot.league_id", "rating_snapshot.deals"], ondelete="CASCADE"
        ),
        _COMPACT,
    )
    league_id: int = Field(primary_key=True)
    deals: int = Field(primary_key=True)
    entrant: int = Field(primary_key=True)
    rating: float
    interval: float | None
    best_rank: int
    worst_rank: int
    least: float | None = None
    most: float | None = None
    anchor: bool = False
    provisional: bool = True


class RunRow(Row, table=True):
    """A run of a league, by a thread that is alive, or was at its last heartbeat; or how its last run failed."""

    __tablename__ = "run"
    league_id: int = Field(primary_key=True, foreign_key="league.id")
    token: str
    host: str
    pid: int
    thread: int
    born: str
    """Start time of the thread, which distinguishes it from others with the same id."""
    began: float
    heartbeat: float
    progress: bytes | None = Field(default=None, sa_column=sa.Column(sa.LargeBinary))
    """What the run last said of itself."""
    stop: bool = False
    """Whether somebody asked it to stop."""
    ended: bool = False
    """Whether it has ended, with an error."""
    error: str = ""
    """That error."""


class TokenRow(Row, table=True):
    """A token that lets its holder call a server. The token itself is not stored."""

    __tablename__ = "token"
    id: str = Field(primary_key=True)
    name: str
    role: str
    digest: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False))
    """SHA-256 of the token."""
    created: float
    expires: float | None = None
    revoked: float | None = None


def metadata() -> sa.MetaData:
    """Return the description of all tables."""
    return Row.metadata


def create_all(connection: sa.Connection, *, file: bool) -> None:
    """Make all tables; in a file of SQLite without that of the version, which has a place of its own there."""
    wanted = [table for table in metadata().sorted_tables if not file or table is not core(SchemaRow)]
    metadata().create_all(connection, wanted)


def core(row: type[Row]) -> sa.Table:
    """Return the table of a row class, for statements over many rows at once."""
    table: sa.Table = row.__table__  # type: ignore[attr-defined]
    return table
