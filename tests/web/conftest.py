"""Fixtures for the tests of the site: a small league, a site, a browser."""

import asyncio
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from beanleague.league.counting import add_results, keep
from beanleague.league.ratings.counters import Counters
from beanleague.service.access import Cost, Role
from beanleague.service.gate import Allowance
from beanleague.service.server import embedded
from beanleague.store import Store
from beanleague.web.app import make_app
from beanleague.web.security import ALLOWANCES
from beanleague.web.serving import serving
from beanleague.web.settings import SiteSettings
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools, play
from tests.league.helpers import SECRET, bundle
from tests.service.helpers import submit
from tests.web.altered import execute
from tests.web.browsing import Watched, watched
from tests.web.viewer.node import Node

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The first cannot draw windows, and takes a quarter of the CPU for a page."""
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)

expect.set_options(timeout=60_000)  # a busy machine draws pages seldom

LOCAL = SiteSettings()

Open = Callable[..., Watched]


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the league "spring" of five bots at four seats, played to its end by a referee in this process.

    Not to be changed: `database` is a copy for a test that does.
    """
    return Path(shutil.copy(shared_league(tmp_path_factory, deals=10), tmp_path_factory.mktemp("played")))


def shared_league(factory: pytest.TempPathFactory, deals: int) -> Path:
    """Return the database of a league of so many deals, which the first process of these tests plays for all.

    To be copied, since a service is to have a database of its own.
    """
    base = factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"league-of-{deals}"
    home.mkdir(exist_ok=True)
    file = home / "leagues.db"
    with (home / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "played").exists():
            play_league(file, deals)
            (home / "played").touch()
    return file


def play_league(file: Path, deals: int) -> None:
    """Play the league "spring", and leave its database in `file`."""
    with embedded(f"sqlite:///{file}", cache=file.parent / "cache", start_pool=FakePools(play=play)) as channel:
        stub = LeagueStub(channel)
        for name in ("ann", "ben", "cid", "dora", "eve"):
            submit(stub, bundle(name))
        stub.CreateLeague(
            pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", seats=4, deals=deals, secret=SECRET)
        )
        for _ in stub.RunLeague(pb.RunLeagueRequest(name="spring", workers=1, in_flight=4)):
            pass
    rate_twice(file)


def rate_twice(file: Path) -> None:
    """Let the ratings be those after half the deals and after all: how often a run rates depends on its time."""
    for table in ("rating", "rating_snapshot"):
        execute(file, f"DELETE FROM {table}")
    with Store(f"sqlite:///{file}") as store:
        league = store.leagues.get("spring")
        counters, deals = Counters(league.entrants), list(store.matches.by_deal(league.id))
        for some in (deals[: len(deals) // 2], deals[len(deals) // 2 :]):
            add_results(counters, league, some)
            keep(store, league, counters)


@pytest.fixture
def database(played: Path, tmp_path: Path) -> Path:
    """A copy of `played` for one test."""
    return Path(shutil.copy(played, tmp_path / "leagues.db"))


@contextmanager
def site_of(
    file: Path,
    *,
    guest: Role = Role.ORGANISER,
    settings: SiteSettings = LOCAL,
    pools: FakePools | None = None,
    allowances: Mapping[Cost, Allowance] = ALLOWANCES,
) -> Iterator[tuple[str, LeagueStub]]:
    """Serve the site of a database; give its URL, and the calls of its service."""
    with embedded(
        f"sqlite:///{file}", cache=file.parent / "cache", start_pool=pools or FakePools(play=play), guest=guest
    ) as channel:
        stub = LeagueStub(channel)
        with serving(make_app(stub, settings, allowances, tables=channel), "127.0.0.1:0") as url:
            yield url, stub


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    """The scripts of the site without a page."""
    with Node() as node:
        yield node


@pytest.fixture(scope="session")
def site(played: Path) -> Iterator[str]:
    """The URL of the site of `played`, for tests that change nothing."""
    with site_of(played) as (url, _):
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """Chromium, without a window, and the event loop of the driver, which counts as running only for a `browser`."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium (apt-get install chromium-headless-shell)")
    with sync_playwright() as playwright:
        loop = asyncio.get_running_loop()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture(scope="module")
def browser(chromium: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """Chromium, for the tests of a file; a process of tests starts it once, since a start costs 0.7 s of CPU.

    Between two calls of Playwright its event loop counts as running in this thread. Tests of other files have loops of
    their own, so that of Playwright rests until the next file that uses the browser.
    """
    browser, loop = chromium
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def spare_pages() -> dict[bool, Page]:
    """Pages that tests use in turn, with and without JavaScript: each new one costs a process."""
    return {}


@pytest.fixture
def open_page(browser: Browser, spare_pages: dict[bool, Page]) -> Iterator[Open]:
    """Open a page: `open_page(url, width=390, dark=True, javascript=False)`.

    It has no cookies and no history of another page of the test. The test fails at its end if a page wrote an error to
    its console, broke the content policy, or asked another host.
    """
    with ExitStack() as stack:

        def opened(url: str, *, width: int = 1280, dark: bool = False, javascript: bool = True) -> Watched:
            page = spare_pages.pop(javascript, None) or browser.new_context(java_script_enabled=javascript).new_page()
            stack.callback(put_back, page, javascript)
            page.set_default_timeout(60_000)  # a busy machine draws pages seldom
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="no-preference")
            stack.enter_context(watched(page, url))
            page.goto(url)
            return page

        def put_back(page: Page, javascript: bool) -> None:
            if javascript in spare_pages:
                page.context.close()
                return
            page.goto("about:blank")
            page.mouse.move(0, 0)  # off everything that the next page has
            page.context.clear_cookies()
            spare_pages[javascript] = page

        yield opened
