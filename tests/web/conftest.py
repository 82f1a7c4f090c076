"""Fixtures for the tests of the site: a small league, a site, a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from beanleague.service.access import Cost, Role
from beanleague.service.server import embedded
from beanleague.service.throttle import Allowance
from beanleague.web.app import make_app
from beanleague.web.security import ALLOWANCES
from beanleague.web.serving import serving
from beanleague.web.settings import SiteSettings
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools, play
from tests.league.helpers import SECRET, bundle
from tests.web.browsing import Watched, watched

BROWSERS = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
"""The first cannot draw windows, and takes a quarter of the CPU for a page."""
CHROMIUM = next((browser for browser in BROWSERS if browser.exists()), BROWSERS[0])
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
    home = tmp_path_factory.mktemp("played")
    file = home / "leagues.db"
    with embedded(f"sqlite:///{file}", cache=home / "cache", start_pool=FakePools(play=play)) as channel:
        stub = LeagueStub(channel)
        for name in ("ann", "ben", "cid", "dora", "eve"):
            stub.SubmitBot(pb.SubmitBotRequest(bundle=bundle(name)))
        stub.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", seats=4, deals=10, secret=SECRET))
        for _ in stub.RunLeague(pb.RunLeagueRequest(name="spring", workers=1, in_flight=4)):
            pass
    return file


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
def site(played: Path) -> Iterator[str]:
    """The URL of the site of `played`, for tests that change nothing."""
    with site_of(played) as (url, _):
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window. For one file: while it is there, its event loop keeps other tests from theirs."""
    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM} (apt-get install {CHROMIUM.name})")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open a page in a context of its own: `open_page(url, width=390, dark=True, javascript=False)`.

    The test fails at its end if a page wrote an error to its console, broke the content policy, or asked another host.
    """
    with ExitStack() as stack:

        def opened(url: str, *, width: int = 1280, dark: bool = False, javascript: bool = True) -> Watched:
            context: BrowserContext = browser.new_context(
                viewport={"width": width, "height": 800},
                color_scheme="dark" if dark else "light",
                java_script_enabled=javascript,
            )
            stack.callback(context.close)
            page = stack.enter_context(watched(context.new_page(), url))
            page.goto(url)
            return page

        yield opened
