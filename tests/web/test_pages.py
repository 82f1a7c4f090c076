"""Every page in a browser: readable by everybody, on a telephone too, without errors."""

from __future__ import annotations

import pytest

from tests.web.browsing import expect_refusal, violations, wider_than_the_window
from tests.web.conftest import Open

PAGES = [
    "/",
    "/games",
    "/leagues/spring",
    "/leagues/spring/history",
    "/leagues/spring/matrix",
    "/leagues/spring/seats",
    "/leagues/spring/gifts",
    "/leagues/spring/deals",
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_violation_and_fits_a_telephone(site: str, open_page: Open, path: str) -> None:
    page = open_page(site + path)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 360, "height": 740})
    assert violations(page) == []
    assert not wider_than_the_window(page)


def test_the_first_page_has_the_leagues_with_their_leaders_and_the_newest_bots(site: str, open_page: Open) -> None:
    page = open_page(site, javascript=False)
    card = page.locator(".league")
    assert "spring" in card.inner_text()
    assert "finished" in card.inner_text()
    assert "10 of 10 deals" in card.inner_text()
    assert card.locator(".leaders li").count() == 3
    assert page.locator(".list li").count() == 5


def test_an_unknown_page_says_so(site: str, open_page: Open) -> None:
    page = open_page(site)
    expect_refusal(page, "404")
    answer = page.goto(f"{site}/nothing")
    assert answer
    assert answer.status == 404
    assert "There is no such page" in page.inner_text("main")
    assert violations(page) == []
