"""Databases of earlier versions are brought up to date."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.games import RULES_VERSION
from beanleague.league.matrix import matrix
from beanleague.league.standings import standings
from beanleague.league.verify.recompute import recompute
from beanleague.model import Forfeits, NodeTotals
from beanleague.store import DatabaseError
from beanleague.store.migrations import OLDEST_SCHEMA_VERSION, SCHEMA_VERSION
from beanleague.store.store import Store
from tests.league.fakepool import FakePools
from tests.league.helpers import league_run, slow_clock, store_with_league
from tests.store.helpers import NODE, add_bots, add_league, deal
from tests.together import raised_at_once

LATER = {
    2: "ALTER TABLE deal DROP COLUMN layer",
    3: "ALTER TABLE bot DROP COLUMN owner; DROP TABLE token",
    4: "ALTER TABLE league DROP COLUMN all_seatings; ALTER TABLE entrant DROP COLUMN forfeits_in_a_row",
    5: "ALTER TABLE entrant DROP COLUMN most_forfeits_in_a_row",
    6: "CREATE TABLE pair (league_id INTEGER, first INTEGER, second INTEGER, half_wins BLOB NOT NULL, "
    "PRIMARY KEY (league_id, first, second)) WITHOUT ROWID; INSERT INTO pair VALUES (1, 0, 1, zeroblob(72))",
    7: "ALTER TABLE league DROP COLUMN rules; ALTER TABLE league DROP COLUMN isolate; "
    "ALTER TABLE league DROP COLUMN mix_owners; ALTER TABLE deal DROP COLUMN position; DROP TABLE league_change; "
    "DROP TABLE trade_flow; "
    "ALTER TABLE rating DROP COLUMN least; ALTER TABLE rating DROP COLUMN most; "
    "ALTER TABLE rating DROP COLUMN anchor; ALTER TABLE rating DROP COLUMN provisional",
    8: "",
    9: "ALTER TABLE deal DROP COLUMN node_id; ALTER TABLE void DROP COLUMN node_id; DROP TABLE node; "
    "ALTER TABLE league DROP COLUMN one_cpu; ALTER TABLE league DROP COLUMN cpu",
    10: "",
    11: "ALTER TABLE run DROP COLUMN progress; ALTER TABLE run DROP COLUMN stop; ALTER TABLE run DROP COLUMN ended; "
    "ALTER TABLE run DROP COLUMN error",
    12: "ALTER TABLE bot DROP COLUMN hidden; ALTER TABLE league DROP COLUMN hidden",
    13: "ALTER TABLE bot_version DROP COLUMN environment; ALTER TABLE bot_version DROP COLUMN packages",
}
"""What turns tables of the next version into those of this one. 8, 10: SQLite has what PostgreSQL had or got."""


def opened(file: Path) -> Store:
    return Store(f"sqlite:///{file}")


def tables(file: Path) -> dict[str, set[tuple[str, str, int, int]]]:
    """Per table its columns: name, type, whether it may be empty, place in the key."""
    with closing(sqlite3.connect(file)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: {(c[1], c[2], c[3], c[5]) for c in database.execute(f"PRAGMA table_info({name})")} for name in names
        }


def make(file: Path) -> None:
    """A database of today with bots and a league of which two deals are played."""
    with opened(file) as store:
        league = add_league(store, add_bots(store, 4))
        store.deals.commit(league.id, [deal(1), deal(2)])


def turn_back(file: Path, version: int) -> None:
    """Make a database what it was in an earlier version."""
    with closing(sqlite3.connect(file)) as database:
        for step in range(SCHEMA_VERSION - 1, version - 1, -1):
            database.executescript(LATER[step])
        database.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("version", range(OLDEST_SCHEMA_VERSION, SCHEMA_VERSION))
def test_an_older_database_gets_the_tables_of_today_and_loses_nothing(tmp_path: Path, version: int) -> None:
    file = tmp_path / "a.db"
    make(file)
    today = tables(file)
    turn_back(file, version)
    assert tables(file) != today or version == 10  # which differs on PostgreSQL alone
    with opened(file) as store:
        assert store.leagues.get("spring").deals_done == 2
        assert [bot.owner for bot in store.bots.newest()] == ["", "", "", ""]
        assert store.tokens.list() == ()
        assert store.leagues.get("spring").all_seatings is False
        assert store.leagues.get("spring").rules == (1 if version < 8 else RULES_VERSION)
        assert store.leagues.get("spring").isolate is False
        assert store.leagues.get("spring").one_cpu is False
        assert store.deals.list(1)[0].node is None
        assert store.leagues.forfeits(1)[0] == Forfeits(6, 0, 0)
        store.deals.commit(store.leagues.get("spring").id, [replace(deal(3), node=NODE)])
        assert store.nodes.totals(1) == (NodeTotals(NODE, deals=1, voids=0, faults=0, timeouts=0),)
        store.tokens.new("ann", "viewer")
    assert tables(file) == today
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_a_league_of_before_changes_were_kept_shows_the_same_standings_and_matrix(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    with store_with_league(file) as store:
        league_run(
            store, FakePools(at_once=1), clock=slow_clock()
        ).play()  # of deals committed together the order is not known

    def shown() -> tuple[object, ...]:
        with opened(file) as store:
            league = store.leagues.get("spring")
            order = [standing.entrant.number for standing in standings(store, league, running=False)]
            deals = [replace(deal, node=None) for deal in store.deals.list(league.id)]
            return standings(store, league, running=False), matrix(store, league, order), deals

    before = shown()
    turn_back(file, 7)
    assert shown() == before


def test_deals_of_before_changes_were_kept_are_in_the_order_of_their_times(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    with opened(file) as store:
        league = add_league(store, add_bots(store, 4))
        add_league(store, [1, 2, 3], "autumn")
        for deals in ([deal(4)], [deal(1), deal(2)], [deal(3)]):
            store.deals.commit(league.id, deals)
        store.deals.commit(2, [deal(9)])
    turn_back(file, 7)
    with opened(file) as store:
        assert [each.position for each in store.deals.list(1)[:5]] == [2, 3, 4, 1, None]
        assert [each.position for each in store.deals.list(2)[8:]] == [1, None]
        assert not store.leagues.get("spring").complete_history
        assert store.changes.list(1) == ()


def test_many_may_open_an_older_database_at_once(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    make(file)
    turn_back(file, OLDEST_SCHEMA_VERSION)
    assert raised_at_once(6, lambda: opened(file).close()) == []


def test_a_step_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    make(file)
    turn_back(file, OLDEST_SCHEMA_VERSION)
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE token (mine)")  # in the way of a later step
    before = tables(file)
    with pytest.raises(DatabaseError, match="table token already exists"):
        opened(file)
    assert tables(file) == before


def test_a_database_that_is_older_still_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    make(file)
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"PRAGMA user_version = {OLDEST_SCHEMA_VERSION - 1}")
    before = file.read_bytes()
    with pytest.raises(DatabaseError, match=r"was written by an older, unreleased Beanleague .*it was not changed"):
        opened(file)
    assert file.read_bytes() == before


def test_ratings_of_before_bounds_were_known_are_computed_anew_and_their_history_stays(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    with store_with_league(file, deals=12) as store:
        league_run(store, FakePools()).play()
        league = store.leagues.get("spring")
        now, history = standings(store, league, running=False), store.ratings.history(league.id)
    turn_back(file, 7)
    with opened(file) as store:
        assert store.ratings.history(league.id) == tuple(
            replace(past, ratings=tuple(replace(rating, provisional=True) for rating in past.ratings))
            for past in history[:-1]
        )
        with store.database.write() as session:  # earlier versions computed them differently
            session.connection().exec_driver_sql("UPDATE rating SET rating = rating + 1")
        assert recompute(store, "spring").problems == ()
        assert standings(store, league, running=False) == now
