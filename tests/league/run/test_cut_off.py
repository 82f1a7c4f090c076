"""The connection to PostgreSQL is cut in the middle of a league, which goes on and stores everything once."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Timer

import pytest
from sqlalchemy import event

from beanleague.store import Store
from tests.databases import PROGRAMS, TEMPLATE, PostgreSQL
from tests.league.fakepool import FakePools
from tests.league.helpers import DERIVED, contents, league_run, slow_clock, store_with_league
from tests.link import Link
from tests.waiting import ending

ROOT = Path(__file__).parents[3]
HERE, THERE = "10.213.77.1", "10.213.77.2/30"


@pytest.fixture
def link(postgresql: PostgreSQL) -> Iterator[Link]:
    """A link to the server."""
    link = Link(postgresql.folder / ".s.PGSQL.5432")
    yield link
    link.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[object, ...]]]:
    """All rows of a league that was played without trouble."""
    with store_with_league(tmp_path_factory.mktemp("whole") / "a.db", deals=DEALS) as store:
        league_run(store, FakePools()).play()
        return contents(store, leave_out=DERIVED)


@pytest.fixture
def store(postgresql: PostgreSQL, link: Link) -> Iterator[Store]:
    """The same league, behind the link, and not played yet."""
    name = postgresql.create(TEMPLATE)
    folder = postgresql.folder  # SQLAlchemy leaves the host to the query, and so does what plays a league
    url = f"postgresql://beanleague@/{name}?host={folder}&hostaddr=127.0.0.1&port={link.port}&connect_timeout=2"
    with store_with_league(url, deals=DEALS) as store:
        yield store


DEALS = 12
CUTS = {
    "between transactions": (" set_config", 12),
    "in a transaction": ("COPY match_seat", 6),
    "before a commit": ("COMMIT", 8),
}


@pytest.mark.parametrize("replies_only", [False, True], ids=["both ways", "replies"])
@pytest.mark.parametrize("when", CUTS)
def test_a_league_goes_on_and_loses_nothing(
    store: Store, whole: dict[str, list[tuple[object, ...]]], link: Link, when: str, replies_only: bool
) -> None:
    """When only replies are lost, all that they answer was done: also the commit."""
    statement, number = CUTS[when]
    times = count(1)
    timer = Timer(1.5, link.restore)

    def look(found: str) -> None:
        if statement in found and next(times) == number:
            link.cut(replies_only=replies_only)
            timer.start()

    engine = store.database._engine
    event.listen(engine, "before_cursor_execute", lambda _, __, found, *___: look(found))
    event.listen(engine, "commit", lambda _: look("COMMIT"))
    league_run(store, FakePools(), clock=slow_clock()).play()
    timer.join()
    assert next(times) > number
    assert contents(store, leave_out=DERIVED) == whole


@pytest.fixture
def cable() -> Iterator[str]:
    """A network of two, of which the other end is in a network namespace; the name of both."""
    name = f"beans{os.getpid() % 100_000}"
    try:
        ip("netns", "add", name)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"network namespaces cannot be made here: {error}")
    try:
        ip("link", "add", name, "type", "veth", "peer", "name", "far", "netns", name)
        ip("address", "add", f"{HERE}/30", "dev", name)
        ip("link", "set", name, "up")
        ip("-n", name, "address", "add", THERE, "dev", "far")
        ip("-n", name, "link", "set", "far", "up")
        yield name
    finally:
        ip("netns", "delete", name)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.mark.slow
def test_a_cable_that_is_out_for_30_seconds(cable: str, tmp_path: Path) -> None:
    """The league is played in the network namespace, and notices by itself that its connection is dead."""
    if not PROGRAMS.exists():
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")

    def allow(data: Path) -> None:
        (data.parent / "hba.conf").write_text(f"local all all trust\nhost all all {THERE} trust\n", encoding="utf-8")

    server = PostgreSQL.new(allow, hba_file="'hba.conf'", listen_addresses=f"'{HERE}'")
    try:
        whole, name = server.create(), server.create()
        with (
            store_with_league(server.url(whole), deals=40) as one,
            store_with_league(server.url(name), deals=40) as other,
        ):
            league_run(one, FakePools()).play()
            url = f"postgresql://beanleague@/{name}?host={HERE}"
            words = ["ip", "netns", "exec", cable, sys.executable, "-m", "tests.league.run.cut_off", url]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            pipe = subprocess.PIPE
            started = subprocess.Popen(words, cwd=tmp_path, env=environment, stdin=pipe, stdout=pipe, text=True)
            with ending(started) as run:
                assert run.stdin is not None
                assert run.stdout is not None
                before = int(run.stdout.readline())
                ip("link", "set", cable, "down")
                run.stdin.write("\n")
                run.stdin.flush()
                time.sleep(30)
                ip("link", "set", cable, "up")
                after = int(run.stdout.readline())
            assert run.returncode == 0
            assert before < after == 40
            assert contents(other, leave_out=DERIVED) == contents(one, leave_out=DERIVED)
    finally:
        server.remove()
