"""Conversion between rows and dataclasses, with checks of values; columns have the names of the fields.

Tuples are stored as JSON lists, mappings as JSON objects, everything else unchanged.
"""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields
from itertools import chain
from typing import Any, Generic, TypeAlias, TypeVar, get_args, get_origin

import sqlalchemy as sa

from beanleague.names import NAME
from beanleague.store import DamagedError
from beanleague.store.tables import Row
from beanleague.store.tables.base import rule_of
from beanleague.store.tables.rules import MAX_NUMBER

T = TypeVar("T")
_Check: TypeAlias = Callable[[Any], bool]


class WrongValueError(ValueError):
    """Raised for a value that Beanleague never stores: another program may have written the file."""


def describe_wrong(table: str, name: str, value: object) -> str:
    """Describe an invalid value of a column, in a few words."""
    return f"{table}.{name} is {value!r:.60}"


def damage_error(name: str, wrong: object) -> DamagedError:
    """Return the error for a database `name` with the invalid value `wrong`."""
    return DamagedError(
        f"{name} is damaged: it contains a value that Beanleague never stores ({wrong}); restore it from a backup"
    )


def checked_name(name: str) -> str:
    """Return a name of a bot or league read from a row.

    Raises:
        WrongValueError: if the value is not a valid name.
    """
    if type(name) is not str or not NAME.fullmatch(name):
        raise WrongValueError(f"{name!r:.60} is not a valid name")
    return name


def from_json(text: Any) -> Any:  # noqa: ANN401 - any value from a file
    """Return the value of a JSON text read from a row.

    Raises:
        WrongValueError: if the text is not JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise WrongValueError("a column of lists holds something else") from None


class Mapper(Generic[T]):
    """Converts a dataclass to and from rows of `table`.

    `apart`: fields of the dataclass that the caller converts; all others must be columns.
    """

    def __init__(self, value: type[T], table: type[Row], *, apart: Collection[str] = ()) -> None:
        self.value = value
        self.table = table
        names = [field.name for field in fields(value) if field.name not in apart]  # type: ignore[arg-type]  # a dataclass
        self.columns: list[sa.Column[Any]] = [table.__table__.c[name] for name in names]
        """The columns of the fields, in their order."""
        kinds = {name: table.model_fields[name].annotation for name in names}
        self._checks = {column.name: _check(kinds[column.name], column) for column in self.columns}
        self._seen = set[tuple[type, ...]]()
        # Most columns need no conversion, for example all columns of seats.
        self._stored = [(name, convert) for name, kind in kinds.items() if (convert := _conversion(kind))]

    def to_row(self, value: T) -> dict[str, Any]:
        """Return the columns of `value` by name."""
        row = {name: getattr(value, name) for name in self._checks}
        for name, convert in self._stored:
            row[name] = convert(row[name])
        return row

    def from_row(self, row: sa.Row[*tuple[Any, ...]], **apart: object) -> T:
        """Return the value in `row`. `apart`: values of the fields that the caller converts.

        Raises:
            WrongValueError: if a column has an invalid value.
        """
        values = [getattr(row, name) for name in self._checks]
        self._check(values)
        for name, data in zip(self._checks, values, strict=True):
            apart[name] = tuple(data) if isinstance(data, list) else data
        return self.value(**apart)

    def from_values(self, values: Sequence[Any]) -> T:
        """Build the value from its fields in order; for fields of plain types, and faster than `from_row`.

        Only the first values of each combination of types are checked.

        Raises:
            WrongValueError: if a column has an invalid value.
        """
        types = tuple(map(type, values))
        if types not in self._seen:
            self._check(values)
            self._seen.add(types)
        return self.value(*values)

    def _check(self, values: Sequence[Any]) -> None:
        for (name, check), data in zip(self._checks.items(), values, strict=True):
            if not check(data):
                raise WrongValueError(describe_wrong(self.table.__table__.name, name, data))


def _check(kind: Any, column: sa.Column[Any]) -> _Check:  # noqa: ANN401 - any type annotation
    """Return the check of values read from a column whose annotation is `kind`."""
    of_type, rule = check_of(kind), rule_of(column)
    accepts = rule.accepts if rule else None
    if accepts is None:
        return of_type
    return lambda value: of_type(value) and accepts(value)


def check_of(kind: Any) -> _Check:  # noqa: ANN401 - any type annotation
    """Return a check of a value's type: a plain type, a list or dict of checked types, or a union."""
    arguments = get_args(kind)
    if kind is float:
        return lambda value: type(value) in {int, float} and abs(value) < MAX_NUMBER
    if not arguments:
        return lambda value: type(value) is kind
    if get_origin(kind) is list:
        item = check_of(arguments[0])
        return lambda value: type(value) is list and all(map(item, value))
    if get_origin(kind) is dict:
        item = check_of(arguments[1])
        return lambda value: type(value) is dict and all(map(item, value.values()))
    checks = [*map(check_of, arguments)]
    return lambda value: any(check(value) for check in checks)


def _conversion(kind: Any) -> Callable[[Any], object] | None:  # noqa: ANN401 - any type annotation
    """Return the conversion of stored values for a column annotated with `kind`; None if unnecessary."""
    if get_origin(kind) is list:
        return list
    if get_origin(kind) is dict:
        return dict
    return str if kind is str else None  # some drivers would store the name of an enum


def as_text(column: sa.ColumnElement[Any]) -> sa.ColumnElement[str]:
    """Select a column of JSON lists as text, without parsing."""
    return sa.cast(column, sa.Text)


def lists(texts: Sequence[str]) -> list[list[int]]:
    """Parse many JSON lists of numbers at once, ten times as fast as parsing each."""
    parsed: list[list[int]] = from_json(f"[{','.join(texts)}]")
    if len(parsed) != len(texts) or not {list}.issuperset(map(type, parsed)):
        raise WrongValueError("a column of lists holds something else")
    if not {int}.issuperset(map(type, chain.from_iterable(parsed))):
        raise WrongValueError("a list of numbers holds something else")
    return parsed
