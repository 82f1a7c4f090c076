"""Standings that move while one looks at them, and pages that take no connection while nobody does."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.web.conftest import Open, site_of

CONNECTIONS = 6
"""Of a browser to a host, for all its pages."""
SHOW = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@contextmanager
def league_site(database: Path) -> Iterator[tuple[str, LeagueStub]]:
    """A site whose league autumn is not played yet; give the address of its page, and the service."""
    with site_of(database) as (url, stub):
        stub.CreateLeague(pb.CreateLeagueRequest(name="autumn", ruleset="bohnanza", seats=4, deals=2))
        yield f"{url}/leagues/autumn", stub


def watching(page: Page, address: str) -> None:
    with page.expect_request("**/live"):
        page.goto(address)


def hide(page: Page) -> None:
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/live")):  # it gave it up
        page.evaluate(SHOW, True)


def test_a_page_that_is_hidden_hears_nothing_and_catches_up_when_it_is_seen_again(
    database: Path, open_page: Open
) -> None:
    with league_site(database) as (address, stub):
        page = open_page(address.removesuffix("/leagues/autumn"))
        watching(page, address)
        hide(page)
        for _ in stub.RunLeague(pb.RunLeagueRequest(name="autumn", workers=1, in_flight=1)):
            pass
        assert "not begun" in page.inner_text("main")
        with page.expect_request("**/live"):
            page.evaluate(SHOW, False)
        expect(page.locator("#rows tr").first).to_contain_text("1")
        expect(page.locator("main")).to_contain_text("finished")
        page.evaluate(SHOW, True)  # the stream has ended for good
        page.evaluate(SHOW, False)


@pytest.mark.slow  # a browser's processes for seven pages
def test_pages_beyond_the_connections_of_a_browser_load_while_the_others_are_hidden(
    database: Path, browser: Browser
) -> None:
    with league_site(database) as (address, _), browser.new_context() as context:
        context.set_default_timeout(60_000)  # a busy machine draws pages seldom
        for _ in range(CONNECTIONS):
            page = context.new_page()
            watching(page, address)
            hide(page)
        last = context.new_page()
        last.goto(address)
        assert last.locator("#rows").count() == 1
        context.close()
