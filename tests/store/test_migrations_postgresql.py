"""Steps between versions of the tables on PostgreSQL, and databases of no release."""

import pytest

from beanleague.store import DatabaseError, Store
from beanleague.store.migrations import OLDEST_SCHEMA_VERSION
from tests.databases import TEMPLATE, PostgreSQL
from tests.store.helpers import add_bots, add_league
from tests.store.test_migrations import colours, more_colours, upgrade

COLUMNS = """
    SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = 'public' ORDER BY 1, 2
"""


@pytest.fixture
def name(postgresql: PostgreSQL) -> str:
    """A database of four bots and a league, for one test."""
    name = postgresql.create(TEMPLATE)
    with Store(postgresql.url(name)) as store:
        add_league(store, add_bots(store, 4))
    return name


def test_a_step_changes_the_tables_and_keeps_their_rows(postgresql: PostgreSQL, name: str) -> None:
    with Store(postgresql.url(name)) as store:
        upgrade(store, one=more_colours)
        assert colours(store) == [7, 7, 7, 7]


def test_a_step_that_fails_leaves_the_database_as_it_was(postgresql: PostgreSQL, name: str) -> None:
    before = postgresql.do(COLUMNS, name)
    with Store(postgresql.url(name)) as store, pytest.raises(DatabaseError, match="colour"):
        upgrade(store, one=more_colours, again=more_colours)  # there is one already
    assert postgresql.do(COLUMNS, name) == before


def test_a_database_of_no_release_is_refused_and_left_alone(postgresql: PostgreSQL, name: str) -> None:
    postgresql.do(f"UPDATE schema_version SET version = {OLDEST_SCHEMA_VERSION - 1}", name)
    with pytest.raises(DatabaseError, match=r"older, unreleased version of Beanleague .*it was not changed"):
        Store(postgresql.url(name))
    assert postgresql.do("SELECT version FROM schema_version", name) == [(OLDEST_SCHEMA_VERSION - 1,)]
