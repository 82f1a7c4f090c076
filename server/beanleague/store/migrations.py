"""What changed between versions of the tables, beside what they are today.

A new column in `tables` and the step that adds it are written together. The steps do not follow the classes there: what
a version was does not change. Alembic writes them in the language of each database; the version is kept by `Database`,
as SQLite files have a place of their own for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    String,
    UniqueConstraint,
    false,
    true,
)

if TYPE_CHECKING:
    from alembic.operations import Operations

OLDEST_SCHEMA_VERSION = 2
"""The oldest version that can be upgraded."""


def _add(op: Operations, table: str, column: str, kind: Any, default: Any) -> None:  # noqa: ANN401 - as Alembic has it
    """Add a column that is never NULL. `default`: its value in the rows there are."""
    op.add_column(table, Column(column, kind, nullable=False, server_default=default))


def _sandbox_layers(op: Operations) -> None:
    _add(op, "deal", "layer", String(), "")


def _owners_and_tokens(op: Operations) -> None:
    _add(op, "bot", "owner", String(), "")
    op.create_table(
        "token",
        Column("id", String(), primary_key=True),
        Column("name", String(), nullable=False),
        Column("role", String(), nullable=False),
        Column("digest", LargeBinary(), nullable=False),
        Column("created", Float(), nullable=False),
        Column("expires", Float()),
        Column("revoked", Float()),
    )


def _forfeits_in_a_row(op: Operations) -> None:
    _add(op, "league", "all_seatings", Boolean(), false())
    _add(op, "entrant", "forfeits_in_a_row", Integer(), "0")


def _most_forfeits_in_a_row(op: Operations) -> None:
    _add(op, "entrant", "most_forfeits_in_a_row", Integer(), "0")
    op.execute("UPDATE entrant SET most_forfeits_in_a_row = forfeits_in_a_row")


def _no_pair_counters(op: Operations) -> None:
    op.drop_table("pair")  # counts of what deal.results says, too


def _changes_and_trades(op: Operations) -> None:
    op.add_column("deal", Column("position", Integer()))
    # Deals committed together have the same time; which of them came first is not known.
    op.execute("""UPDATE deal SET position = ordered.position FROM (
        SELECT league_id, number, row_number() OVER (PARTITION BY league_id ORDER BY played, number) AS position
        FROM deal WHERE played IS NOT NULL
    ) AS ordered WHERE deal.league_id = ordered.league_id AND deal.number = ordered.number""")
    op.create_table(
        "league_change",
        Column("league_id", Integer(), primary_key=True, autoincrement=False),
        Column("number", Integer(), primary_key=True, autoincrement=False),
        Column("kind", String(), nullable=False),
        Column("entrant", Integer()),
        Column("deals", Integer()),
        Column("scheduled", Integer(), nullable=False),
        Column("position", Integer()),
        Column("happened", Float(), nullable=False),
        ForeignKeyConstraint(["league_id"], ["league.id"]),
    )
    _add(op, "league", "rules", Integer(), "1")  # those of that time
    _add(op, "league", "isolate", Boolean(), false())
    _add(op, "league", "mix_owners", Boolean(), true())  # they go on as they began
    keys = ("league_id", "deal", "giver", "receiver")
    op.create_table(
        "trade_flow",
        *(Column(name, Integer(), primary_key=True, autoincrement=False) for name in keys),
        *(Column(name, Integer(), nullable=False) for name in ("trades", "cards", "gifts", "cents")),
        ForeignKeyConstraint(["league_id", "deal"], ["deal.league_id", "deal.number"]),
    )
    op.add_column("rating", Column("least", Float()))
    op.add_column("rating", Column("most", Float()))
    _add(op, "rating", "anchor", Boolean(), false())
    _add(op, "rating", "provisional", Boolean(), true())
    # The newest ratings of each league lack these; they are computed anew from its deals.
    op.execute("""DELETE FROM rating WHERE deals =
        (SELECT max(newest.deals) FROM rating_snapshot AS newest WHERE newest.league_id = rating.league_id)""")
    op.execute("""DELETE FROM rating_snapshot WHERE deals =
        (SELECT max(newest.deals) FROM rating_snapshot AS newest
        WHERE newest.league_id = rating_snapshot.league_id)""")


def _large_totals(op: Operations) -> None:
    if op.get_context().dialect.name == "sqlite":
        return  # its integers are large
    totals = ("deals", "matches", "score", "wins", "decisions", "faults", "faulted", "forfeits")
    for column in (*totals, "cleared_matches", "cleared_forfeits"):
        op.alter_column("entrant", column, type_=BigInteger())
    op.alter_column("league", "matches_done", type_=BigInteger())


def _nodes(op: Operations) -> None:
    op.create_table(
        "node",
        Column("id", Integer(), primary_key=True),
        *(Column(name, String(), nullable=False) for name in ("name", "cpu", "beanleague", "python")),
        UniqueConstraint("name", "cpu", "beanleague", "python"),
    )
    for table in ("deal", "void"):
        op.add_column(table, Column("node_id", Integer()))
    _add(op, "league", "one_cpu", Boolean(), false())
    _add(op, "league", "cpu", String(), "")


def _fewer_foreign_keys(op: Operations) -> None:
    if op.get_context().dialect.name == "sqlite":
        return  # there they take little time
    for table, columns in (("match", "league_id_deal"), ("match_seat", "league_id_deal_rotation")):
        op.drop_constraint(f"{table}_{columns}_fkey", table)
    op.drop_constraint("trade_flow_league_id_deal_fkey", "trade_flow")


def _followed_runs(op: Operations) -> None:
    op.add_column("run", Column("progress", LargeBinary()))
    for flag in ("stop", "ended"):
        _add(op, "run", flag, Boolean(), false())
    _add(op, "run", "error", String(), "")


def _hidden(op: Operations) -> None:
    for table in ("bot", "league"):
        _add(op, table, "hidden", Boolean(), false())


def _environments(op: Operations) -> None:
    for column in ("environment", "packages"):
        _add(op, "bot_version", column, String(), "")


_STEPS: dict[int, Callable[[Operations], None]] = {
    2: _sandbox_layers,
    3: _owners_and_tokens,
    4: _forfeits_in_a_row,
    5: _most_forfeits_in_a_row,
    6: _no_pair_counters,
    7: _changes_and_trades,
    8: _large_totals,
    9: _nodes,
    10: _fewer_foreign_keys,
    11: _followed_runs,
    12: _hidden,
    13: _environments,
}

SCHEMA_VERSION = 1 + max(_STEPS)
"""The current version of the tables."""


def migrate(connection: Connection, version: int) -> None:
    """Upgrade tables from `version`, at least `OLDEST_SCHEMA_VERSION`, in the transaction of `connection`."""
    from alembic.operations import Operations  # takes long, and few need it
    from alembic.runtime.migration import MigrationContext

    op = Operations(MigrationContext.configure(connection))
    for _, step in sorted(item for item in _STEPS.items() if item[0] >= version):
        step(op)
