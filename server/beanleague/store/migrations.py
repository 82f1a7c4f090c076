"""Upgrade steps between released schema versions, written in Alembic.

Every change of a table comes with a step. Steps contain their own definitions and never import current classes, since
an old version does not change. `Database` keeps the version, since SQLite files have `user_version` for it.
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
"""Function that upgrades the tables of a version to the next."""

OLDEST_SCHEMA_VERSION = 14
"""Oldest schema version that can be upgraded: that of the first release, 0.2.0."""


def _add_trials(op: Operations) -> None:
    op.create_table(
        "trial",
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("bot_version.id"), primary_key=True),
        sa.Column("record", sa.LargeBinary(), nullable=False),
    )


def _add_ladders(op: Operations) -> None:
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
    _add_tables_of_days(op)
    _add_old_records(op)


def _add_tables_of_days(op: Operations) -> None:
    """Create the tables of ladders that refer to days."""
    op.create_table(
        "ladder_checkpoint",
        sa.Column("league_id", sa.Integer(), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True),
        sa.Column("entrants", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("epochs", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),
    )
    op.create_table(
        "ladder_epoch",
        sa.Column("league_id", sa.Integer(), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("tables", sa.Integer(), nullable=False),
        sa.Column("background", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
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
        sa.Column("givers", sa.JSON(), nullable=False),
        sa.Column("receivers", sa.JSON(), nullable=False),
        sa.Column("cents", sa.JSON(), nullable=False),
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


def _add_old_records(op: Operations) -> None:
    """Create the tables of pinned matches, analyses, and blocks of old records."""
    op.create_table(
        "pinned_match",
        sa.Column("league_id", sa.Integer(), sa.ForeignKey("league.id"), primary_key=True),
        sa.Column("deal", sa.Integer(), primary_key=True),
        sa.Column("rotation", sa.Integer(), primary_key=True),
    )
    op.create_table(
        "analysis",
        sa.Column("league_id", sa.Integer(), sa.ForeignKey("league.id"), primary_key=True),
        sa.Column("deal", sa.Integer(), primary_key=True),
        sa.Column("rotation", sa.Integer(), primary_key=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("found", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "record_block",
        sa.Column("league_id", sa.Integer(), sa.ForeignKey("league.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )


def _decide_seats_by_changes(op: Operations) -> None:
    """Replace the columns `retired` and `suspended` of entrants by the changes that caused them."""
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
    """Yield the changes of a league that is not a ladder, adding replacements that early versions did not store.

    `retired`: the bots of retired entrants, by number. `bots`: the bots of all entrants.
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
        if row["kind"] == "lifted" and number in replaced:  # the entrant was suspended when it was replaced
            yield {**row, "kind": "replaced"}


def _missing(changes: Iterable[_Row], entrants: Iterable[Any], now: Mapping[str, Any]) -> Iterator[_Row]:
    """Add the reason to the last change of suspended entrants; yield masked changes again, at time `now`.

    A change is masked if a run stored that an entry is rated just after it had left or was suspended.
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
    14: _add_trials,
    15: lambda op: op.drop_column("rating_snapshot", "better"),
    16: _add_ladders,
    17: _decide_seats_by_changes,
    18: lambda op: op.add_column("rating", sa.Column("effective", sa.Float())),
}
"""Upgrade steps by the version that they upgrade, without a gap from `OLDEST_SCHEMA_VERSION` on."""

SCHEMA_VERSION = OLDEST_SCHEMA_VERSION + len(_STEPS)
"""Current schema version."""

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
    19: frozenset(
        {
            "22df1cab0a15db77fab67f16140b811c3cc6f06c6af2ca930e2e039a47cce154",
            "d4c4ecd06edd53f25a98f81a6fca9a98cb24a4194a90e6397d4b7dc7390f0ebb",
        }
    ),
}
"""Digests of `sqlite_master` by schema version: of new files, and of upgraded files."""


def migrate(connection: sa.Connection, version: int, steps: Mapping[int, Step] = _STEPS) -> None:
    """Upgrade tables from `version`, at least `OLDEST_SCHEMA_VERSION`, in the transaction of `connection`."""
    from alembic.operations import Operations  # imported late: slow, and rarely needed
    from alembic.runtime.migration import MigrationContext

    op = Operations(MigrationContext.configure(connection))
    for _, step in sorted(item for item in steps.items() if item[0] >= version):
        step(op)


def newer_error(name: str, version: int) -> DatabaseError:
    """Return the error for a database with a later schema version."""
    return DatabaseError(
        f"{name} was written by a newer version of Beanleague (tables of version {version}; this one knows "
        f"{SCHEMA_VERSION}); upgrade Beanleague, or choose another database"
    )
