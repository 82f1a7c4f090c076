"""The tables: each column that is a field of a value has its name, and its type by the annotation there.

Rows of a league are found by natural keys: league, deal number, rotation, seat. So nothing of a finished league depends
on the order in which its results came in.
"""

from collections.abc import Collection
from dataclasses import fields
from types import UnionType
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeEngine

from beanleague import model


class _Bytes(sa.LargeBinary):
    """Bytes as they are in a file: SQLAlchemy would make a billion of them from a number."""

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:  # noqa: ANN401 - as SQLAlchemy has it
        if dialect.name == "sqlite":
            return None
        return super().result_processor(dialect, coltype)  # type: ignore[no-untyped-call]


_TYPES: dict[str, type[TypeEngine[Any]]] = {
    "int": sa.Integer,
    "float": sa.Float,
    "str": sa.String,
    "bool": sa.Boolean,
    "bytes": _Bytes,
    "tuple": sa.JSON,
    "Mapping": sa.JSON,
    "Text": sa.Text,
}
"""By the annotation of a field, or the name of a type."""

_LARGE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""Of totals, which outgrow 32 bits; the integers of SQLite are large anyway, but would lose their short form."""

METADATA = sa.MetaData()


def _table(
    name: str,
    /,
    *values: type | sa.Constraint | sa.Index,
    order: str = "",
    key: str = "id",
    large: Collection[str] = (),
    compact: bool = False,
    **others: type | UnionType,
) -> sa.Table:
    """Declare a table with columns for its key, for `others` and for the fields of `values`.

    `order`: the names of the columns, if not all of these in this order; those of no value are integers unless `others`
    say otherwise. `key`: the names of its primary key. `large`: columns of totals. `compact`: SQLite stores rows in the
    index of their key: half the space, one access less. Fields that may be None may be NULL.
    """
    kinds = dict.fromkeys(order.split() or key.split(), "int")
    kinds |= {other: kind.__name__ if isinstance(kind, type) else str(kind) for other, kind in others.items()}
    for value in values:
        if isinstance(value, type):
            kinds |= {field.name: str(field.type) for field in fields(value) if field.name not in others}
    columns = [
        sa.Column(
            each,
            _LARGE if each in large else _TYPES[kinds[each].removesuffix(" | None").partition("[")[0]](),
            primary_key=each in key.split(),
            nullable=kinds[each].endswith(" | None"),
        )
        for each in (order.split() or kinds)
    ]
    more = (item for item in values if not isinstance(item, type))
    return sa.Table(name, METADATA, *columns, *more, sqlite_with_rowid=not compact)


def _names(columns: str, table: str, others: str = "id", ondelete: str | None = None) -> sa.ForeignKeyConstraint:
    """Return the constraint that `columns` are those of a row of `table`, there called `others`."""
    there = [f"{table}.{other}" for other in others.split()]
    return sa.ForeignKeyConstraint(columns.split(), there, ondelete=ondelete)


def _played(columns: str, table: str, others: str) -> sa.ForeignKeyConstraint:
    """Return the foreign key of a table that gets many rows with each deal. PostgreSQL does without it.

    There it would take a query for each row, and so as long as storing them. Their deal is in the same transaction,
    which fails unless it was scheduled; no row is ever changed or removed; and `league verify` compares all of them.
    """
    return _names(columns, table, others).ddl_if(dialect="sqlite")


SCHEMA = _table("schema_version", key="version")
"""The version of these tables, in databases that have no place of their own for it."""

BOT = _table("bot", sa.UniqueConstraint("name"), name=str, owner=str, hidden=bool)
"""A bot, which is a name for versions. `owner`: see `model.BotVersion`."""

BUNDLE = _table("bundle", key="digest", digest=str, data=bytes)
"""A canonical bundle by its digest."""

VERSION = _table(
    "bot_version",
    model.Manifest,
    model.BotVersion,
    sa.UniqueConstraint("bot_id", "number"),
    sa.UniqueConstraint("bot_id", "digest"),
    _names("bot_id", "bot"),
    _names("digest", "bundle", "digest"),
    order="id bot_id number digest games command description author bundle_bytes submitted environment packages",
)
"""A version of a bot. Rows are added and never changed."""

TRIAL = _table("trial", _names("version_id", "bot_version"), key="version_id", record=bytes)
"""A trial match of a version. Of those that earlier releases stored there is none."""

LEAGUE = _table(
    "league",
    model.League,
    sa.UniqueConstraint("name"),
    order=(
        "id name ruleset seats options limits secret deals show_names all_seatings isolate mix_owners one_cpu cpu "
        "created format hero test anchor rules deals_done matches_done hidden"
    ),
    large=["matches_done"],
)
"""A league. `deals_done` and `matches_done` are counted up with every deal committed."""

CHANGE = _table(
    "league_change",
    model.Change,
    sa.Index("changes_of_entrant", "league_id", "entrant", "number", "kind"),
    _names("league_id", "league"),
    order="league_id number kind entrant deals scheduled position happened reason",
    key="league_id number",
)
"""What changed who is seated in a league; `number` counts the changes. The tables of its deals follow from them.

