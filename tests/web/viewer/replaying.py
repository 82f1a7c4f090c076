"""Replays in a browser: a page with the viewer, as the site serves one, and records to show."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Route

from beanleague.games import Record, record_from_json
from beanleague.web.security import POLICY
from beanleague.web.viewer import ToldRecord
from tests.web.browsing import watched

ROOT = Path(__file__).parents[3]
STATIC = ROOT / "server/beanleague/web/static"
GOLDEN = ROOT / "tests/games/records/golden"
URL = "http://replays.test"
TYPES = {".js": "text/javascript", ".css": "text/css", ".json": "application/json"}
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Replay</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/site.css"><link rel="stylesheet" href="/static/viewer/viewer.css"></head>
<body><main><div id="stage"></div></main></body></html>"""
MOUNT = """async ([record, options]) => {
  const { mount } = await import("/static/viewer/viewer.js");
  window.replay?.destroy();
  window.replay = mount(document.getElementById("stage"), record, options);
}"""


def golden_record(ruleset: str) -> Record:
    """Return the golden record of a ruleset."""
    return record_from_json((GOLDEN / f"{ruleset}.json").read_bytes())


def golden(ruleset: str) -> dict[str, Any]:
    """Return the golden record of a ruleset, as the viewer reads it."""
    return as_served(golden_record(ruleset))


def as_served(record: Record) -> dict[str, Any]:
    """Return a record as pages have it."""
    served: dict[str, Any] = json.loads(ToldRecord(record).json())
    return served


@contextmanager
def stage(browser: Browser, **context: Any) -> Iterator[Page]:
    """Give a page that has the viewer's files and content policy, and no server. Nothing may go wrong on it."""
    opened = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce", **context)
    try:
        with watched(opened.new_page(), URL) as page:
            page.route(f"{URL}/**", _serve)
            page.goto(f"{URL}/")
            yield page
    finally:
        opened.close()


def _serve(route: Route) -> None:
    path = route.request.url.removeprefix(URL).partition("?")[0].partition("#")[0]
    file = STATIC / path.removeprefix("/static/")
    if path == "/":
        headers = {"content-type": "text/html", "content-security-policy": POLICY}
        route.fulfill(body=PAGE, headers=headers)
    elif path.startswith("/static/") and file.is_file():
        route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])
    else:
        route.fulfill(status=404)


def show(page: Page, record: Mapping[str, Any], **options: Any) -> None:
    """Show a record on the page; `window.replay` is what `mount` returns."""
    page.evaluate(MOUNT, [record, options])


def position(page: Page) -> int:
    """Return the position that is shown."""
    at: int = page.evaluate("window.replay.player.at")
    return at


def go(page: Page, at: int) -> None:
    """Go to a position."""
    page.evaluate("at => window.replay.go(at)", at)
