"""Whatever column of whatever table somebody alters, verification finds it, or it decides nothing."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache

import pytest

from beanleague.league.verify.deals import replayed
from beanleague.league.verify.verification import verify_league
from beanleague.store import Store
from beanleague.store.tables import METADATA
from tests.league.verify.columns import COLUMNS, ROWS, Found, Irrelevant, another
from tests.league.verify.leagues import LEAGUES


@dataclass
class Altered:
    """A database, and a copy of what it was before it was altered."""

    store: Store
    before: sqlite3.Connection

    def findings(self, statement: str = "") -> list[str]:
        """Return which columns the findings of a verification name after this statement, which changes one row."""
        with closing(sqlite3.connect(self.store.database.name)) as database:
            self.before.backup(database)
            if statement:
                assert database.execute(statement).rowcount == 1, statement
            database.commit()
        *_, last = reports = list(verify_league(self.store, "spring", workers=0))
        assert last.done
        return [finding.column for report in reports for finding in report.findings]


@pytest.fixture(scope="module", params=["eventful"])
def eventful(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Altered]:
    """The database of a league in which everything happened; its records are played again only once."""
    file = tmp_path_factory.mktemp("eventful") / "a.db"
    LEAGUES[request.param](file)
    with pytest.MonkeyPatch.context() as patch, closing(sqlite3.connect(":memory:")) as before:
        patch.setattr("beanleague.league.verify.deals.replayed", lru_cache(replayed))
        with closing(sqlite3.connect(file)) as database:
            database.backup(before)
        with Store(f"sqlite:///{file}") as store:
            yield Altered(store, before)


def test_every_column_of_every_table_is_in_the_list() -> None:
    tables = {table.name: sorted(column.name for column in table.columns) for table in METADATA.sorted_tables}
    assert {table: sorted(columns) for table, columns in COLUMNS.items()} == tables


def test_an_untouched_league_has_no_findings(eventful: Altered) -> None:
    assert eventful.findings() == []


@pytest.mark.parametrize(
    ("table", "eventful"),
    [(table, "trading" if table == "trade_flow" else "eventful") for table in ROWS],
    indirect=["eventful"],
)
def test_an_altered_column_is_found(eventful: Altered, table: str) -> None:
    missed = {}
    for column in METADATA.tables[table].columns:
        how = COLUMNS[table][column.name]
        if isinstance(how, Found):
            value = how.to or another(column.name, column.type)
            found = eventful.findings(f"UPDATE {table} SET {column.name} = {value} WHERE {how.where or ROWS[table]}")
            if (how.at or f"{table}.{column.name}") not in found:
                missed[column.name] = found
    assert missed == {}


def test_tables_without_a_row_to_alter_decide_nothing() -> None:
    irrelevant = {
        table for table, columns in COLUMNS.items() if all(isinstance(how, Irrelevant) for how in columns.values())
    }
    assert irrelevant == COLUMNS.keys() - ROWS.keys()
