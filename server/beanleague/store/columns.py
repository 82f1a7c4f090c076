"""The tables as queries see them: names and types of columns, without SQLModel, which takes long to load.

Columns are the fields of values of the same names; what a table has beside them is given by name. `tables` declares the
tables, and a test compares.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any

from sqlalchemy import JSON, Boolean, Float, Integer, LargeBinary, String, TableClause, column, table
from sqlalchemy.types import TypeEngine

from beanleague.model import (
    BotVersion,
    Change,
    Deal,
    Fault,
    League,
    Log,
    Manifest,
    Node,
    Rating,
    SeatResult,
    Snapshot,
    Token,
    Totals,
    TradeFlow,
    Void,
)

_TYPES: dict[str, type[TypeEngine[Any]]] = {
    "int": Integer,
    "float": Float,
    "str": String,
    "bool": Boolean,
    "bytes": LargeBinary,
    "tuple": JSON,
    "Mapping": JSON,
}
"""By the annotation of a field."""


def _table(name: str, /, *values: type, apart: Collection[str] = (), **others: type) -> TableClause:
    """Return the table with the columns of `values`, without those `apart`, and `others`."""
    types = {each.name: str(each.type) for value in values for each in fields(value) if each.name not in apart}
    types |= {other: kind.__name__ for other, kind in others.items()}
    return table(
        name,
        *(column(each, _TYPES[kind.removesuffix(" | None").partition("[")[0]]()) for each, kind in types.items()),
    )


SCHEMA = _table("schema_version", version=int)
BOT = _table("bot", id=int, name=str, owner=str, hidden=bool)
BUNDLE = _table("bundle", digest=str, data=bytes)
VERSION = _table("bot_version", Manifest, BotVersion, apart=("name", "manifest", "owner", "hidden"), bot_id=int)
LEAGUE = _table("league", League, apart=("entrants", "seated"))
CHANGE = _table("league_change", Change, league_id=int)
ENTRANT = _table(
    "entrant",
    Totals,
    league_id=int,
    number=int,
    version_id=int,
    forfeits_in_a_row=int,
    most_forfeits_in_a_row=int,
    retired=bool,
    suspended=str,
    cleared_matches=int,
    cleared_forfeits=int,
)
NODE = _table("node", Node, id=int)
DEAL = _table(
    "deal", Deal, apart=("table", "node"), league_id=int, entrants=tuple, layer=str, results=bytes, node_id=int
)
VOID = _table("void", Void, apart=("node",), league_id=int, number=int, node_id=int)
MATCH = _table("match", league_id=int, deal=int, rotation=int, record=bytes)
SEAT = _table("match_seat", SeatResult, league_id=int, deal=int, rotation=int, seat=int)
FAULT = _table("fault", Fault, league_id=int, deal=int, rotation=int, number=int, entrant=int)
TRADE = _table("trade_flow", TradeFlow, league_id=int, deal=int)
LOG = _table("bot_log", Log, apart=("league",), version_id=int, league_id=int)
SNAPSHOT = _table("rating_snapshot", Snapshot, apart=("ratings",), league_id=int, kept=bool, better=bytes)
RATING = _table("rating", Rating, league_id=int, deals=int)
RUN = _table(
    "run",
    league_id=int,
    token=str,
    host=str,
    pid=int,
    thread=int,
    born=str,
    heartbeat=float,
    progress=bytes,
    stop=bool,
    ended=bool,
    error=str,
)
TOKEN = _table("token", Token, id=str, digest=bytes)
