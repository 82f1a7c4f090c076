"""The tables as queries see them, and their rows as values, without SQLModel, which takes long to load.

Columns are the fields of values of the same names; what a table has beside them is given by name. `tables` declares the
tables, and a test compares. Tuples are stored as JSON lists, mappings as JSON objects, everything else unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sqlalchemy import (
    JSON,
    Boolean,
    ColumnClause,
    ColumnElement,
    Float,
    Integer,
    LargeBinary,
    Row,
    String,
    TableClause,
    Text,
    cast,
    column,
    table,
)
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

if TYPE_CHECKING:
    from beanleague.store import tables

T = TypeVar("T")


class Mapper(Generic[T]):
    """Translates one dataclass. `table`: one of those below.

    `apart`: fields of the dataclass that are translated by hand; all others must be columns.
    """

    def __init__(self, value: type[T], table: TableClause, *, apart: Collection[str] = ()) -> None:
        self._value = value
        self._columns: list[ColumnClause[Any]] = [
            table.c[field.name]
            for field in fields(value)  # type: ignore[arg-type]  # a dataclass
            if field.name not in apart
        ]
        self._names = [column.name for column in self._columns]
        # Most columns, such as those of seats, need no conversion.
        self._stored = [
            (column.name, _STORED[type(column.type)]) for column in self._columns if type(column.type) in _STORED
        ]

    def columns(self) -> list[ColumnClause[Any]]:
        """Return the columns of the fields, in their order."""
        return list(self._columns)

    def to_row(self, value: T) -> dict[str, Any]:
        """Return the columns of `value` by name."""
        row = {name: getattr(value, name) for name in self._names}
        for name, convert in self._stored:
            row[name] = convert(row[name])
        return row

    def from_row(self, row: Row[*tuple[Any, ...]] | tables.Row, **apart: object) -> T:
        """Return the value that `row` holds. `apart`: the fields that are translated by hand."""
        for name in self._names:
            data = getattr(row, name)
            apart[name] = tuple(data) if isinstance(data, list) else data
        return self._value(**apart)


def _as_json(data: object) -> object:
    return dict(data) if isinstance(data, Mapping) else list(data) if isinstance(data, tuple) else data


_STORED: dict[type[TypeEngine[Any]], Callable[[Any], object]] = {
    JSON: _as_json,
    String: str,  # some drivers would keep the name of an enum
}


def as_text(column: ColumnClause[Any]) -> ColumnElement[str]:
    """Select a column of JSON lists as the texts they are stored as."""
    return cast(column, Text)


def lists(texts: Sequence[str]) -> list[list[int]]:
    """Return the lists that `texts` hold; all at once, which is ten times as quick as one by one."""
    parsed: list[list[int]] = json.loads(f"[{','.join(texts)}]")
    return parsed


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
CHANGE = _table("league_change", Change, league_id=int, happened=float)
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
