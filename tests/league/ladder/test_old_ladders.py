"""Ladders of an earlier release, which could store that an entry is rated after it had left or was suspended."""

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from beanleague.league.ladder.changing import leave
from beanleague.model import ChangeKind, Deal
from beanleague.store import Store
from beanleague.store.leagues import note
from beanleague.store.migrations import _STEPS, OLDEST_SCHEMA_VERSION, migrate
from tests.league.helpers import store_with_bots, verified
from tests.league.ladder.playing import DAY_S, Clock, Until, create, play
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
            store.deals.voided(1, deal.number, f"the worker process ended: KeyError: {GONE}")
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
            columns = ", ".join(row[1] for row in old.execute(f"PRAGMA new.table_info({table})"))
            more = ("retired, suspended", "0, ''") if table == "entrant" else ()
            into, values = (f"{columns}, {each}" for each in more) if more else (columns, columns)
            old.execute(f"DELETE FROM main.{table}")
            old.execute(f"INSERT INTO main.{table} ({into}) SELECT {values} FROM new.{table}")
        now = retired, suspended, GONE
        old.execute("UPDATE main.entrant SET retired = ?, suspended = ? WHERE number = ?", now)


@pytest.fixture(params=[ChangeKind.LEFT, ChangeKind.EXCLUDED])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store of such a ladder, opened for the first time by this version."""
    left = request.param is ChangeKind.LEFT
    rated_though_gone(tmp_path / "new.db", request.param)
    with_old_tables(tmp_path / "old.db", tmp_path / "new.db", retired=left, suspended="" if left else "seen to cheat")
    with Store(f"sqlite:///{tmp_path / 'old.db'}") as store:
        yield store


def findings(store: Store) -> list[str]:
    reports = [*verified(store, "spring", workers=0, replay=False)]
    assert reports[-1].done
    return [str(finding) for report in reports for finding in report.findings]


def test_an_entry_that_was_rated_after_it_had_gone_is_gone(store: Store) -> None:
    assert not store.leagues.entrants(1)[GONE].active


def test_a_ladder_with_a_rated_entry_that_had_gone_is_verified_without_findings(store: Store) -> None:
    assert findings(store) == []


@pytest.mark.parametrize("later_s", [0.0, DAY_S])
def test_a_ladder_with_a_rated_entry_that_had_gone_is_played_on_without_it(store: Store, later_s: float) -> None:
    done, planned, clock = store.leagues.get("spring").deals_done, len(store.deals.tables(1)), Clock()
    clock.now += later_s
    assert play(store, Until(20), clock).deals_done >= done + 15
    assert not any(GONE in table for table in store.deals.tables(1, after=planned))
    assert not any(GONE in deal.table for deal in store.deals.unplayed(1))
    assert findings(store) == []
