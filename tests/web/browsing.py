"""Pages of a browser that are watched while a test uses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import ConsoleMessage, Page, Request

Watched = Page
"""A page on which nothing may go wrong."""

WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
"""The sets of all rules."""

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

    page.on("console", on_console)
    page.on("pageerror", lambda error: problems.append(f"error: {error}"))
    page.on("request", on_request)
    yield page
    allowed = getattr(page, "allowed_problems", ())
    assert [problem for problem in problems if not any(text in problem for text in allowed)] == []


def expect_refusal(page: Watched, *texts: str) -> None:
    """Let the browser write these texts to the console, e.g. "404": it does so for every answer that is refused."""
    page.allowed_problems = (*getattr(page, "allowed_problems", ()), *texts)  # type: ignore[attr-defined]


def violations(page: Watched, rules: Sequence[str] = WCAG) -> list[Any]:
    """What axe finds on a page. `rules`: of these sets, or these rules; by default WCAG 2.2 AA and good practice."""
    page.wait_for_load_state("load")
    options = {
        "runOnly": list(rules),
        "resultTypes": ["violations"],
    }  # of all that passes, axe would describe each node
    found = Axe().run(page, options=options).response["violations"]
    return [(violation["id"], [node["html"] for node in violation["nodes"]]) for violation in found]


def wider_than_the_window(page: Watched) -> bool:
    """Whether the page has to be scrolled sideways."""
    wider: bool = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return wider
