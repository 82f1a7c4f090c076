"""Settings for all tests."""

from __future__ import annotations

import faulthandler
import fcntl
import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import setitimer  # some tests take it away
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from tests.databases import PostgreSQL, UrlOf

# Of the million objects that pytest makes of all tests, none goes away: looking through them again and again takes a
# third of the time to read the tests, and a fifth of that to run them.
gc.disable()

# A job in the background of a shell ignores Ctrl-C, and so would every program that a test starts from there.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Otherwise gRPC starts its threads anew in every forked process, also in those that pexpect forks to start a program at
# a terminal: now and then they abort it before the program begins, since pexpect closes their descriptors.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

# Where the environment names a proxy, gRPC would ask it for servers of these tests.
os.environ["no_grpc_proxy"] = "127.0.0.1,localhost"  # noqa: SIM112  # its name

_LIMIT_S = 900.0
"""Longest setup, call and teardown of a test: many times what the longest take on an idle machine."""
_SLOW = 16
"""How many times as long those marked as slow may take."""
_SCREEN = pytest.StashKey[int]()

settings.register_profile("fuzz", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Let one of several processes collect the tests first, so that Python compiles what they import only once.

    In a new environment nothing is compiled, and side by side each process would compile all of it.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return (yield)
    shared = Path(session.config.getoption("basetemp")).parent
    with (shared / "compiled").open("ab", buffering=0) as compiled:
        fcntl.flock(compiled, fcntl.LOCK_EX)
        if not os.fstat(compiled.fileno()).st_size:
            collected = yield
            compiled.write(b"1")
            return collected
    return (yield)


def pytest_collection_finish() -> None:
    """Share statements where tests use databases. Collect garbage from here on, but leave alone what there is."""
    if "beanleague.store.database" in sys.modules:
        from tests.databases import share_statements

        share_statements()
    gc.freeze()
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_SCREEN] = os.dup(2)  # tests have another standard error, whose text is lost with a process


def pytest_unconfigure(config: pytest.Config) -> None:
    os.close(config.stash[_SCREEN])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    with _limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with _limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    with _limited(item):
        return (yield)


@contextmanager
def _limited(item: pytest.Item) -> Iterator[None]:
    """Fail a test that hangs; end the process if that does not help, and print what each of its threads does.

    Practice with a limit of time for decisions takes both clocks for itself, until the test ends.
    """
    limit_s = item.config.getoption("--limit") * (_SLOW if item.get_closest_marker("slow") else 1)

    def fail(*_: object) -> None:
        faulthandler.dump_traceback(2)
        pytest.fail(f"not over after {limit_s:g} s: {item.nodeid}")

    before = signal.signal(signal.SIGALRM, fail)
    faulthandler.dump_traceback_later(2 * limit_s, file=item.config.stash[_SCREEN], exit=True)
    setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-layers", action="store_true", help="play the attacks under every layer of the sandbox")
    parser.addoption("--games", type=int, default=4, help="random games of each ruleset and table size (4)")
    parser.addoption("--limit", type=float, default=_LIMIT_S, help=f"seconds until a test fails ({_LIMIT_S:g})")
    parser.addoption("--postgresql", action="store_true", help="use PostgreSQL in all tests that can")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let tests that use databases use those of both kinds: those of the store, and others if it is wanted."""
    if "url_of" in metafunc.fixturenames:
        test = metafunc.definition
        both = metafunc.config.getoption("postgresql") or Path(__file__).with_name("store") in test.path.parents
        if (both or test.get_closest_marker("both_databases")) and not test.get_closest_marker("sqlite"):
            metafunc.parametrize("url_of", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def games(request: pytest.FixtureRequest) -> int:
    """How many random games of each ruleset and table size are played."""
    number: int = request.config.getoption("--games")
    return number


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    """A server of PostgreSQL that all these tests share."""
    # Imported late, like below: where no test has a database, SQLAlchemy is most of what would be imported.
    from tests.databases import PROGRAMS, shared_server

    if not PROGRAMS.exists():
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    folder = tmp_path_factory.getbasetemp()
    with shared_server(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) as server:
        yield server


@pytest.fixture(scope="session")
def free_databases() -> list[str]:
    """Names of databases of PostgreSQL with our tables and nothing in them, of tests that are over."""
    return []


@pytest.fixture
def url_of(request: pytest.FixtureRequest) -> Iterator[UrlOf]:
    """Returns the URL of the database in a file; or of a database of PostgreSQL, for each file another."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield "sqlite:///{}".format
        return
    from tests.databases import TEMPLATE

    server: PostgreSQL = request.getfixturevalue("postgresql")
    free: list[str] = request.getfixturevalue("free_databases")
    names: dict[Path, str] = {}

    def url(file: Path) -> str:
        if file not in names:
            names[file] = free.pop() if free else server.create(TEMPLATE)
        return server.url(names[file])

    yield url
    for name in names.values():
        server.empty(name)
        free.append(name)


@pytest.fixture
def store_url(url_of: UrlOf, tmp_path: Path) -> str:
    """The URL of a database without bots and leagues, the file a.db or one of PostgreSQL."""
    return url_of(tmp_path / "a.db")
