"""Copies of the database's file hold what was committed."""

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.engine import Engine

from beanleague.model import League
from beanleague.store import DatabaseError, Store, backup as backups
from beanleague.store.backup import Checkpointer, backup, check_backup
from tests.store.helpers import add_bots, add_league, deal
from tests.waiting import join, until

pytestmark = pytest.mark.sqlite


def bots_in(file: Path) -> list[str]:
    """The bots in a copy of a database's file alone, without its write-ahead log; [] if it has no tables."""
    copy = file.with_name("copy.db")
    shutil.copyfile(file, copy)
    with closing(sqlite3.connect(copy)) as connection:
        try:
            return [name for (name,) in connection.execute("SELECT name FROM bot ORDER BY name")]
        except sqlite3.OperationalError:
            return []


@contextmanager
def commits(store: Store) -> Iterator[list[int]]:
    """Collect how synchronous (1: NORMAL, 2: FULL) each commit of the store is."""
    found: list[int] = []

    def note(connection: Connection) -> None:
        found.append(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())

    engine: Engine = store.database._engine
    event.listen(engine, "commit", note)
    yield found
    event.remove(engine, "commit", note)


class TestDurability:
    @pytest.mark.parametrize(
        "change",
        [
            lambda store: store.tokens.new("ann", "author"),
            lambda store: add_bots(store, 1),
            lambda store: store.leagues.suspend(1, 0, "it was asked for"),
            lambda store: store.leagues.add(1, (), 11),
        ],
        ids=["token", "bot", "suspension", "league"],
    )
    def test_irreplaceable_changes_are_on_the_disk_when_committed(
        self, store: Store, league: League, change: Callable[[Store], object]
    ) -> None:
        store.deals.commit(league.id, [deal(1)])  # on the same connection, just before
        with commits(store) as found:
            change(store)
        assert found
        assert set(found) == {2}

    def test_a_new_league_is_on_the_disk_and_its_deals_need_not_wait_for_it(self, store: Store) -> None:
        versions = add_bots(store, 3)
        with commits(store) as found:
            league = add_league(store, versions)
            store.deals.commit(league.id, [deal(1)])
        assert found == [2, 1, 1]


class TestCheckpoints:
    def test_the_file_alone_has_everything_soon_after_a_commit(
        self, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(backups, "_CHECKPOINT_INTERVAL_S", 0.01)
        add_bots(store, 2)
        assert bots_in(tmp_path / "a.db") == []
        checkpointer = Checkpointer(store.database)
        try:
            until(lambda: bots_in(tmp_path / "a.db") == ["bot0", "bot1"])
        finally:
            checkpointer.close()

    def test_a_reader_of_an_older_state_is_waited_for_by_nobody(self, store: Store, tmp_path: Path) -> None:
        add_bots(store, 1)
        with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM bot").fetchone()
            add_bots(store, 2)
            assert not store.database.checkpoint()
        assert store.database.checkpoint()
        assert bots_in(tmp_path / "a.db") == ["bot0", "bot1"]


class TestBackup:
    def test_a_backup_is_one_file_with_everything_but_the_runs(
        self, store: Store, league: League, tmp_path: Path
    ) -> None:
        store.runs.begin(league.id)
        store.deals.commit(league.id, [deal(1)])
        restored = tmp_path / "b.db"
        with backup(store.database) as copy:
            restored.write_bytes(copy.read())
        check_backup(restored)
        assert sorted(file.name for file in tmp_path.iterdir() if ".backup" in file.name) == []
        with Store(f"sqlite:///{restored}") as other:
            assert other.leagues.get("spring").deals_done == 1
            assert other.runs.running() == frozenset()
        assert store.runs.running() == {league.id}

    def test_a_backup_is_of_one_moment_while_others_write(self, store: Store, league: League, tmp_path: Path) -> None:
        def play() -> None:
            for number in range(1, 11):
                store.deals.commit(league.id, [deal(number)])

        player = threading.Thread(target=play, daemon=True)
        player.start()
        copies = []
        for number in range(5):
            with backup(store.database) as copy:
                copies.append(tmp_path / f"{number}.db")
                copies[-1].write_bytes(copy.read())
        join(player)
        for file in copies:
            check_backup(file)
            with Store(f"sqlite:///{file}") as other:
                league = other.leagues.get("spring")
                assert league.matches_done == 3 * league.deals_done
                assert len(other.deals.unplayed(league.id)) == 10 - league.deals_done

    def test_a_damaged_copy_is_found(self, store: Store, league: League, tmp_path: Path) -> None:
        del league
        restored = tmp_path / "b.db"
        with backup(store.database) as copy:
            data = bytearray(copy.read())
        data[8192 : 8192 + 4096] = b"\xff" * 4096
        restored.write_bytes(data)
        with pytest.raises(DatabaseError, match="is damaged"):
            check_backup(restored)
        restored.write_bytes(data[:5000])
        with pytest.raises(DatabaseError, match="is damaged"):
            check_backup(restored)

    def test_a_database_of_another_program_is_no_backup(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "x.db")) as connection, connection:
            connection.execute("CREATE TABLE cookies (name)")
        with pytest.raises(DatabaseError, match="is a database of another program"):
            check_backup(tmp_path / "x.db")
