import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event

from beanleague.model import League
from beanleague.store import DatabaseError, Store
from beanleague.store import sqlite as sqlite_module
from beanleague.store.migrations import SCHEMA_VERSION
from tests.store.helpers import add_bots, deal
from tests.together import raised_at_once


def opened(file: Path) -> Store:
    return Store(f"sqlite:///{file}")


def of_newer_version(file: Path) -> None:
    opened(file).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def of_newer_version_and_empty(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")


def of_another_program(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE cookies (name)")


def text(file: Path) -> None:
    file.write_text("This is a letter, and not a database at all.\n" * 100)


def torn(file: Path) -> None:
    opened(file).close()
    file.write_bytes(file.read_bytes()[:5000])


def folder(file: Path) -> None:
    file.mkdir()


class TestOpening:
    def test_a_new_file_is_private_and_can_be_opened_again(self, tmp_path: Path) -> None:
        """It will hold the secrets of leagues."""
        file = tmp_path / "a.db"
        opened(file).close()
        with opened(file) as store:
            add_bots(store, 1)
        assert file.stat().st_mode & 0o077 == 0
        with opened(file) as store:
            assert [version.bot for version in store.bots.newest()] == ["bot0"]

    def test_an_empty_file_becomes_a_database(self, tmp_path: Path) -> None:
        (tmp_path / "a.db").touch()
        with opened(tmp_path / "a.db") as store:
            assert store.leagues.list() == ()

    @pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:a?mode=memory&uri=true"])
    def test_a_database_in_memory_is_refused(self, url: str) -> None:
        with pytest.raises(DatabaseError, match="is kept in memory and would be lost; choose a file"):
            Store(url)

    def test_many_may_open_a_new_file_at_once(self, tmp_path: Path) -> None:
        def open_it() -> None:
            with opened(tmp_path / "a.db") as store:
                store.leagues.list()

        assert raised_at_once(8, open_it) == []

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (of_newer_version, "was written by a newer version of Beanleague .*upgrade"),
            (of_newer_version_and_empty, "was written by a newer version of Beanleague .*upgrade"),
            (of_another_program, "is a database of another program; choose another file"),
            (text, "is not a database; choose another file"),
            (torn, "is damaged; restore it from a copy"),
            (folder, "cannot be opened; check that it is a file"),
        ],
    )
    def test_what_is_no_database_of_ours_is_refused_and_left_as_it_is(
        self, tmp_path: Path, spoil: Callable[[Path], None], message: str
    ) -> None:
        file = tmp_path / "a.db"
        spoil(file)
        before = file.read_bytes() if file.is_file() else b""
        with pytest.raises(DatabaseError, match=message) as error, opened(file) as store:
            store.leagues.list()
        assert str(error.value).startswith(str(file))
        assert (file.read_bytes() if file.is_file() else b"") == before
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.db"]

    def test_damage_further_in_is_reported_when_it_is_read(self, tmp_path: Path) -> None:
        file = tmp_path / "a.db"
        with opened(file) as store:
            add_bots(store, 3)
        data = bytearray(file.read_bytes())
        data[4096:] = b"\xff" * (len(data) - 4096)
        file.write_bytes(data)
        with pytest.raises(DatabaseError, match="is damaged"), opened(file) as store:
            store.bots.newest()

    def test_a_missing_folder_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(DatabaseError, match=r"cannot create the database .*/none/a.db: No such file or directory"):
            opened(tmp_path / "none" / "a.db")

    @pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
    def test_a_read_only_file_is_an_error(self, tmp_path: Path) -> None:
        opened(tmp_path / "a.db").close()
        (tmp_path / "a.db").chmod(0o400)
        with pytest.raises(DatabaseError, match="read-only"), opened(tmp_path / "a.db") as store:
            add_bots(store, 1)

    @pytest.mark.parametrize("url", ["a.db", "", "/home/me/a.db"])
    def test_an_invalid_url_is_an_error_with_an_example(self, url: str) -> None:
        with pytest.raises(DatabaseError, match="is not a database URL; write a file as sqlite:///"):
            Store(url)

    def test_the_error_for_a_missing_driver_hides_the_password(self) -> None:
        with pytest.raises(DatabaseError, match=r"cannot open oracle://me:\*\*\*@host/db") as error:
            Store("oracle://me:swordfish@host/db")
        assert "swordfish" not in str(error.value)


@pytest.mark.sqlite
class TestTrouble:
    def test_a_database_that_others_write_to_is_an_error(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        with closing(sqlite3.connect(store.database.name, isolation_level=None)) as other:
            monkeypatch.setattr(sqlite_module, "_BUSY_TIMEOUT_MS", 10)
            store.close()
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(DatabaseError, match="is locked by another program; nothing is lost; try again"):
                add_bots(store, 1)
            other.execute("ROLLBACK")
            add_bots(store, 1)

    @pytest.mark.usefixtures("league")
    def test_readers_do_not_wait_for_a_writer(self, store: Store) -> None:
        with closing(sqlite3.connect(store.database.name, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE league SET deals_done = 7")
            assert store.leagues.get("spring").deals_done == 0
            other.execute("ROLLBACK")

    def test_a_full_disk_loses_nothing(self, store: Store, league: League) -> None:
        """The disk is taken to be full when the file may not grow."""

        def no_room(connection: sqlite3.Connection, _: object) -> None:
            connection.execute("PRAGMA max_page_count = 1")

        store.deals.commit(league.id, [deal(1)])
        event.listen(store.database._engine, "connect", no_room)
        store.close()
        with pytest.raises(DatabaseError, match="the disk is full; nothing is lost; free some space and try again"):
            store.deals.commit(league.id, [deal(2, more=bytes(100_000))])
        event.remove(store.database._engine, "connect", no_room)
        store.close()
        assert store.leagues.get("spring").deals_done == 1
        store.deals.commit(league.id, [deal(number) for number in range(2, 11)])
        assert store.leagues.get("spring").deals_done == 10
