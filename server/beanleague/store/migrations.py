"""What changed between released versions of the tables, beside what they are today.

A change in `tables` and the step that brings it are written together. The steps do not follow the classes there: what a
version was does not change. Alembic writes them in the language of each database; the version is kept by `Database`,
as SQLite files have a place of their own for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import sqlalchemy as sa

from beanleague.store import DatabaseError

if TYPE_CHECKING:
    from alembic.operations import Operations

Step: TypeAlias = "Callable[[Operations], None]"
"""Turns the tables of a version into those of the next."""

OLDEST_SCHEMA_VERSION = 14
"""The oldest version that can be upgraded: that of 0.2.0, the first release."""


def _add_ladders(op: Operations) -> None:
    op.add_column("league_change", sa.Column("reason", sa.String(), nullable=False, server_default=""))
    op.add_column("deal", sa.Column("dropped", sa.Float()))
    settings = "per_owner:int versions_a_day:int cpu_hours:int megabytes:int share:int"
    _create(op, "ladder", "league_id>league.id", f"state:str reason:str {settings}")
    _create(op, "ladder_day", "league_id>league.id number", "began:float digest:bytes secret:bytes ended:float?")
    counts = "entrants:int deals:int position:int epochs:int"
    _create(op, "ladder_checkpoint", "league_id day", f"{counts} digest:bytes data:bytes", of_day=True)
    numbers = "day:int first:int count:int tables:int background:int position:int"
    _create(op, "ladder_epoch", "league_id number", f"{numbers} made:float entries:bytes", of_day=True)
    pairs = "givers:json receivers:json cents:json"
    _create(op, "ladder_check", "league_id day", f"made:float deals:int {pairs}", of_day=True)
    _create(op, "ladder_usage", "league_id day owner:str", "ms:large", of_day=True)
    _create(op, "pinned_match", "league_id>league.id deal rotation", "")
    _create(op, "analysis", "league_id>league.id deal rotation", "version:int digest:bytes found:bytes")
    block = "first:int last:int matches:int digest:bytes data:bytes"
    _create(op, "record_block", "league_id>league.id number", block)


def _create(op: Operations, table: str, key: str, columns: str, *, of_day: bool = False) -> None:
    """Create a table. Its `key` and other `columns`: "name:type", of numbers in a key "name"; "?": it may be NULL.

    "name>table.column": a number that names a row there. `of_day`: whether each row names a day of a ladder.
    """
    types: dict[str, sa.types.TypeEngine[Any]] = {
        "int": sa.Integer(),
        "float": sa.Float(),
        "str": sa.String(),
        "bytes": sa.LargeBinary(),
        "json": sa.JSON(),
        "large": sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
    }
    made: list[sa.schema.SchemaItem] = []
    for text in key.split() + columns.split():
        name, _, kind = text.removesuffix("?").partition(":")
        name, _, there = name.partition(">")
        names = [sa.ForeignKey(there)] if there else []
        made.append(
            sa.Column(name, types[kind or "int"], *names, primary_key=text in key.split(), nullable=text.endswith("?"))
        )
    if of_day:
        made.append(sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]))
    op.create_table(table, *made)


def _decide_seats_by_changes(op: Operations) -> None:
    """Let the last change of each entrant say whether it is seated, and why not, in place of two columns."""
    connection = op.get_bind()
    change = sa.table("league_change", *map(sa.column, _CHANGE.split()))
    flags = sa.column("retired", sa.Boolean()), sa.column("suspended", sa.String())
    entrant = sa.table("entrant", sa.column("league_id"), sa.column("number"), sa.column("version_id"), *flags)
    version = sa.table("bot_version", sa.column("id"), sa.column("bot_id"))
    league = sa.table("league", sa.column("id"), sa.column("format"), sa.column("deals_done"))
    deal = sa.table("deal", sa.column("league_id"), sa.column("number"))
    out = sa.select(entrant.c.league_id).where(sa.or_(entrant.c.retired, entrant.c.suspended != ""))
    for of in connection.execute(sa.select(league).where(league.c.id.in_(out))).all():
        rows = sa.select(change).where(change.c.league_id == of.id).order_by(change.c.number)
        changes = [dict(row) for row in connection.execute(rows).mappings()]
        query = sa.select(entrant, version.c.bot_id).join_from(
            entrant, version, version.c.id == entrant.c.version_id, isouter=True
        )
        entrants = connection.execute(query.where(entrant.c.league_id == of.id).order_by(entrant.c.number)).all()
        if of.format != "ladder":
            retired = {each.number: each.bot_id for each in entrants if each.retired}
            changes = [*_with_replaced(changes, retired, {each.number: each.bot_id for each in entrants})]
        scheduled = connection.scalar(sa.select(sa.func.max(deal.c.number)).where(deal.c.league_id == of.id))
        now = {"scheduled": scheduled or 0, "position": of.deals_done, "happened": time.time()}
        changes = [*changes, *_missing(changes, entrants, now)]
        connection.execute(sa.delete(change).where(change.c.league_id == of.id))
        connection.execute(sa.insert(change), [{**row, "number": number} for number, row in enumerate(changes, 1)])
    op.drop_column("entrant", "retired")
    op.drop_column("entrant", "suspended")
    op.create_index("changes_of_entrant", "league_change", ["league_id", "entrant", "number", "kind"])


_CHANGE = "league_id number kind entrant deals scheduled position happened reason"
_Row: TypeAlias = "dict[str, Any]"


def _with_replaced(changes: Iterable[_Row], retired: Mapping[int, int], bots: Mapping[int, int]) -> Iterator[_Row]:
    """Yield the changes of a league that is no ladder, with those that were not written: that entrants were replaced.

    `retired`: the bots of entrants that do not play, by number. `bots`: those of all.
    """
    there, replaced, left = set[int](), set[int](), set[int]()
    for row in changes:
        number = row["entrant"]
        if row["kind"] == "joined":
            older = sorted(each for each in there - replaced - left if retired.get(each, -1) == bots[number])
            yield from ({**row, "kind": "replaced", "entrant": each} for each in older)
            replaced.update(older)
            there.add(number)
        left |= {number} if row["kind"] == "left" else set()
        yield row
        if row["kind"] == "lifted" and number in replaced:  # it was suspended when it was replaced
            yield {**row, "kind": "replaced"}


def _missing(changes: Iterable[_Row], entrants: Iterable[Any], now: Mapping[str, Any]) -> Iterator[_Row]:
    """Write into the last changes of suspended entrants why that is; yield changes that others hid, made anew `now`.

    A run could write that an entry of a ladder is rated when it had left or was suspended just before.
    """
    last = {row["entrant"]: row for row in changes if row["kind"] != "dropped"}
    for each in entrants:
        row = last.get(each.number, {"kind": "joined", "reason": ""})
        more = {"league_id": each.league_id, "entrant": each.number, "deals": None, **now}
        if each.retired and row["kind"] not in {"paused", "rested", "replaced", "left"}:
            yield {**more, "kind": "left", "reason": "it had left"}
        elif each.suspended and not each.retired and row["kind"] not in {"suspended", "excluded"}:
            yield {**more, "kind": "excluded", "reason": each.suspended}
        elif each.suspended:
            row["reason"] = row["reason"] or each.suspended


_STEPS: dict[int, Step] = {
    14: lambda op: _create(op, "trial", "version_id>bot_version.id", "record:bytes"),
    15: lambda op: op.drop_column("rating_snapshot", "better"),
    16: _add_ladders,
    17: _decide_seats_by_changes,
}
"""By the version that a step begins with, from `OLDEST_SCHEMA_VERSION` on without a gap."""

SCHEMA_VERSION = OLDEST_SCHEMA_VERSION + len(_STEPS)
"""The current version of the tables."""

SQLITE_SCHEMAS: Mapping[int, frozenset[str]] = {
    14: frozenset({"d0d0af13fbc4f6b9a628d938ede8f5940ae8877ae311777c2d5fc92b367ce57e"}),
    15: frozenset({"84939c45cbaa9fa27657c829a28904925653d441bf538274304bfa3986fcac74"}),
    16: frozenset({"c04e832fd4f2c411fca2cee5fa9753613c78433e293ad4e2557925dd14619481"}),
    17: frozenset(
        {
            "0458e1e58e6d05bb6a4ca558aaebc500a8f095547603d5622c1427d7cc8e3388",
            "15f19432a20cdf4648b9e1dfa68a039a205fdc4414c6d46a4398b3da298efe41",
        }
    ),
    18: frozenset(
        {
            "f3b79332113150d1e5d98d67efcf2fd24c60097597aa362b3f2979007655a32d",
            "f404b02bb75bca1f09badfaa50b8b1fb00e182e616ad92cad77fe2f0debbb503",
        }
    ),
}
"""By version the digests of what `sqlite_master` of a file may hold: tables made anew, and those that steps brought."""


def migrate(connection: sa.Connection, version: int, steps: Mapping[int, Step] = _STEPS) -> None:
    """Upgrade tables from `version`, at least `OLDEST_SCHEMA_VERSION`, in the transaction of `connection`."""
    from alembic.operations import Operations  # takes long, and few need it
    from alembic.runtime.migration import MigrationContext

    op = Operations(MigrationContext.configure(connection))
    for _, step in sorted(item for item in steps.items() if item[0] >= version):
        step(op)


def newer(name: str, version: int) -> DatabaseError:
    """Return the error for tables of a later version."""
    return DatabaseError(
        f"{name} was written by a newer version of Beanleague (tables of version {version}; this one knows "
        f"{SCHEMA_VERSION}); upgrade Beanleague, or choose another database"
    )
