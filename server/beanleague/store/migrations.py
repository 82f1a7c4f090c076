"""What changed between released versions of the tables, beside what they are today.

A change in `tables` and the step that brings it are written together. The steps do not follow the classes there: what a
version was does not change. Alembic writes them in the language of each database; the version is kept by `Database`,
as SQLite files have a place of their own for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from beanleague.store import DatabaseError

if TYPE_CHECKING:
    import sqlalchemy as sa
    from alembic.operations import Operations

Step: TypeAlias = "Callable[[Operations], None]"
"""Turns the tables of a version into those of the next."""

OLDEST_SCHEMA_VERSION = 14
"""The oldest version that can be upgraded: that of 0.2.0, the first release."""


def _add_trials(op: Operations) -> None:
    import sqlalchemy as sa

    op.create_table(
        "trial",
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("bot_version.id"), primary_key=True),
        sa.Column("record", sa.LargeBinary(), nullable=False),
    )


def _drop_better(op: Operations) -> None:
    op.drop_column("rating_snapshot", "better")


def _add_ladders(op: Operations) -> None:
    import sqlalchemy as sa

    op.add_column("league_change", sa.Column("reason", sa.String(), nullable=False, server_default=""))
    op.add_column("deal", sa.Column("dropped", sa.Float()))
    op.create_table(
        "ladder",
        sa.Column("league_id", sa.Integer(), sa.ForeignKey("league.id"), primary_key=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("per_owner", sa.Integer(), nullable=False),
        sa.Column("versions_a_day", sa.Integer(), nullable=False),
        sa.Column("cpu_hours", sa.Integer(), nullable=False),
        sa.Column("megabytes", sa.Integer(), nullable=False),
        sa.Column("share", sa.Integer(), nullable=False),
    )
    op.create_table(
        "ladder_day",
        sa.Column("league_id", sa.Integer(), sa.ForeignKey("league.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("began", sa.Float(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("ended", sa.Float()),
    )
    op.create_table(
        "ladder_checkpoint",
        sa.Column("league_id", sa.Integer(), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("entrants", "deals", "position", "epochs")),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),
    )
    numbers = ("day", "first", "count", "tables", "background", "position")
    op.create_table(
        "ladder_epoch",
        sa.Column("league_id", sa.Integer(), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in numbers),
        sa.Column("made", sa.Float(), nullable=False),
        sa.Column("entries", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),
    )
    op.create_table(
        "ladder_check",
        sa.Column("league_id", sa.Integer(), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True),
        sa.Column("made", sa.Float(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.JSON(), nullable=False) for name in ("givers", "receivers", "cents")),
        sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),
    )
    op.create_table(
        "ladder_usage",
        sa.Column("league_id", sa.Integer(), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True),
        sa.Column("owner", sa.String(), primary_key=True),
        sa.Column("ms", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),
    )


_STEPS: dict[int, Step] = {14: _add_trials, 15: _drop_better, 16: _add_ladders}
"""By the version that a step begins with, from `OLDEST_SCHEMA_VERSION` on without a gap."""

SCHEMA_VERSION = OLDEST_SCHEMA_VERSION + len(_STEPS)
"""The current version of the tables."""

SQLITE_SCHEMAS: Mapping[int, frozenset[str]] = {
    14: frozenset({"d0d0af13fbc4f6b9a628d938ede8f5940ae8877ae311777c2d5fc92b367ce57e"}),
    15: frozenset({"84939c45cbaa9fa27657c829a28904925653d441bf538274304bfa3986fcac74"}),
    16: frozenset({"c04e832fd4f2c411fca2cee5fa9753613c78433e293ad4e2557925dd14619481"}),
    17: frozenset(
        {
            "acb4c16873deb06b826129f7dc647edc380f0942f47b5dcaa980bc56aef82021",
            "df201a19b360a49ccc38562a8b8eccae771f7b9284eec5be7ff430550ebab519",
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
