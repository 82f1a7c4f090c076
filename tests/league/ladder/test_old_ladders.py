"""Ladders of an earlier release, which could store that an entry is rated after it had left or was suspended."""

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from beanleague.league.ladder.changing import leave, succeed
from beanleague.model import ChangeKind, Deal
from beanleague.store import Store
from beanleague.store.leagues import note
from beanleague.store.migrations import _STEPS, OLDEST_SCHEMA_VERSION, migrate
from tests.league.helpers import store_with_bots
from tests.league.ladder.playing import Until, create, play
from tests.store.test_migrations import RELEASED

BEFORE = 17  # the last version of the tables that stored of each entrant whether it is seated
GONE = 5


def rated_though_gone(file: Path, kind: ChangeKind) -> None:
    """Play a ladder in which an entry was rated just after it had left or was suspended, so that it kept its seats.

    Its deals failed, when the run had a pool without it.
    """
    with store_with_bots(file, 6) as store:
        create(store)
        play(store, Until(20))
        if kind is ChangeKind.LEFT:
            leave(store, "spring", f"bot{GONE}")
        else:
            store.leagues.suspend(1, GONE, "seen to cheat")
        with store.database.write() as connection:
            note(connection, 1, ChangeKind.RATED, entrant=GONE, reason="known to 39 Elo after 15 deals")
        waiting: list[Deal] = []
        while not waiting:  # by the secret of the day it may be drawn late, or all of its deals be played
            play(store, Until(10))
            waiting = [deal for deal in store.deals.unplayed(1) if GONE in deal.table]
        for deal in waiting:
            store.deals.add_void(1, deal.number, f"the worker process ended: KeyError: {GONE}")
        store.database.checkpoint()


def with_old_tables(file: Path, new: Path, *, retired: bool, suspended: str) -> None:
    """Write a file with the tables of version `BEFORE` and all rows of `new`. `retired`, `suspended`: of `GONE`."""
    file.write_bytes(gzip.decompress(RELEASED.read_bytes()))
    engine = sa.create_engine(f"sqlite:///{file}", poolclass=sa.NullPool)
    with engine.begin() as connection:
        migrate(connection, OLDEST_SCHEMA_VERSION, {each: step for each, step in _STEPS.items() if each < BEFORE})
    with closing(sqlite3.connect(file)) as old, old:
        old.execute(f"PRAGMA user_version = {BEFORE}")
        old.execute("ATTACH ? AS new", (str(new),))
        for (table,) in old.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            there, then = (
                [row[1] for row in old.execute(f"PRAGMA {of}.table_info({table})")] for of in ("new", "main")
            )
            columns = ", ".join(column for column in there if column in then)
            more = ("retired, suspended", "0, ''") if table == "entrant" else ()
            into, values = (f"{columns}, {each}" for each in more) if more else (columns, columns)
            old.execute(f"DELETE FROM main.{table}")
            old.execute(f"INSERT INTO main.{table} ({into}) SELECT {values} FROM new.{table}")
        seat = retired, suspended, GONE
        old.execute("UPDATE main.entrant SET retired = ?, suspended = ? WHERE number = ?", seat)


@pytest.fixture(params=[ChangeKind.LEFT, ChangeKind.EXCLUDED])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store of such a ladder, opened for the first time by this version."""
    left = request.param is ChangeKind.LEFT
    rated_though_gone(tmp_path / "new.db", request.param)
    with_old_tables(tmp_path / "old.db", tmp_path / "new.db", retired=left, suspended="" if left else "seen to cheat")
    with Store(f"sqlite:///{tmp_path / 'old.db'}") as store:
        yield store


def test_an_entry_that_was_rated_after_it_had_gone_is_gone(store: Store) -> None:
    assert not store.leagues.entrants(1)[GONE].active


def test_the_ladder_that_goes_on_for_it_begins_without_that_entry(store: Store) -> None:
    """Its own tables were chosen, not drawn: it is closed."""
    active = [entrant.label for entrant in store.leagues.entrants(1) if entrant.active]
    following = store.leagues.get(succeed(store, store.leagues.get("spring")))
    play(store, Until(20), name=following.name)
    entrants = store.leagues.entrants(following.id)
    assert [entrant.label for entrant in entrants] == active
    assert f"bot{GONE}@1" not in active
    assert store.leagues.get(following.name).deals_done >= 15
