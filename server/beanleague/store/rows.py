"""Whether all rows of a SQLite file are such as Beanleague stores: their values, and what they name of each other.

Queries check what they read, which costs nothing. This reads everything, in the language of the database: before a
backup is called verified, and when something fails that never does with rows of our own.
"""

# ruff: noqa: S608 - nothing from a file becomes part of these queries

import sqlite3

import sqlalchemy as sa

from beanleague.games.records.faults import FaultKind
from beanleague.model import COMPARISON, GAUNTLET, LADDER, LEAGUE, ChangeKind, LadderState
from beanleague.store import columns
from beanleague.store.tables import METADATA, SCHEMA

_MAX_INTEGER = 2**53  # beyond it sums of numbers lose digits, or overflow

_KINDS = (  # the first that fits; a Boolean of SQLAlchemy is no Integer
    (sa.Boolean, "typeof({0}) = 'integer' AND {0} IN (0, 1)"),
    (sa.Integer, f"typeof({{0}}) = 'integer' AND {{0}} BETWEEN -{_MAX_INTEGER} AND {_MAX_INTEGER}"),
    (sa.Float, f"typeof({{0}}) IN ('real', 'integer') AND abs({{0}}) < {columns.MAX_NUMBER}"),
    (sa.LargeBinary, "typeof({0}) = 'blob'"),
    (sa.JSON, "typeof({0}) = 'text' AND json_valid({0})"),
    (sa.String, "typeof({0}) = 'text'"),
)
"""What a value must be, by the type of its column."""

LIMITS = "move_ms bank_ms match_ms strikes connect_ms message_bytes stderr_bytes memory_bytes processes scratch_bytes"
TEST = "elo0 elo1 alpha beta by"
"""The names of limits and of the parameters of a test, which a test compares with those of later layers."""

_ENTRANT = "EXISTS (SELECT 1 FROM entrant AS e WHERE e.league_id = {0}.league_id AND e.number = {1})"


def _one_of(*words: str) -> str:
    return "IN ('{}')".format("', '".join(words))


def _all(column: str, *kinds: str) -> str:
    return f"NOT EXISTS (SELECT 1 FROM json_each({column}) AS each WHERE NOT each.type {_one_of(*kinds)})"


def _keys(column: str, names: str) -> str:
    return f"NOT EXISTS (SELECT 1 FROM json_each({column}) AS each WHERE NOT each.key {_one_of(*names.split())})"


def _name(column: str) -> str:
    return f"length({column}) BETWEEN 1 AND 32 AND {column} NOT GLOB '*[^a-z0-9_-]*'"


def _numbers(*names: str, most: int = columns.SMALL) -> dict[str, str]:
    return {name: f"{name} BETWEEN 0 AND {most}" for name in names}


def _entrants(table: str, *names: str) -> dict[str, str]:
    return {name: _ENTRANT.format(table, f"{table}.{name}") for name in names}