The last change of an entrant alone says whether it is seated: see `model.Entrant`.
"""

LADDER = _table("ladder", model.Ladder, _names("league_id", "league"), key="league_id")
"""What a ladder has beside what every league has."""

DAY = _table("ladder_day", model.LadderDay, _names("league_id", "league"), key="league_id number")
"""A day of a ladder. The secret is shown once the day has ended, and never changes."""

CHECKPOINT = _table(
    "ladder_checkpoint",
    model.LadderCheckpoint,
    _names("league_id day", "ladder_day", "league_id number"),
    order="league_id day entrants deals position epochs digest data",
    key="league_id day",
    data=bytes,
)
"""What was counted of a ladder when a day ended, so that nobody has to read the deals before."""

CHECK = _table(
    "ladder_check", model.NightlyCheck, _names("league_id day", "ladder_day", "league_id number"), key="league_id day"
)
"""Which pairs of a ladder were found to give each other too much, by day."""

EPOCH = _table(
    "ladder_epoch",
    model.LadderEpoch,
    _names("league_id day", "ladder_day", "league_id number"),
    order="league_id number day first count tables background position made entries",
    key="league_id number",
)
"""Deals of a ladder that were planned at once, and what from."""

USAGE = _table(
    "ladder_usage",
    _names("league_id day", "ladder_day", "league_id number"),
    key="league_id day owner",
    large=["ms"],
    owner=str,
    ms=int,
)
"""How long the bots of an owner thought on a day of a ladder."""

ENTRANT = _table(
    "entrant",
    model.Totals,
    sa.UniqueConstraint("league_id", "version_id"),
    sa.Index("entrant_of_version", "version_id"),
    _names("league_id", "league"),
    _names("version_id", "bot_version"),
    order=(
        "league_id number version_id deals matches score wins decisions faults faulted forfeits forfeits_in_a_row "
        "most_forfeits_in_a_row cleared_matches cleared_forfeits"
    ),
    key="league_id number",
    large=[*(field.name for field in fields(model.Totals)), "cleared_matches", "cleared_forfeits"],
    compact=True,
    version_id=int | None,
)
"""A version in a league, or the Bean Thief, with the totals of its matches, updated with every deal committed.

`forfeits_in_a_row`: up to the match committed last; the most of them since it joined or a suspension was lifted.
`cleared_...`: its matches and forfeits when that was; only later ones count towards another suspension.
"""

NODE = _table("node", model.Node, sa.UniqueConstraint("name", "cpu", "beanleague", "python"))
"""A node that played deals; with another version it is another row."""

DEAL = _table(
    "deal",
    model.Deal,
    _names("league_id", "league"),
    order="league_id number entrants seed_digest seed voids published played layer results position node_id dropped",
    key="league_id number",
    compact=True,
    entrants=tuple,
    layer=str,
    results=bytes | None,
    node_id=int | None,
)
"""A deal. Once it is played, `played`, `seed`, `layer` (of the sandbox of its bots) and `node_id` are set.

