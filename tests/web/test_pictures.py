"""Pages look as they did: small grey pictures of them, compared loosely.

Dates, digests and fonts may differ, and what is below may be a row of text higher or lower. `make pictures` accepts how
pages look now: it takes all pictures anew, and puts whole ones to look at into `build/pictures/`.
"""

import os
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from tests.web.browsing import Watched
from tests.web.conftest import Open

PICTURES = Path(__file__).with_name("pictures")
WHOLE = Path(__file__).parents[2] / "build/pictures"
ANEW = "NEW_PICTURES" in os.environ
SIZE = 96, 60
"""Width and height of a picture, in points."""
SHADE = 12
"""Levels of grey, of 256, by which two points look different."""
ROWS = 2
"""Points by which something may be higher or lower: a row of text, of a window 800 pixels high."""
CLOSE = 0.06
"""The share of points that may look different in two pictures of one page: another font makes up to 0.04."""
REGION = 10_000
"""The pixels of a window that may look different in one place, e.g. 100 by 100."""
MAX_REGIONS = 4
"""Regions that a message names, the largest first."""
HIDDEN = "time, td code, dd code { visibility: hidden !important }"

Grey = NDArray[np.float64]
Points = NDArray[np.bool_]

NAME_OF = """([x, y]) => {
  const name = (element) => {
    const words = [...element.classList].map((word) => "." + word).join("");
    return element.localName + (element.id ? "#" + element.id : "") + words;
  };
  const names = [];
  for (let at = document.elementFromPoint(x, y); at && at !== document.documentElement; at = at.parentElement) {
    names.unshift(name(at));
    if (at.id) break;
  }
  return names.slice(-4).join(" > ") || "html";
}"""


@dataclass(frozen=True)
class Picture:
    """What a window shows."""

    whole: Image.Image
    """All its pixels."""
    small: Grey
    """`SIZE` points of grey."""


def picture(page: Watched) -> Picture:
    """Take a picture of what the window shows, with its replay if it has one, without what is new every day."""
    page.wait_for_function(
        "() => { const replay = document.querySelector('#replay'); return !replay || replay.dataset.ready }"
    )
    insert_rule(page, HIDDEN)
    whole = Image.open(BytesIO(page.screenshot(animations="disabled"))).convert("L")
    remove_rule(page)
    return Picture(whole, np.asarray(whole.resize(SIZE, Image.Resampling.BOX), dtype=float))


def insert_rule(page: Watched, rule: str) -> None:
    page.evaluate(
        "rule => { const [sheet] = document.styleSheets; sheet.insertRule(rule, sheet.cssRules.length) }", rule
    )


def remove_rule(page: Watched) -> None:
    page.evaluate("() => { const [sheet] = document.styleSheets; sheet.deleteRule(sheet.cssRules.length - 1) }")


def missing(one: Grey, other: Grey) -> Points:
    """Return the points of `one` that are lighter or darker than all of `other` there and up to `ROWS` from there."""
    size = (2 * ROWS + 1, 1)
    lightest, darkest = ndimage.maximum_filter(other, size), ndimage.minimum_filter(other, size)
    different: Points = (one > lightest + SHADE) | (one < darkest - SHADE)
    return different


def difference(one: Grey, other: Grey) -> Points:
    """Return the points that look different."""
    return missing(one, other) | missing(other, one)


@dataclass(frozen=True)
class Region:
    """A part of a window that looks different."""

    area: float
    """The pixels of the window that look different."""
    point: tuple[float, float]
    """One of them in the middle: x and y."""
    box: tuple[int, int, int, int]
    """The rectangle around them: left, top, right, bottom."""


def regions(points: Points, window: tuple[int, int]) -> list[Region]:
    """Return where points look different, the largest region first."""
    across, down = window[0] / SIZE[0], window[1] / SIZE[1]
    labels, _ = ndimage.label(ndimage.binary_dilation(points))
    found = []
    for number, (rows, columns) in enumerate(ndimage.find_objects(labels), 1):
        inside = np.argwhere(points & (labels == number))
        row, column = inside[np.abs(inside - inside.mean(axis=0)).sum(axis=1).argmin()]
        box = columns.start * across, rows.start * down, columns.stop * across, rows.stop * down
        left, top, right, bottom = map(round, box)
        middle = float(column + 0.5) * across, float(row + 0.5) * down
        found.append(Region(len(inside) * across * down, middle, (left, top, right, bottom)))
    return sorted(found, key=lambda region: -region.area)


