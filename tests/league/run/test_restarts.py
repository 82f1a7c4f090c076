"""The server of PostgreSQL is stopped, killed and started again in the middle of a league, which goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from beanleague.referee.messages import MatchTask
from tests.databases import PROGRAMS, PostgreSQL
from tests.league.fakepool import FakePools, quick
from tests.league.helpers import DERIVED, contents, league_run, store_with_league


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
            for thread in threads:
                thread.join()  # the one before
            threads.append(threading.Thread(target=trouble, args=(server,)))
            threads[-1].start()

    with store_with_league(whole, deals=40) as one, store_with_league(troubled, deals=40) as other:
        league_run(one, FakePools(quick)).play()
        league_run(other, FakePools(quick, before=go_away)).play()
        for thread in threads:
            thread.join()
        assert len(threads) == 3
        assert other.leagues.get("spring").deals_done == 40
        assert contents(other, leave_out=DERIVED) == contents(one, leave_out=DERIVED)
