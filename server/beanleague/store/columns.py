"""Rows as values: what a column must hold, and how a dataclass is stored in the columns of its fields' names.

Tuples are stored as JSON lists, mappings as JSON objects, everything else unchanged.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from typing import Any, Generic, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

from beanleague.names import DIGEST, NAME
from beanleague.store import DamagedError

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


def _all(right: _Right) -> _Right:
    return lambda value: type(value) is list and all(map(right, value))


def _all_values(right: _Right) -> _Right:
    return lambda value: type(value) is dict and all(map(right, value.values()))


MAX_NUMBER = 1e11  # of times in seconds, and of ratings; neither NaN nor infinite
_RIGHT: dict[str, _Right] = {
    "int": _is(int),
    "float": lambda value: type(value) in {int, float} and abs(value) < MAX_NUMBER,
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
    """Translates one dataclass to and from rows of `table`.

    `apart`: fields of the dataclass that are translated by hand; all others must be columns.
    """

    def __init__(self, value: type[T], table: sa.Table, *, apart: Collection[str] = ()) -> None:
        self._value = value
        self._table = table.name
        kinds = {field.name: str(field.type) for field in fields(value) if field.name not in apart}  # type: ignore[arg-type]  # a dataclass
        self.columns: list[sa.Column[Any]] = [table.c[name] for name in kinds]
        """The columns of the fields, in their order."""
        self._rights = {name: _right(f"{table.name}.{name}", kind) for name, kind in kinds.items()}
        self._seen = set[tuple[type, ...]]()
        # Most columns, such as those of seats, need no conversion.
        self._stored = [
            (column.name, _STORED[type(column.type)]) for column in self.columns if type(column.type) in _STORED
        ]

    def to_row(self, value: T) -> dict[str, Any]:
        """Return the columns of `value` by name."""
        row = {name: getattr(value, name) for name in self._rights}
        for name, convert in self._stored:
            row[name] = convert(row[name])
        return row

    def from_row(self, row: sa.Row[*tuple[Any, ...]], **apart: object) -> T:
        """Return the value that `row` holds. `apart`: the fields that are translated by hand.

        Raises:
            WrongValueError: if it holds something else.
        """
        values = [getattr(row, name) for name in self._rights]
        self._check(values)
        for name, data in zip(self._rights, values, strict=True):
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
        for (name, right), data in zip(self._rights.items(), values, strict=True):
            if not right(data):
                raise WrongValueError(wrong(self._table, name, data))


def _right(name: str, kind: str) -> _Right:
    """Return what says whether a value is one of the column `name` ("table.column") with this annotation."""
    right = _RIGHT[kind.removesuffix(" | None")]
    if name in RANGES:
        least, most = RANGES[name]
        return lambda value: right(value) and least <= value <= most
    if pattern := _WRITTEN.get(name):
        return lambda value: right(value) and bool(pattern.fullmatch(value))
    return (lambda value: value is None or right(value)) if kind.endswith(" | None") else right


_STORED: dict[type[TypeEngine[Any]], Callable[[Any], object]] = {
    sa.JSON: lambda data: dict(data) if isinstance(data, Mapping) else list(data) if isinstance(data, tuple) else data,
    sa.String: str,  # some drivers would keep the name of an enum
}


def as_text(column: sa.ColumnElement[Any]) -> sa.ColumnElement[str]:
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
