"""Whole leagues in each kind of database, whose server or run is stopped, killed and started again."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

from beanleague.model import MatchFilter
from beanleague.referee.messages import MatchTask
from beanleague.store import Store
from tests.databases import PROGRAMS, TEMPLATE, PostgreSQL
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools, play, quick
from tests.league.helpers import DERIVED, contents, league_run, store_with_league, verified
from tests.league.run import killed
from tests.waiting import join


def rows_of_a_league(where: Path | str) -> dict[str, list[tuple[object, ...]]]:
    """Play a league and verify it; return all rows."""
    with store_with_league(where, deals=6) as store:
        league_run(store, FakePools(play)).play()
        assert store.leagues.get("spring").deals_done == 6
        assert [*verified(store, "spring", workers=0)][-1].finding_count == 0
        return contents(store, leave_out=DERIVED)


def test_a_league_is_the_same_in_a_file_and_in_postgresql(postgresql: PostgreSQL, tmp_path: Path) -> None:
    url = postgresql.url(postgresql.create(TEMPLATE))
    assert rows_of_a_league(url) == rows_of_a_league(tmp_path / "a.db")


@pytest.fixture
def server() -> Iterator[PostgreSQL]:
    """A server of this test alone, which loses no commit in a crash."""
    if not PROGRAMS.exists():
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    server = PostgreSQL.new(fsync="on", full_page_writes="on")
    yield server
    server.remove()


def restart(server: PostgreSQL) -> None:
    server.stop()
    server.start()


def crash(server: PostgreSQL) -> None:
    server.stop("immediate")
    server.start()


def kill(server: PostgreSQL) -> None:
    server.kill()
    server.start()


@pytest.mark.slow
@pytest.mark.parametrize("trouble", [restart, crash, kill])
def test_a_league_goes_on_and_loses_nothing(server: PostgreSQL, trouble: Callable[[PostgreSQL], None]) -> None:
    """The server goes away at several matches, while the run plays and commits."""
    whole, troubled = (server.url(server.create()) for _ in range(2))
    matches, threads = count(1), list[threading.Thread]()

    def go_away(_: MatchTask) -> None:
        if next(matches) in {10, 60, 110}:
            join(*threads)  # the one before
            threads.append(threading.Thread(target=trouble, args=(server,), daemon=True))
            threads[-1].start()

    with store_with_league(whole, deals=40) as one, store_with_league(troubled, deals=40) as other:
        league_run(one, FakePools(quick)).play()
        league_run(other, FakePools(quick, before=go_away)).play()
        join(*threads)
        assert len(threads) == 3
        assert other.leagues.get("spring").deals_done == 40
        assert contents(other, leave_out=DERIVED) == contents(one, leave_out=DERIVED)


ROOT = Path(__file__).parents[3]
LEFT_OUT = DERIVED | {"bot_log"}  # what bots wrote in a match that was played twice is there twice


def ends_like(store: Store, whole: Store) -> None:
    """See that two stores hold the same league, all of it and nothing twice."""
    assert contents(store, leave_out=LEFT_OUT) == contents(whole, leave_out=LEFT_OUT)
    assert store.ratings.latest(1).ratings == whole.ratings.latest(1).ratings  # type: ignore[union-attr]
    assert len(store.matches.list(1, MatchFilter(limit=100))) == 40


def run_and_kill(stores: Sequence[Store], first: int, step: int) -> list[int]:
    """Play the leagues in children that are killed; return how many were, for each."""
    urls = [store.database._engine.url.render_as_string(hide_password=False) for store in stores]
    words = [sys.executable, killed.__file__, str(first), str(step), *urls]
    done = subprocess.run(words, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


def test_a_league_killed_at_any_statement_ends_as_if_nothing_had_happened(make_league: MakeLeague) -> None:
    """No deal is lost, none is there twice, and the dead are not in the way of those that go on."""
    whole, store = make_league(), make_league()
    league_run(whole, FakePools()).play()
    (kills,) = run_and_kill([store], first=1, step=7)
    assert kills > 5
    ends_like(store, whole)


@pytest.mark.slow
def test_a_league_killed_at_every_single_statement_ends_as_if_nothing_had_happened(make_league: MakeLeague) -> None:
    """As above, but each statement of a whole run in a league of its own."""
    whole = make_league()
    league_run(whole, FakePools()).play()
    first, kills = 1, [1]
    while all(kills):
        stores = [make_league() for _ in range(50)]
        kills = run_and_kill(stores, first, 1_000_000)
        for store in stores:
            ends_like(store, whole)
        first += len(stores)
    assert first > 100
