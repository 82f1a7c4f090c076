"""A disk of a PostgreSQL server that is full stops a league with a sentence, and nothing of it is lost."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.store import Store, StoreError
from tests.chaos.test_store_trouble import assert_goes_on, large, play_in_a_thread
from tests.databases import PROGRAMS, TEMPLATE, PostgreSQL
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools
from tests.league.helpers import store_with_league

ROOM = 200_000  # bytes: less than the records of the league
FULL = "cannot be written: the disk is full; nothing is lost; free some space and try again"


class Disk:
    """A file system in memory, of the user that owns the folder in which it is made."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir(exist_ok=True)
        owner = place.parent.stat()
        options = f"size=100m,mode=700,uid={owner.st_uid},gid={owner.st_gid}"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "none", str(place)], capture_output=True, text=True, check=False
        )
        if mounted.returncode:
            pytest.skip(f"file systems cannot be mounted here: {mounted.stderr.strip()}")

    def leave(self, room: int) -> None:
        """Let it have so many bytes more than it holds."""
        for left in reversed(range(10)):  # what is written meanwhile may need more
            found = os.statvfs(self.place)
            used = (found.f_blocks - found.f_bfree) * found.f_frsize
            command = ["mount", "-o", f"remount,size={used + room}", str(self.place)]
            if subprocess.run(command, check=not left).returncode == 0:
                return

    def remove(self) -> None:
        """Remove it, with all that it holds."""
        subprocess.run(["umount", "--lazy", str(self.place)], check=True)


@pytest.fixture
def disk(postgresql: PostgreSQL) -> Iterator[Disk]:
    """A disk of the server for some of its databases."""
    disk = Disk(postgresql.folder / "small")
    postgresql.do(f"CREATE TABLESPACE small LOCATION '{disk.place}'")
    yield disk
    postgresql.do("DROP TABLESPACE small")
    disk.remove()


@pytest.fixture
def store(postgresql: PostgreSQL, disk: Disk) -> Iterator[Store]:
    """A league on that disk, for whose matches there is no room."""
    name = postgresql.create(f"{TEMPLATE} TABLESPACE small")
    with store_with_league(postgresql.url(name)) as store:
        disk.leave(ROOM)
        yield store
    postgresql.do(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_full_disk(store: Store, disk: Disk, make_league: MakeLeague) -> None:
    with pytest.raises(StoreError, match=FULL):
        play_in_a_thread(store, FakePools(large))
    disk.leave(50_000_000)
    assert_goes_on(store, make_league())


@pytest.mark.slow
def test_a_full_disk_with_everything_of_a_server(make_league: MakeLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the server crashes, since it cannot write its log."""
    if not PROGRAMS.exists():
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    disks: list[Disk] = []
    server = PostgreSQL.new(lambda place: disks.append(Disk(place)), fsync="on", full_page_writes="on")
    (disk,) = disks
    try:
        with store_with_league(server.url(server.create())) as store:
            store.database._kind._timeout_s = 2.0  # type: ignore[union-attr]  # until it gives up
            monkeypatch.setattr("beanleague.store.database.SERVER_TIMEOUT_S", 2.0)
            disk.leave(ROOM)
            server.do("SELECT pg_switch_wal()")  # there is no room for the next file of the log
            with pytest.raises(StoreError, match="does not answer; check that its server runs|" + FULL) as error:
                play_in_a_thread(store, FakePools(large))
            assert len(str(error.value).splitlines()) == 1
            disk.leave(50_000_000)
            server.restart()
            assert_goes_on(store, make_league())
    finally:
        server.stop("immediate")
        disk.remove()
        shutil.rmtree(server.folder)
