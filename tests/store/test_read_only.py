"""SQLite files that may be read and not written: those of others, and those on read-only media."""

import gzip
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from beanleague.store import DatabaseError, Store
from beanleague.store.backup import backup, check_backup
from tests.ownership import read_only_media, read_only_view, write_protected
from tests.store.helpers import add_bots, add_league, digest, manifest
from tests.store.test_migrations import RELEASED
from tests.waiting import TIMEOUT_S, ending

_WRITER = """
import sys
from beanleague.store import Store
from tests.store.helpers import digest, manifest
with Store(sys.argv[1]) as store:
    for name in sys.stdin:
        store.bots.add(manifest(name.strip()), digest(name), b"zip")
        connection = store.database._engine.raw_connection()  # a new one could not be opened by who protects own files
        _, in_log, moved = connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        connection.close()
        print(in_log == moved, flush=True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database of two bots in a folder of its own, which nobody has open."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    with Store(f"sqlite:///{folder / 'a.db'}") as store:
        add_league(store, add_bots(store, 2), seats=2)
    return folder / "a.db"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


class Writer:
    """A process of the owner's that has a database open."""

    def __init__(self, file: Path) -> None:
        words = [sys.executable, "-P", "-c", _WRITER, f"sqlite:///{file}"]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def add(self, name: str) -> str:
        """Submit a bot; return whether everything is in the file then."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


@contextmanager
def writing(file: Path) -> Iterator[Writer]:
    writer = Writer(file)
    with ending(writer.process):
        yield writer
        writer.process.communicate(timeout=TIMEOUT_S)
    assert writer.process.returncode == 0


def opened(file: Path) -> Store:
    return Store(f"sqlite:///{file}")


def add_ann(store: Store) -> None:
    store.bots.add(manifest("ann"), digest("ann"), b"zip")


def bots(store: Store) -> list[str]:
    return sorted(version.bot for version in store.bots.newest())


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """What files there are, what is in them and when they were changed."""
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()}


class TestFilesOfOthers:
    def test_a_file_at_rest_is_read_and_nothing_is_written_beside_it(self, file: Path, temporary: Path) -> None:
        with write_protected(file.parent):
            before = contents(file.parent)
            with opened(file) as store:
                assert bots(store) == ["bot0", "bot1"]
                assert store.leagues.get("spring").deals == 10
                assert store.database.checkpoint()
                store.database.check_rows()
            assert contents(file.parent) == before
        assert not list(temporary.iterdir())

    def test_a_writable_folder_gets_no_log_of_a_reader(self, file: Path) -> None:
        with write_protected(file.parent):
            file.parent.chmod(0o777)
            with opened(file) as store:
                assert bots(store) == ["bot0", "bot1"]
                assert [each.name for each in file.parent.iterdir()] == ["a.db"]

    def test_a_writable_file_in_a_folder_of_others_is_read(self, file: Path) -> None:
        with write_protected(file.parent, 0o666), opened(file) as store:
            assert bots(store) == ["bot0", "bot1"]
            with pytest.raises(DatabaseError, match=r"is read-only: you may not write its folder .*/theirs\. You can"):
                store.tokens.revoke("ann")

    def test_writing_is_refused_with_the_reason_and_the_remedy(self, file: Path) -> None:
        owner = "it belongs to nobody" if os.geteuid() == 0 else "it is write-protected"
        with write_protected(file.parent), opened(file) as store:
            with pytest.raises(DatabaseError) as error:
                add_bots(store, 1)
            with pytest.raises(DatabaseError, match="is read-only"), store.alone():
                pass
        assert str(error.value) == (
            f"{file} is read-only: {owner}. You can look at it, or change a copy: 'beanleague backup FILE', "
            "then --db FILE"
        )

    def test_a_reader_sees_new_rows_of_a_writer_who_sees_no_harm(self, file: Path) -> None:
        with writing(file) as writer:
            assert writer.add("ann") == "True"
            with write_protected(file.parent), opened(file) as store:
                before = [each.name for each in file.parent.iterdir()]
                assert bots(store) == ["ann", "bot0", "bot1"]
                with store.database.read() as reading:
                    count = "SELECT count(*) FROM bot"
                    assert reading.exec_driver_sql(count).scalar_one() == 3
                    writer.add("ben")
                    assert reading.exec_driver_sql(count).scalar_one() == 3
                assert writer.add("cid") == "True"
                assert bots(store) == ["ann", "ben", "bot0", "bot1", "cid"]
                assert [each.name for each in file.parent.iterdir()] == before
        with opened(file) as store:
            assert bots(store) == ["ann", "ben", "bot0", "bot1", "cid"]

    def test_a_reader_of_a_file_at_rest_sees_what_is_written_later(self, file: Path) -> None:
        with write_protected(file.parent):
            store = opened(file)
            assert bots(store) == ["bot0", "bot1"]
        file.chmod(0o644)
        with writing(file) as writer:
            writer.add("ann")
            with write_protected(file.parent):
                assert bots(store) == ["ann", "bot0", "bot1"]
        with write_protected(file.parent), store:
            assert bots(store) == ["ann", "bot0", "bot1"]

    @pytest.mark.parametrize("index", [True, False])
    def test_rows_in_the_log_of_a_killed_writer_are_read(self, file: Path, tmp_path: Path, *, index: bool) -> None:
        killed = tmp_path / "killed"
        killed.mkdir()
        with opened(file) as store:
            add_ann(store)
            for each in file.parent.iterdir():
                if index or not each.name.endswith("-shm"):
                    shutil.copy(each, killed)
        with write_protected(killed), opened(killed / "a.db") as store:
            before = contents(killed)
            assert bots(store) == ["ann", "bot0", "bot1"]
            assert contents(killed) == before

    def test_a_log_that_may_not_be_read_is_an_error_with_the_remedy(self, file: Path) -> None:
        with opened(file) as store:
            add_ann(store)
            with write_protected(file.parent):
                log = Path(f"{file}-wal")
                log.chmod(0)
                with pytest.raises(DatabaseError) as error:
                    opened(file)
        assert str(error.value) == f"you may not read {log}; its owner can allow it: chmod a+r {file}*"

    def test_older_tables_are_not_upgraded(self, tmp_path: Path) -> None:
        file = tmp_path / "theirs" / "released.db"
        file.parent.mkdir()
        file.write_bytes(gzip.decompress(RELEASED.read_bytes()))
        with write_protected(file.parent):
            before = contents(file.parent)
            with pytest.raises(DatabaseError, match=r"must be upgraded to version \d+, and is read-only: it .* --db$"):
                opened(file)
            assert contents(file.parent) == before

    def test_an_empty_file_is_an_error(self, tmp_path: Path) -> None:
        file = tmp_path / "theirs" / "a.db"
        file.parent.mkdir()
        file.touch()
        with write_protected(file.parent), pytest.raises(DatabaseError, match="is empty and read-only"):
            opened(file)

    @pytest.mark.filterwarnings("error::ResourceWarning")
    def test_no_copy_is_left_of_a_file_that_is_not_ours(self, tmp_path: Path, temporary: Path) -> None:
        file = tmp_path / "theirs" / "other.db"
        file.parent.mkdir()
        with closing(sqlite3.connect(file)) as other:
            other.execute("CREATE TABLE notes (text)")
        with write_protected(file.parent), pytest.raises(DatabaseError, match="is a database of another program"):
            opened(file)
        assert not list(temporary.iterdir())

    def test_a_backup_is_made_in_the_folder_for_temporary_files(self, file: Path, temporary: Path) -> None:
        with write_protected(file.parent), opened(file) as store, backup(store.database) as copy:
            (made,) = temporary.glob("*.backup")
            check_backup(made)
            assert copy.read() == made.read_bytes()


class TestReadOnlyMedia:
    def test_a_file_is_read_where_it_is(self, file: Path, tmp_path: Path, temporary: Path) -> None:
        with read_only_media(tmp_path / "media", file) as media, opened(media / "a.db") as store:
            assert bots(store) == ["bot0", "bot1"]
            assert not list(temporary.iterdir())
            with pytest.raises(DatabaseError, match="is read-only: its file system is mounted read-only"):
                add_bots(store, 1)

    @pytest.mark.parametrize("ends", [("-wal",), ("-wal", "-shm")])
    def test_rows_in_a_log_there_are_read(self, file: Path, tmp_path: Path, ends: tuple[str, ...]) -> None:
        with opened(file) as store:
            add_ann(store)
            beside = [Path(f"{file}{end}") for end in ends]
            with read_only_media(tmp_path / "media", file, *beside) as media, opened(media / "a.db") as there:
                assert bots(there) == ["ann", "bot0", "bot1"]

    def test_a_file_that_others_write_by_another_mount_is_not_held_for_unchanging(
        self, file: Path, tmp_path: Path
    ) -> None:
        with read_only_view(tmp_path / "view", file.parent) as view, opened(view / "a.db") as store:
            assert bots(store) == ["bot0", "bot1"]
            with writing(file) as writer:
                writer.add("ann")
                assert bots(store) == ["ann", "bot0", "bot1"]
            assert bots(store) == ["ann", "bot0", "bot1"]
            with pytest.raises(DatabaseError, match="is read-only"):
                add_bots(store, 1)