_SEAT = "seat >= 0 AND seat < (SELECT max(seats, 2) FROM league WHERE id = {0}.league_id)"  # the Thief has one
_RULES: dict[str, dict[str, str]] = {
    "bot": {"name": _name("name"), "owner": f"owner = '' OR {_name('owner')}"},
    "bundle": {"digest": "length(digest) = 64 AND digest NOT GLOB '*[^0-9a-f]*'"},
    "bot_version": {
        **_numbers("bundle_bytes"),
        "packages": "length(packages) IN (0, 64) AND packages NOT GLOB '*[^0-9a-f]*'",
        "games": f"json_type(games) = 'array' AND {_all('games', 'text')}",
        "command": f"json_type(command) = 'array' AND {_all('command', 'text')} AND json_array_length(command)",
    },
    "league": {
        "name": _name("name"),
        "ruleset": _name("ruleset"),
        "format": f"format {_one_of(LEAGUE, GAUNTLET, COMPARISON, LADDER)}",
        "secret": "length(secret) BETWEEN 1 AND 64",
        "options": f"json_type(options) = 'object' AND {_all('options', 'text', 'integer')}",
        "limits": f"json_type(limits) = 'object' AND {_all('limits', 'integer')} AND {_keys('limits', LIMITS)}",
        "test": (
            f"json_type(test) = 'object' AND {_all('test', 'integer', 'real', 'text')} AND {_keys('test', TEST)} AND "
            f"coalesce(json_extract(test, '$.by'), 'places') {_one_of('places', 'dollars')}"
        ),
        "anchor": (
            f"json_type(anchor) = 'array' AND {_all('anchor', 'integer')} AND NOT EXISTS (SELECT 1 FROM "
            "json_each(anchor) AS each WHERE each.value NOT IN (SELECT number FROM entrant WHERE "
            "league_id = league.id))"
        ),
        "hero": "EXISTS (SELECT 1 FROM entrant AS e WHERE e.league_id = league.id AND e.number = hero)",
        **_numbers("matches_done", most=_MAX_INTEGER),
    },
    "league_change": {
        "kind": f"kind {_one_of(*ChangeKind)}",
        **_entrants("league_change", "entrant"),
        **_numbers("number", "deals", "scheduled", "position"),
    },
    "ladder": {
        "state": f"state {_one_of(*LadderState)}",
        **_numbers("per_owner", "versions_a_day", "cpu_hours", "megabytes", "share"),
    },
    "ladder_usage": _numbers("ms", most=_MAX_INTEGER),
    "ladder_day": {"secret": "length(secret) = 32", "digest": "length(digest) = 32", **_numbers("number")},
    "ladder_epoch": _numbers("number", "day", "first", "count", "tables", "background", "position"),
    "record_block": _numbers("number", "first", "last", "matches"),
    "entrant": {
        "number": (
            "number BETWEEN 0 AND (SELECT count(*) - 1 FROM entrant AS e WHERE e.league_id = entrant.league_id)"
        ),
        **_numbers("forfeits_in_a_row", "most_forfeits_in_a_row"),
        **_numbers("deals", "matches", "wins", "decisions", "faults", "faulted", "forfeits", most=_MAX_INTEGER),
        "cleared_matches": "cleared_matches BETWEEN 0 AND matches",
        "cleared_forfeits": "cleared_forfeits BETWEEN 0 AND forfeits",
    },
    "deal": {
        **_numbers("number", "voids"),
        "entrants": (
            "json_type(entrants) = 'array' AND json_array_length(entrants) IN (SELECT seats FROM league WHERE id = "
            f"deal.league_id) AND {_all('entrants', 'integer')} AND NOT EXISTS (SELECT 1 FROM json_each(entrants) AS "
            f"each WHERE NOT {_ENTRANT.format('deal', 'each.value')})"
        ),
        "position": f"position BETWEEN 1 AND {columns.SMALL}",
        "node_id": "EXISTS (SELECT 1 FROM node WHERE node.id = deal.node_id)",
        "results": (
            "length(results) = (SELECT seats FROM league WHERE id = deal.league_id) * (SELECT count(*) FROM match AS m "
            "WHERE m.league_id = deal.league_id AND m.deal = deal.number)"
        ),
    },
    "void": {**_numbers("number"), "node_id": "EXISTS (SELECT 1 FROM node WHERE node.id = void.node_id)"},
    "match": {
        "rotation": (
            "rotation BETWEEN 0 AND 9999 AND EXISTS (SELECT 1 FROM match_seat AS s WHERE s.league_id = match.league_id "
            "AND s.deal = match.deal AND s.rotation = match.rotation)"
        )
    },
    "analysis": {"digest": "length(digest) = 32", **_numbers("version")},
    "match_seat": {
        **_entrants("match_seat", "entrant"),
        "seat": _SEAT.format("match_seat"),
        "score": f"score BETWEEN -{columns.SMALL} AND {columns.SMALL}",
        "place": "place BETWEEN 1 AND 255",
        **_numbers("decisions", "faults"),
    },
    "fault": {
        **_entrants("fault", "entrant"),
        "seat": _SEAT.format("fault"),
        **_numbers("number", "move"),
        "kind": f"kind {_one_of(*FaultKind)}",
    },
    "trade_flow": {
        **_entrants("trade_flow", "giver", "receiver"),
        **_numbers("trades", "cards", "gifts"),
        "cents": f"cents BETWEEN -{columns.SMALL} AND {columns.SMALL}",
    },
    "rating_snapshot": {
        **_numbers("deals"),
        "seats": (
            "json_type(seats) = 'array' AND NOT EXISTS (SELECT 1 FROM json_each(seats) AS each WHERE CASE each.type "
            "WHEN 'array' THEN json_array_length(each.value) <> 4 ELSE 1 END)"
        ),
    },
    "rating": {**_entrants("rating", "entrant"), **_numbers("best_rank", "worst_rank")},
    "token": {"name": _name("name"), "role": f"role {_one_of('viewer', 'author', 'organiser')}"},
}
"""What holds of columns beside their type, where they are not NULL."""


def check_rows(connection: sqlite3.Connection, name: str) -> None:
    """Check all rows of a file that has the tables of this version.

    Raises:
        DamagedError: if one of them is not such as Beanleague stores. `name`: that of the file.
        sqlite3.Error: if it cannot be read.
    """
    for table in METADATA.tables.values():
        if table is not SCHEMA and (wrong := _wrong_value(connection, table)):
            raise columns.damaged(name, wrong)
    missing = connection.execute("PRAGMA foreign_key_check").fetchone()
    if missing:
        raise columns.damaged(name, f"a row of {missing[0]} names one of {missing[2]} that is not there")


def _wrong_value(connection: sqlite3.Connection, table: sa.Table) -> str:
    """Return which value of a table is wrong, "" if none is."""
    rules = _RULES.get(table.name, {})
    conditions = []
    for column in table.columns:
        kind = next(right for type_, right in _KINDS if isinstance(column.type, type_)).format(column.name)
        # The rule is looked at only where the type is right: functions of JSON fail at what is none.
        if ends := columns.RANGES.get(f"{table.name}.{column.name}"):
            kind += " AND {} BETWEEN {} AND {}".format(column.name, *ends)
        right = f"CASE WHEN {kind} THEN {rules.get(column.name, '1')} ELSE 0 END"
        conditions.append(f"WHEN {column.name} IS NOT NULL AND NOT coalesce({right}, 0) THEN '{column.name}'")
    query = f"SELECT CASE {' '.join(conditions)} END AS wrong, * FROM {table.name} WHERE wrong IS NOT NULL LIMIT 1"
    found = connection.execute(query)
    row = found.fetchone()
    if row is None:
        return ""
    values = dict(zip((name for name, *_ in found.description), row, strict=True))
    return columns.wrong(table.name, values["wrong"], values[values["wrong"]])
