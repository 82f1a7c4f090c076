"""Databases of PostgreSQL of earlier versions are brought up to date."""

from __future__ import annotations

from dataclasses import replace

import pytest

from beanleague.model import WIN
from beanleague.store.migrations import OLDEST_SCHEMA_VERSION, SCHEMA_VERSION
from beanleague.store.store import Store
from tests.databases import TEMPLATE, PostgreSQL
from tests.store.helpers import NODE, add_bots, add_league, deal
from tests.store.test_migrations import LATER
from tests.together import raised_at_once

TOTALS = ("deals", "matches", "score", "wins", "decisions", "faults", "faulted", "forfeits")
SMALL = [
    *(f"ALTER TABLE entrant ALTER COLUMN {name} TYPE INTEGER" for name in (*TOTALS, "cleared_matches")),
    "ALTER TABLE entrant ALTER COLUMN cleared_forfeits TYPE INTEGER",
    "ALTER TABLE league ALTER COLUMN matches_done TYPE INTEGER",
]
KEYS = [
    "ALTER TABLE match ADD FOREIGN KEY (league_id, deal) REFERENCES deal (league_id, number)",
    "ALTER TABLE match_seat ADD FOREIGN KEY (league_id, deal, rotation) REFERENCES match (league_id, deal, rotation)",
    "ALTER TABLE trade_flow ADD FOREIGN KEY (league_id, deal) REFERENCES deal (league_id, number)",
]
FOREIGN_KEYS = "SELECT conname FROM pg_constraint WHERE contype = 'f'"
COLUMNS = """
    SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = 'public' ORDER BY 1, 2
"""


def made(server: PostgreSQL, version: int) -> str:
    """Make a database of an earlier version with a league of which two deals are played; return its name."""
    name = server.create(TEMPLATE)
    with Store(server.url(name)) as store:
        league = add_league(store, add_bots(store, 4))
        store.deals.commit(league.id, [deal(1), deal(2)])
    back = [LATER[step] for step in range(SCHEMA_VERSION - 1, version - 1, -1)]
    words = (
        "; ".join([*(SMALL if version < 9 else []), *KEYS, *filter(None, back)])
        .replace("BLOB", "BYTEA")
        .replace("WITHOUT ROWID", "")
    )
    server.do(words.replace("zeroblob(72)", "'x'"), name)
    server.do(f"UPDATE schema_version SET version = {version}", name)
    return name


@pytest.mark.parametrize("version", [OLDEST_SCHEMA_VERSION, 6, 9, 10])
def test_an_older_database_gets_the_tables_of_today_and_loses_nothing(postgresql: PostgreSQL, version: int) -> None:
    name = made(postgresql, version)
    today = postgresql.do(COLUMNS, TEMPLATE)
    assert postgresql.do(COLUMNS, name) != today or version == 10  # which had more foreign keys
    assert raised_at_once(3, lambda: Store(postgresql.url(name)).close()) == []
    assert postgresql.do(COLUMNS, name) == today
    keys = set(postgresql.do(FOREIGN_KEYS, TEMPLATE))
    assert ("match_league_id_deal_fkey",) not in keys
    assert set(postgresql.do(FOREIGN_KEYS, name)) <= keys
    with Store(postgresql.url(name)) as store:
        store.deals.commit(1, [replace(deal(3), node=NODE)])
        assert [each.node for each in store.deals.list(1)[1:3]] == [None, NODE]
        assert store.leagues.get("spring").deals_done == 3
        assert [total.wins for total in store.leagues.totals(1)] == [9 * WIN, 0, 0, 0]
        assert [each.position for each in store.deals.list(1)[:4]] == [1, 2, 3, None]
        store.tokens.new("ann", "viewer")
    assert postgresql.do("SELECT version FROM schema_version", name) == [(SCHEMA_VERSION,)]


def test_a_step_that_fails_leaves_the_database_as_it_was(postgresql: PostgreSQL) -> None:
    name = made(postgresql, OLDEST_SCHEMA_VERSION)
    postgresql.do("CREATE TABLE token (mine INTEGER)", name)  # in the way of a later step
    before = postgresql.do(COLUMNS, name)
    with pytest.raises(Exception, match='relation "token" already exists'):
        Store(postgresql.url(name))
    assert postgresql.do(COLUMNS, name) == before
