"""Pages of a browser that are watched while a test uses them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import ConsoleMessage, Error, Page, Request

Watched = Page
"""A page on which nothing may go wrong."""

WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
"""The sets of all rules."""

AXE = Axe().axe_script
"""Half a megabyte, which a page that is looked at twice reads once."""

BY_LOOKS = ("color-contrast", "target-size", "scrollable-region-focusable")
"""The rules that depend on width and colours."""


@contextmanager
def watched(page: Page, url: str) -> Iterator[Watched]:
    """Watch `page`, which may ask the host of `url` only; at the end nothing may have gone wrong.

    Answers that a test expects to be refused are allowed with `expect_refusal`.
    """
    problems: list[str] = []
    host = urlsplit(url).netloc

    def on_console(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            problems.append(f"console: {message.text}")

    def on_request(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != host:
            problems.append(f"asked {request.url}")

    def on_error(error: Error) -> None:
        problems.append(f"error: {error}")

    page.on("console", on_console)
    page.on("pageerror", on_error)
    page.on("request", on_request)
    page.allowed_problems = ()  # type: ignore[attr-defined]
    try:
        yield page
    finally:
        page.remove_listener("console", on_console)
        page.remove_listener("pageerror", on_error)
        page.remove_listener("request", on_request)
    allowed = page.allowed_problems  # type: ignore[attr-defined]
    assert [problem for problem in problems if not any(text in problem for text in allowed)] == []


def expect_refusal(page: Watched, *texts: str) -> None:
    """Let the browser write these texts to the console, e.g. "404": it does so for every answer that is refused."""
    page.allowed_problems = (*page.allowed_problems, *texts)  # type: ignore[attr-defined]


def violations(page: Watched, rules: Sequence[str] = WCAG) -> list[Any]:
    """What axe finds on a page. `rules`: of these sets, or these rules; by default WCAG 2.2 AA and good practice.

    The page must have been opened with JavaScript, without which axe does not come to an end.
    """
    page.wait_for_load_state("load")
    options = {
        "runOnly": list(rules),
        "resultTypes": ["violations"],
    }  # of all that passes, axe would describe each node
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate("options => axe.run(options).then(({ violations }) => violations)", options)
    return [(violation["id"], [node["html"] for node in violation["nodes"]]) for violation in found]


def wider_than_the_window(page: Watched) -> bool:
    """Whether the page has to be scrolled sideways."""
    wider: bool = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return wider