def described(page: Watched, region: Region) -> str:
    left, top, right, bottom = region.box
    return f"{page.evaluate(NAME_OF, region.point)}, x {left} to {right}, y {top} to {bottom}"


def marked(whole: Image.Image, points: Points) -> Image.Image:
    """Return a picture with these points in red."""
    mask = Image.fromarray((points * 160).astype(np.uint8)).resize(whole.size, Image.Resampling.NEAREST)
    return Image.composite(Image.new("RGB", whole.size, "red"), whole.convert("RGB"), mask)


def problem(page: Watched, taken: Picture, reference: Grey, folder: Path) -> str:
    """Say what a page has where its reference picture has something else; "" if it looks as it did."""
    points = difference(taken.small, reference)
    found = regions(points, taken.whole.size)
    if not found or (points.mean() < CLOSE and found[0].area < REGION):
        return ""
    taken.whole.save(folder / "taken.png")
    marked(taken.whole, points).save(folder / "difference.png")
    Image.fromarray(reference.astype(np.uint8)).resize(taken.whole.size).save(folder / "reference.png")
    where = [f"  {described(page, region)}" for region in found[:MAX_REGIONS]]
    return "\n".join(
        [
            f"{points.mean():.1%} of the window looks different, most of it at",
            *where,
            f"Look at taken.png, difference.png and reference.png in {folder}",
            "If the page is to look like this, accept it: make pictures",
        ]
    )


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
def test_a_page_looks_as_it_did(site: str, open_page: Open, tmp_path: Path, name: str, path: str, width: int) -> None:
    page = open_page(site + path, width=width)
    taken = picture(page)
    file = PICTURES / f"{name}-{width}.png"
    if ANEW:
        Image.fromarray(taken.small.astype(np.uint8)).save(file)
        WHOLE.mkdir(parents=True, exist_ok=True)
        taken.whole.save(WHOLE / file.name)
    assert file.exists(), f"there is no {file}; take it: make pictures"
    found = problem(page, taken, np.asarray(Image.open(file), dtype=float), tmp_path)
    assert not found, f"{name}-{width}: {found}"


@pytest.mark.parametrize(
    ("path", "broken", "where"),
    [
        ("/leagues/spring", "main { margin-left: 12rem }", "tbody#rows"),
        ("/leagues/spring", "body { background: #e0e0c8 }", "x 0 to 1280"),
        ("/leagues/spring", "table { visibility: hidden }", "div.table"),
        pytest.param("/submit", "form { display: none }", "main#main", marks=pytest.mark.slow),
        pytest.param("/submit", "body > header { display: none }", "y 0 to", marks=pytest.mark.slow),
    ],
)
def test_a_broken_style_is_noticed_and_it_is_said_where(
    site: str, open_page: Open, tmp_path: Path, path: str, broken: str, where: str
) -> None:
    page = open_page(site + path)
    before = picture(page).small
    insert_rule(page, broken)
    found = problem(page, picture(page), before, tmp_path)
    assert where in found
    assert str(tmp_path) in found
    assert {file.name for file in tmp_path.iterdir()} == {"taken.png", "difference.png", "reference.png"}


def test_other_dates_digests_and_fonts_and_a_row_more_are_not_noticed(
    site: str, open_page: Open, tmp_path: Path
) -> None:
    page = open_page(f"{site}/bots/ann")
    before = picture(page).small
    page.evaluate("document.querySelectorAll('time, td code').forEach(each => { each.textContent = '12345678' })")
    for rule in ("body { font-family: serif }", "h1 { padding-bottom: 22px }"):
        insert_rule(page, rule)
        assert problem(page, picture(page), before, tmp_path) == "", rule
        remove_rule(page)
