"""Rows of tables as values and back, by the names of their fields.

Tuples are kept as JSON lists, mappings as JSON objects; all else as it is.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Any, Generic, TypeVar

from sqlalchemy import Column, ColumnElement, Text, cast
from sqlmodel import col

from beanleague.store.tables import Row, core

T = TypeVar("T")


class Mapper(Generic[T]):
    """Translates one dataclass. `row`: its row class.

    `apart`: fields of the dataclass that are translated by hand; all others must be columns.
    """

    def __init__(self, value: type[T], row: type[Row], *, apart: Collection[str] = ()) -> None:
        self._value = value
        self._table = core(row)
        self._names = [field.name for field in fields(value) if field.name not in apart]  # type: ignore[arg-type]  # a dataclass
        for name in self._names:
            if name not in self._table.c:
                raise TypeError(f"{row.__name__} has no column for {value.__name__}.{name}")

    def columns(self) -> list[Column[Any]]:
        """Return the columns of the fields, in their order."""
        return [self._table.c[name] for name in self._names]

    def to_row(self, value: T) -> dict[str, Any]:
        """Return the columns of `value` by name."""
        return {name: _stored(getattr(value, name)) for name in self._names}

    def from_row(self, row: Row, **apart: object) -> T:
        """Return the value that `row` holds. `apart`: the fields that are translated by hand."""
        for name in self._names:
            apart[name] = _loaded(getattr(row, name))
        return self._value(**apart)


def _stored(data: object) -> object:
    if isinstance(data, tuple):
        return list(data)
    if isinstance(data, StrEnum):
        return data.value  # some drivers would keep its name
    return dict(data) if isinstance(data, Mapping) else data


def _loaded(data: object) -> object:
    if isinstance(data, list):
        return tuple(data)
    return dict(data) if isinstance(data, dict) else data


def as_text(column: Sequence[int]) -> ColumnElement[str]:
    """Select a column of JSON lists as the texts they are stored as."""
    return cast(col(column), Text)


def lists(texts: Sequence[str]) -> list[list[int]]:
    """Return the lists that `texts` hold; all at once, which is ten times as quick as one by one."""
    parsed: list[list[int]] = json.loads(f"[{','.join(texts)}]")
    return parsed
