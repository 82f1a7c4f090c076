"""Databases of earlier releases are brought up to date; those of no release are refused.

`released.db.gz` was written by the first release: four bots, the league "spring" with two deals played, and a token.
A file of each later release is to join it.
"""

from __future__ import annotations

import errno
import gzip
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Column, Integer

from beanleague.model import WIN
from beanleague.store import DatabaseError, Store, sqlite
from beanleague.store.migrations import OLDEST_SCHEMA_VERSION, SCHEMA_VERSION, Step, migrate
from tests.store.helpers import deal
from tests.together import raised_at_once

if TYPE_CHECKING:
    from alembic.operations import Operations

RELEASED = Path(__file__).with_name("released.db.gz")


def opened(file: Path) -> Store:
    return Store(f"sqlite:///{file}")


def tables(file: Path) -> dict[str, set[tuple[str, str, int, int]]]:
    """Per table its columns: name, type, whether it may be empty, place in the key."""
    with closing(sqlite3.connect(file)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: {(c[1], c[2], c[3], c[5]) for c in database.execute(f"PRAGMA table_info({name})")} for name in names
        }


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A copy of the database of the first release."""
    file = tmp_path / "released.db"
    file.write_bytes(gzip.decompress(RELEASED.read_bytes()))
    return file


def more_colours(op: Operations) -> None:
    """Make a step as a later release may have: a column with a value in the rows there are, and a type that grows."""
    op.add_column("bot", Column("colour", Integer(), nullable=False, server_default="7"))
    if op.get_context().dialect.name != "sqlite":
        op.alter_column("deal", "position", type_=Integer())


def colours(store: Store) -> list[int]:
    with store.database.write() as connection:
        return [colour for (colour,) in connection.exec_driver_sql("SELECT colour FROM bot")]


def upgrade(store: Store, **steps: Step) -> None:
    """Upgrade a database by steps that a later release may have."""
    with store.database.write() as connection:
        migrate(connection, SCHEMA_VERSION, dict(enumerate(steps.values(), SCHEMA_VERSION)))


def test_a_released_database_has_the_tables_of_today_and_loses_nothing(released: Path, tmp_path: Path) -> None:
    with opened(released) as store:
        spring = store.leagues.get("spring")
        assert (spring.deals_done, spring.entrants) == (2, 4)
        assert [bot.bot for bot in store.bots.newest()] == ["bot0", "bot1", "bot2", "bot3"]
        assert [total.wins for total in store.leagues.totals(spring.id)] == [6 * WIN, 0, 0, 0]
        assert [each.position for each in store.deals.list(spring.id)[:3]] == [1, 2, None]
        assert [token.name for token in store.tokens.list()] == ["ann"]
        store.deals.commit(spring.id, [deal(3)])
    opened(tmp_path / "new.db").close()
    assert tables(released) == tables(tmp_path / "new.db")


def test_an_upgrade_keeps_a_private_copy_and_says_so_once(released: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = tables(released)
    opened(released).close()
    opened(released).close()
    copy = released.with_name(f"released.db.version-{OLDEST_SCHEMA_VERSION}")
    (said,) = [record.getMessage() for record in caplog.records]
    assert said == (
        f"{released} was upgraded from tables of version {OLDEST_SCHEMA_VERSION} to {SCHEMA_VERSION}; "
        f"a copy of it as it was is {copy}"
    )
    assert tables(copy) == before != tables(released)
    assert copy.stat().st_mode & 0o777 == 0o600
    opened(copy).close()  # going back and upgrading again overwrites nothing
    assert sorted(path.name for path in released.parent.iterdir() if "version" in path.name) == [
        copy.name,
        f"{copy.name}.version-{OLDEST_SCHEMA_VERSION}",
    ]


def test_a_second_copy_does_not_replace_the_first(released: Path) -> None:
    first = released.with_name(f"released.db.version-{OLDEST_SCHEMA_VERSION}")
    first.write_text("precious")
    opened(released).close()
    assert first.read_text() == "precious"
    assert tables(first.with_name(f"{first.name}-2"))


def test_a_database_that_cannot_be_copied_is_not_upgraded(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = released.read_bytes()

    def full(*_: object) -> Path:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(sqlite, "_new_beside", full)
    with pytest.raises(DatabaseError, match="No space left on device; nothing was changed"):
        opened(released)
    assert released.read_bytes() == before


def test_a_step_changes_the_tables_and_keeps_their_rows(released: Path) -> None:
    with opened(released) as store:
        upgrade(store, one=more_colours)
        assert colours(store) == [7, 7, 7, 7]


def test_a_step_that_fails_leaves_the_database_as_it_was(released: Path) -> None:
    opened(released).close()
    before = tables(released)
    with opened(released) as store, pytest.raises(DatabaseError, match="colour"):
        upgrade(store, one=more_colours, again=more_colours)  # there is one already
    assert tables(released) == before


def test_many_may_open_a_released_database_at_once(released: Path) -> None:
    assert raised_at_once(6, lambda: opened(released).close()) == []


def test_a_database_of_no_release_is_refused_and_left_alone(released: Path) -> None:
    with closing(sqlite3.connect(released)) as database:
        database.execute(f"PRAGMA user_version = {OLDEST_SCHEMA_VERSION - 1}")
    before = released.read_bytes()
    with pytest.raises(
        DatabaseError, match=r"was written by an older, unreleased version of Beanleague .*it was not changed"
    ):
        opened(released)
    assert released.read_bytes() == before
