"""What queries know of the tables, beside the tables themselves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from sqlalchemy import ColumnClause, TableClause, TypeDecorator

from beanleague.store import columns
from beanleague.store.tables import metadata

SEEN = [table for table in vars(columns).values() if isinstance(table, TableClause)]


def kinds(of: Iterable[ColumnClause[Any]]) -> dict[str, type]:
    """The type in Python of each column, by its name."""
    types = {column.name: column.type for column in of}
    return {
        name: (kind.impl_instance if isinstance(kind, TypeDecorator) else kind).python_type
        for name, kind in types.items()
    }


@pytest.mark.parametrize("seen", SEEN, ids=lambda table: table.name)
def test_each_column_is_one_of_its_table_and_of_its_type(seen: TableClause) -> None:
    table = metadata().tables[seen.name]
    assert kinds(seen.c) == kinds(column for column in table.c if column.name in seen.c)


def test_every_table_is_seen() -> None:
    assert {table.name for table in SEEN} == set(metadata().tables)
