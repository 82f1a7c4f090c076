"""Check of all rows in a SQLite file: values and references.

Queries check the values that they read, at no cost. This check reads everything, in SQL: before a backup counts as
verified, and after a failure that our own rows cannot cause. Each condition is built from a column's type and rule
(`store/tables/`), since SQLite's CHECK cannot look at other tables.
"""

import sqlite3
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import dialect

from beanleague.store import columns
from beanleague.store.tables import Row, SchemaRow
from beanleague.store.tables.base import rule_of
from beanleague.store.tables.rules import LARGE, MAX_NUMBER, Column, Condition, none_of_each

_JSON_TYPES = {int: ("integer",), float: ("integer", "real"), str: ("text",), list: ("array",)}
"""Names that SQLite gives to the types of JSON items."""


def check_rows(connection: sqlite3.Connection, name: str) -> None:
    """Check all rows of a file with the tables of this version. `name`: name of the file in errors.

    Raises:
        DamagedError: if a row is not as Beanleague stores it.
        sqlite3.Error: if the file cannot be read.
    """
    for table in Row.__subclasses__():
        if table is not SchemaRow and (wrong := _wrong_value(connection, table)):
            raise columns.damage_error(name, wrong)
    missing = connection.execute("PRAGMA foreign_key_check").fetchone()
    if missing:
        raise columns.damage_error(name, f"a row of {missing[0]} refers to a missing row of {missing[2]}")


def _wrong_value(connection: sqlite3.Connection, table: type[Row]) -> str:
    """Return a description of the first invalid value in a table; "" if there is none."""
    found = connection.execute(_query(table))
    row = found.fetchone()
    if row is None:
        return ""
    values = dict(zip((name for name, *_ in found.description), row, strict=True))
    return columns.describe_wrong(table.__table__.name, values["wrong"], values[values["wrong"]])


@cache
def _query(table: type[Row]) -> str:
    """Return the query for the first invalid row of a table and its column; compiled once per process."""
    wrong = sa.case(*((_is_wrong(table, column), column.name) for column in table.__table__.columns))
    query = sa.select(wrong.label("wrong"), table.__table__).where(sa.literal_column("wrong").is_not(None)).limit(1)
    return str(query.compile(dialect=dialect(), compile_kwargs={"literal_binds": True}))


def _is_wrong(table: type[Row], column: Column) -> Condition:
    """Return the condition that a column's value is invalid."""
    kind, rule = _kind(table, column), rule_of(column)
    valid = [_has_items(column, kind)] if get_args(kind) else []
    valid += [rule.condition(column)] if rule else []
    # CASE guarantees the order: JSON functions fail on other texts.
    right = sa.case((_has_type(column, kind), sa.and_(sa.true(), *valid)), else_=sa.false())
    return column.is_not(None) & ~sa.func.coalesce(right, sa.false())


def _kind(table: type[Row], column: Column) -> Any:  # noqa: ANN401 - any type annotation
    """Return the annotation of a column, without `None`."""
    annotation = table.model_fields[column.name].annotation
    if get_origin(annotation) is None or NoneType not in get_args(annotation):
        return annotation
    (kind,) = (each for each in get_args(annotation) if each is not NoneType)
    return kind


def _has_type(column: Column, kind: Any) -> Condition:  # noqa: ANN401 - any type annotation
    """Return the condition that a value has a type."""
    type_ = sa.func.typeof(column)
    if kind is bool:
        return (type_ == "integer") & sa.type_coerce(column, sa.Integer).in_((0, 1))
    if kind is int:
        return (type_ == "integer") & column.between(-LARGE, LARGE)
    if kind is float:
        return type_.in_(("real", "integer")) & (sa.func.abs(column) < MAX_NUMBER)
    if kind is bytes:
        return type_ == "blob"
    return (type_ == "text") & (sa.func.json_valid(column) if get_args(kind) else sa.true())


def _has_items(column: Column, kind: Any) -> Condition:  # noqa: ANN401 - any type annotation
    """Return the condition that a JSON text is a list or an object with items of the types of `kind`."""
    *_, item = get_args(kind)
    types = [name for each in (get_args(item) or [item]) for name in _JSON_TYPES[get_origin(each) or each]]
    if get_origin(item) is list:
        types = [*_JSON_TYPES[list]]
    form = sa.func.json_type(column) == ("array" if get_origin(kind) is list else "object")
    return form & none_of_each(column, lambda each: each.c.type.not_in(types))
