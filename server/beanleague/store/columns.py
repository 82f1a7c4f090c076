"""The tables as queries see them, and their rows as values, without SQLModel, which takes long to load.

Columns are the fields of values of the same names; what a table has beside them is given by name. `tables` declares the
tables, and a test compares. Tuples are stored as JSON lists, mappings as JSON objects, everything else unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeEngine

from beanleague.model import (
    BotVersion,
    Change,
    Deal,
    Fault,
    Ladder,
    LadderDay,
    LadderEpoch,
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
from beanleague.names import DIGEST, NAME
from beanleague.store import DamagedError

if TYPE_CHECKING:
    from beanleague.store import tables

T = TypeVar("T")
_Right: TypeAlias = Callable[[Any], bool]


class WrongValueError(ValueError):
    """Raised for a value of a row that Beanleague would never store: a file may come from anybody."""


def wrong(table: str, name: str, value: object) -> str:
    """Return in a few words that a column has a value that it should not have."""
    return f"{table}.{name} is {value!r:.60}"


def damaged(name: str, wrong: object) -> DamagedError:
    """Return the error for the database `name`, which holds something `wrong`."""
    return DamagedError(f"{name} is damaged: it holds what Beanleague never stores ({wrong}); restore it from a copy")


def _is(*kinds: type) -> _Right:
    return lambda value: type(value) in kinds


def _number(value: Any) -> bool:  # noqa: ANN401
    return type(value) in {int, float} and abs(value) < MAX_NUMBER


def _all(right: _Right) -> _Right:
    return lambda value: type(value) is list and all(map(right, value))


def _all_values(right: _Right) -> _Right:
    return lambda value: type(value) is dict and all(map(right, value.values()))


MAX_NUMBER = 1e11  # of times in seconds, and of ratings; neither NaN nor infinite
_RIGHT: dict[str, _Right] = {
    "int": _is(int),
    "float": _number,
    "str": _is(str),
    "bool": _is(bool),
    "bytes": _is(bytes),
    "tuple[str, ...]": _all(_is(str)),
    "tuple[int, ...]": _all(_is(int)),
    "Mapping[str, int]": _all_values(_is(int)),
    "Mapping[str, int | str]": _all_values(_is(int, str)),
    "Mapping[str, Any]": _all_values(_is(int, float, str, bool)),
}
"""What a value must be, by the annotation of its field."""

_WRITTEN = {
    "bot_version.digest": DIGEST,
    "bot_version.packages": re.compile(f"(?:{DIGEST.pattern})?"),
    "league.name": NAME,
    "league.ruleset": NAME,
    "token.name": NAME,
}
"""How texts are written that name something: some become paths, and one with a line break would look like two."""


SMALL = 2**31 - 1
"""What a number of 32 bits of the protocols holds."""

RANGES = {
    "league.seats": (1, 7),
    "league.deals": (0, SMALL),
    "league.deals_done": (0, SMALL),
    "league.rules": (0, SMALL),
    "bot_version.number": (1, SMALL),
}
"""The least and the largest of numbers whose size decides how much there is to do."""


def checked_name(name: str) -> str:
    """Return the name of a bot or a league in a row.

    Raises:
        WrongValueError: if it is none.
    """
    if type(name) is not str or not NAME.fullmatch(name):
        raise WrongValueError(f"{name!r:.60} is no name")
    return name


def from_json(text: Any) -> Any:  # noqa: ANN401 - whatever a file has
    """Return the value of a JSON text in a row.

    Raises:
        WrongValueError: if it is none.
    """
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise WrongValueError("a column of lists holds something else") from None


class Mapper(Generic[T]):
    """Translates one dataclass. `table`: one of those below.

    `apart`: fields of the dataclass that are translated by hand; all others must be columns.
    """

    def __init__(self, value: type[T], table: sa.TableClause, *, apart: Collection[str] = ()) -> None:
        self._value = value
        self._columns: list[sa.ColumnClause[Any]] = [
            table.c[field.name]
            for field in fields(value)  # type: ignore[arg-type]  # a dataclass
            if field.name not in apart
        ]
        self._names = [column.name for column in self._columns]
        kinds = {field.name: str(field.type) for field in fields(value)}  # type: ignore[arg-type]  # a dataclass
        self._optional = [kinds[name].endswith(" | None") for name in self._names]
        self._right = [_RIGHT[kinds[name].removesuffix(" | None")] for name in self._names]
        written = {name: _WRITTEN.get(f"{table.name}.{name}") for name in self._names}
        self._written = {name: pattern for name, pattern in written.items() if pattern}
        ranges = {name: RANGES.get(f"{table.name}.{name}") for name in self._names}
        self._ranges = {name: ends for name, ends in ranges.items() if ends}
        self._table = table.name
        self._seen = set[tuple[type, ...]]()
        # Most columns, such as those of seats, need no conversion.
        self._stored = [
            (column.name, _STORED[type(column.type)]) for column in self._columns if type(column.type) in _STORED
        ]

    def columns(self) -> list[sa.ColumnClause[Any]]:
        """Return the columns of the fields, in their order."""
        return list(self._columns)

    def to_row(self, value: T) -> dict[str, Any]:
        """Return the columns of `value` by name."""
        row = {name: getattr(value, name) for name in self._names}
        for name, convert in self._stored:
            row[name] = convert(row[name])
        return row

    def from_row(self, row: sa.Row[*tuple[Any, ...]] | tables.Row, **apart: object) -> T:
        """Return the value that `row` holds. `apart`: the fields that are translated by hand.

        Raises:
            WrongValueError: if it holds something else.
        """
        values = [getattr(row, name) for name in self._names]
        self._check(values)
        for name, data in zip(self._names, values, strict=True):
            apart[name] = tuple(data) if isinstance(data, list) else data
        return self._value(**apart)

    def from_values(self, values: Sequence[Any]) -> T:
        """Return the value whose fields are `values`, in their order; quicker than `from_row`, for plain values.

        Raises:
            WrongValueError: if it is none.
        """
        types = tuple(map(type, values))
        if types not in self._seen:
            self._check(values)
            self._seen.add(types)
        return self._value(*values)

    def _check(self, values: Sequence[Any]) -> None:
        for name, optional, right, data in zip(self._names, self._optional, self._right, values, strict=True):
            if not (right(data) or (data is None and optional)):
                raise WrongValueError(wrong(self._table, name, data))
            if name in self._ranges and not self._ranges[name][0] <= data <= self._ranges[name][1]:
                raise WrongValueError(wrong(self._table, name, data))
            if name in self._written and not self._written[name].fullmatch(data):
                raise WrongValueError(wrong(self._table, name, data))


def _as_json(data: object) -> object:
    return dict(data) if isinstance(data, Mapping) else list(data) if isinstance(data, tuple) else data


_STORED: dict[type[TypeEngine[Any]], Callable[[Any], object]] = {
    sa.JSON: _as_json,
    sa.String: str,  # some drivers would keep the name of an enum
}


def as_text(column: sa.ColumnClause[Any]) -> sa.ColumnElement[str]:
    """Select a column of JSON lists as the texts they are stored as."""
    return sa.cast(column, sa.Text)


def lists(texts: Sequence[str]) -> list[list[int]]:
    """Return the lists that `texts` hold; all at once, which is ten times as quick as one by one."""
    parsed: list[list[int]] = from_json(f"[{','.join(texts)}]")
    if len(parsed) != len(texts) or not {list}.issuperset(map(type, parsed)):
        raise WrongValueError("a column of lists holds something else")
    if not {int}.issuperset(map(type, chain.from_iterable(parsed))):
        raise WrongValueError("a list of numbers holds something else")
    return parsed


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
}
"""By the annotation of a field."""


def _table(name: str, /, *values: type, apart: Collection[str] = (), **others: type) -> sa.TableClause:
    """Return the table with the columns of `values`, without those `apart`, and `others`."""
    types = {each.name: str(each.type) for value in values for each in fields(value) if each.name not in apart}
    types |= {other: kind.__name__ for other, kind in others.items()}
    return sa.table(
        name,
        *(sa.column(each, _TYPES[kind.removesuffix(" | None").partition("[")[0]]()) for each, kind in types.items()),
    )


SCHEMA = _table("schema_version", version=int)
BOT = _table("bot", id=int, name=str, owner=str, hidden=bool)
BUNDLE = _table("bundle", digest=str, data=bytes)
VERSION = _table("bot_version", Manifest, BotVersion, apart=("name", "manifest", "owner", "hidden"), bot_id=int)
TRIAL = _table("trial", version_id=int, record=bytes)
LEAGUE = _table("league", League, apart=("entrants", "seated"))
CHANGE = _table("league_change", Change, league_id=int)
LADDER = _table("ladder", Ladder, league_id=int)
DAY = _table("ladder_day", LadderDay, league_id=int)
EPOCH = _table("ladder_epoch", LadderEpoch, league_id=int)
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
SNAPSHOT = _table("rating_snapshot", Snapshot, apart=("ratings",), league_id=int, kept=bool)
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
TABLES = (
    BOT,
    BUNDLE,
    VERSION,
    TRIAL,
    LEAGUE,
    CHANGE,
    LADDER,
    DAY,
    EPOCH,
    ENTRANT,
    NODE,
    DEAL,
    VOID,
    MATCH,
    SEAT,
    FAULT,
    TRADE,
    LOG,
    SNAPSHOT,
    RATING,
    RUN,
    TOKEN,
)
"""All of them but `SCHEMA`, which files do not have."""
