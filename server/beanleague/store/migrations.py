"""What changed between released versions of the tables, beside what they are today.

A change in `tables` and the step that brings it are written together. The steps do not follow the classes there: what a
version was does not change. Alembic writes them in the language of each database; the version is kept by `Database`,
as SQLite files have a place of their own for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


_STEPS: dict[int, Step] = {
    14: lambda op: _create(op, "trial", "version_id>bot_version.id", "record:bytes"),
    15: lambda op: op.drop_column("rating_snapshot", "better"),
    16: _add_ladders,
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