`results`: the places in its matches: by rotation, a byte for each seat. Not set in solo leagues. Ratings are computed
from this one row per deal, instead of one row per seat. `node_id` is not set by early versions.
"""

VOID = _table(
    "void",
    model.Void,
    _names("league_id deal", "deal", "league_id number"),
    order="league_id deal number reason happened node_id",
    key="league_id deal number",
    compact=True,
    node_id=int | None,
)
"""A deal that was played again, because something other than a bot failed; `number` counts those of a deal."""

MATCH = _table(
    "match", _played("league_id deal", "deal", "league_id number"), key="league_id deal rotation", record=bytes
)
"""A match. The record comes last: lists need not read it. It is empty if a block holds it."""

PIN = _table("pinned_match", _names("league_id", "league"), key="league_id deal rotation")
"""A match of a ladder whose record stays whole."""

BLOCK = _table(
    "record_block",
    model.RecordBlock,
    _names("league_id", "league"),
    order="league_id number first last matches digest data",
    key="league_id number",
    data=bytes,
)
"""Old records of a ladder, without their events."""

ANALYSIS = _table(
    "analysis", _names("league_id", "league"), key="league_id deal rotation", version=int, digest=bytes, found=bytes
)
"""What a version of the analysis found of a match with this digest, as JSON, compressed by zlib."""

SEAT = _table(
    "match_seat",
    model.SeatResult,
    _played("league_id deal rotation", "match", "league_id deal rotation"),
    sa.Index("seats_of_entrant", "league_id", "entrant", "deal", "rotation"),
    key="league_id deal rotation seat",
    compact=True,
)
"""A seat of a match."""

FAULT = _table(
    "fault",
    model.Fault,
    _names("league_id deal rotation seat", "match_seat", "league_id deal rotation seat"),
    sa.Index("faults_of_entrant", "league_id", "entrant", "deal", "rotation"),
    order="league_id deal rotation number seat entrant move kind reason forfeited",
    key="league_id deal rotation number",
    compact=True,
)
"""A fault of a seat; `number` counts those of a match."""

TRADE = _table(
    "trade_flow",
    model.TradeFlow,
    _played("league_id deal", "deal", "league_id number"),
    key="league_id deal giver receiver",
    compact=True,
)
"""What an entrant gave another in all matches of a deal; no row if the two did not trade."""

LOG = _table(
    "bot_log",
    model.Log,
    _names("version_id", "bot_version"),
    _names("league_id", "league"),
    order="version_id league_id text truncated updated",
    key="version_id league_id",
    text=sa.Text,
)
"""The newest part of what a version wrote to stderr in a league."""

SNAPSHOT = _table(
    "rating_snapshot",
    model.Snapshot,
    _names("league_id", "league"),
    order="league_id deals kept created seats luck",
    key="league_id deals",
    kept=bool,
)
"""Ratings after `deals` deals. `kept`: it stays for the history; others are replaced by the next snapshot."""

RATING = _table(
    "rating",
    model.Rating,
    _names("league_id deals", "rating_snapshot", "league_id deals", ondelete="CASCADE"),
    key="league_id deals entrant",
    compact=True,
)
"""A rating in a snapshot."""

RUN = _table(
    "run",
    _names("league_id", "league"),
    key="league_id",
    token=str,
    host=str,
    pid=int,
    thread=int,
    born=str,
    began=float,
    heartbeat=float,
    progress=bytes | None,
    stop=bool,
    ended=bool,
    error=str,
)
"""A run of a league, by a thread that is alive, or was at its last heartbeat; or how its last run failed.

`born`: the start time of the thread, which distinguishes it from others with the same id. `progress`: what the run last
said of itself. `stop`: somebody asked it to stop. `ended`: it has, with this `error`.
"""

TOKEN = _table("token", model.Token, order="id name role digest created expires revoked", id=str, digest=bytes)
"""A token that lets its holder call a server. The token itself is not stored, but its SHA-256."""


def create_all(connection: sa.Connection, *, file: bool) -> None:
    """Make all tables; in a file of SQLite without that of the version, which has a place of its own there."""
    METADATA.create_all(connection, [table for table in METADATA.sorted_tables if not file or table is not SCHEMA])
