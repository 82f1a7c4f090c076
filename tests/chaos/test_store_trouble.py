"""A store that cannot be written stops a league with a clear message, and nothing of it is lost."""

import random
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from beanleague.model import PlayedMatch
from beanleague.referee.messages import MatchTask
from beanleague.store import Store, StoreError
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools, quick
from tests.league.helpers import DERIVED, contents, league_run, store_with_league
from tests.store.helpers import wait_for_writers
from tests.waiting import until

LEFT_OUT = DERIVED | {"bot_log", "run"}


def large(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
    """Make up a match whose record takes several pages."""
    return replace(quick(task, bots), record=random.Random(task.seed).randbytes(20_000))


def play_in_a_thread(store: Store, pools: FakePools) -> None:
    """Play the league, in a thread that ends with it, as a server does."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(league_run(store, pools).play).result()


def assert_goes_on(store: Store, whole: Store) -> None:
    """See that the rest can be played, and that the league then ends like one without trouble."""
    until(lambda: not store.runs.running())  # the kernel takes a moment to end the thread of the run that failed
    done = store.leagues.get("spring").deals_done
    assert done < 10
    pools = FakePools(large)
    league_run(store, pools).play()
    assert pools.played == 4 * (10 - done)
    league_run(whole, FakePools(large)).play()
    assert contents(store, leave_out=LEFT_OUT) == contents(whole, leave_out=LEFT_OUT)


@pytest.mark.parametrize("pages", [0, 10, 60])
def test_a_full_disk(make_league: MakeLeague, pages: int) -> None:
    """The disk is taken to be full when the file may grow by no more than some pages."""
    whole, store = make_league(), make_league()

    def little_room(connection: sqlite3.Connection, _: object) -> None:
        (size,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {size + pages}")

    store.close()
    event.listen(Engine, "connect", little_room)
    try:
        with pytest.raises(StoreError, match="the disk is full; nothing is lost; free some space and try again"):
            play_in_a_thread(store, FakePools(large))
    finally:
        event.remove(Engine, "connect", little_room)
        store.close()
    assert_goes_on(store, whole)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that has room for an empty league, and a little more."""
    place = tmp_path / "disk"
    place.mkdir()
    options = ["-o", "size=600k", "-t", "tmpfs", "none", str(place)]
    mounted = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"file systems cannot be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path, make_league: MakeLeague) -> None:
    whole = make_league()
    with store_with_league(small_disk / "a.db") as store:
        with pytest.raises(StoreError, match=r"the disk is full; nothing is lost|the disk fails or is full") as error:
            play_in_a_thread(store, FakePools(large))
        assert len(str(error.value).splitlines()) == 1
        store.close()
        subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
        assert_goes_on(store, whole)


def test_a_locked_database(make_league: MakeLeague) -> None:
    whole, store = make_league(), make_league()
    wait_for_writers(store, 10)
    with closing(sqlite3.connect(store.database.name, isolation_level=None, check_same_thread=False)) as other:
        matches = count(1)

        def lock(_: MatchTask) -> None:
            if next(matches) == 15:
                other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match="is locked by another program; nothing is lost; try again"):
            play_in_a_thread(store, FakePools(large, before=lock))
        other.execute("ROLLBACK")
    assert store.leagues.get("spring").deals_done > 0
    assert_goes_on(store, whole)
