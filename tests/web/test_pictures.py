"""Pages look as they did: small pictures of them, compared loosely. Fonts and dates may differ, the layout may not.

To accept a new look, remove its file from `pictures/` and run the test, which then draws it anew and fails once.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.web.browsing import Watched
from tests.web.conftest import Open

PICTURES = Path(__file__).with_name("pictures")
SIZE = 96, 60
"""Width and height of a picture, in pixels."""
SHADE = 12
"""Levels of grey, of 256, by which two points look different."""
CLOSE = 0.05
"""The share of points that may look different in two pictures of one page."""


def picture(page: Watched) -> NDArray[np.float64]:
    """Take a small grey picture of what the window shows, with its replay if it has one."""
    page.wait_for_function(
        "() => { const replay = document.querySelector('#replay'); return !replay || replay.dataset.ready }"
    )
    shown = Image.open(BytesIO(page.screenshot(animations="disabled"))).convert("L")
    return np.asarray(shown.resize(SIZE, Image.Resampling.BOX), dtype=float)


def difference(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float((np.abs(one - other) > SHADE).mean())


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "path"),
    [
        pytest.param("home", "/", marks=pytest.mark.slow),
        ("league", "/leagues/spring"),
        pytest.param("matrix", "/leagues/spring/matrix", marks=pytest.mark.slow),
        pytest.param("game", "/games/bohnanza/4", marks=pytest.mark.slow),
        pytest.param("bot", "/bots/ann", marks=pytest.mark.slow),
        ("match", "/matches/spring/3.1"),
        pytest.param("compare", "/compare", marks=pytest.mark.slow),
        pytest.param("submit", "/submit", marks=pytest.mark.slow),
    ],
)
def test_a_page_looks_as_it_did(site: str, open_page: Open, name: str, path: str, width: int) -> None:
    taken = picture(open_page(site + path, width=width))
    file = PICTURES / f"{name}-{width}.png"
    if not file.exists():
        Image.fromarray(taken.astype(np.uint8)).save(file)
        pytest.fail(f"{file.name} was missing and is drawn now: look at it, and keep it")
    assert difference(taken, np.asarray(Image.open(file), dtype=float)) < CLOSE


def test_a_page_whose_style_is_broken_does_not(site: str, open_page: Open) -> None:
    page = open_page(f"{site}/leagues/spring")
    before = picture(page)
    for broken in ("main { margin-left: 12rem }", "body { background: #e0e0c8 }", "table { display: none }"):
        page.evaluate(
            "rule => { const sheet = document.styleSheets[0]; sheet.insertRule(rule, sheet.cssRules.length) }", broken
        )
        assert difference(before, picture(page)) > CLOSE, broken
        page.evaluate("() => { const sheet = document.styleSheets[0]; sheet.deleteRule(sheet.cssRules.length - 1) }")
        assert difference(before, picture(page)) < CLOSE
