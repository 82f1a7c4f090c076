"""The course of a match below its replay."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.web.viewer.replaying import go, golden, position, show

RECORD = golden("bohnanza")
SEATS = len(RECORD["players"])


def moment(turn: int, move: int, first: float) -> dict[str, Any]:
    """The chances before a turn: those of the first seat, and equal ones of the others."""
    others = [{"mean": (1 - first) / (SEATS - 1), "error": 0.05}] * (SEATS - 1)
    return {"turn": turn, "move": move, "chances": [{"mean": first, "error": 0.06}, *others]}


def mistake(seat: int, loss: float) -> dict[str, Any]:
    words = {"kind": "harvest", "played": f"<b>harvest</b> {loss}", "better": "plant soy"}
    return {"turn": 2, "move": 39, "seat": seat, "loss": {"mean": loss, "error": 0.01}, **words}


FOUND = {
    "moments": [moment(1, 0, 0.25), moment(2, 40, 0.7), moment(3, 80, 0.71)],
    "turning_points": [1],
    "shares": [{"deal": 0.01, "luck": -0.2, "play": 0.1, "others": 0, "won": 1.0}] * SEATS,
    "mistakes": [mistake(0, 0.1), mistake(0, 0.2), mistake(1, 0.3), mistake(0, 0.4), mistake(0, 0.5)],
}


@pytest.fixture(scope="module")
def drawn(page: Page) -> Page:
    """A replay with its course."""
    show(page, RECORD, course=FOUND)
    return page


def test_turning_points_turns_and_mistakes_lead_to_their_moments(drawn: Page) -> None:
    page = drawn
    go(page, 100)
    mark = page.get_by_role("link", name="Turning point before turn 2")
    assert f"{RECORD['players'][0]} 25 % to 70 %" in str(mark.get_attribute("aria-label"))
    mark.press("Enter")
    assert position(page) == 40
    page.get_by_text("Turn by turn").click()
    page.get_by_role("link", name="Turn 3", exact=True).click()
    assert position(page) == 80
    page.get_by_role("link", name="Turn 2, harvest").first.click()
    assert position(page) == 40, "after the move, as in the list of moves"


def test_the_course_moves_with_the_replay(drawn: Page) -> None:
    page = drawn
    current: Callable[[], list[str]] = page.locator(".bl-course tr[aria-current] th").all_text_contents
    go(page, 39)
    assert current() == ["Turn 1"]
    go(page, 40)
    assert current() == ["Turn 2 (turning point)"]
    length = page.evaluate("window.replay.player.length")
    left = float(page.evaluate("parseFloat(document.querySelector('.bl-chances .bl-playhead').style.left)"))
    assert abs(left - 100 * 40 / length) < 0.01
    box = page.locator(".bl-chances").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + 20)
    assert abs(position(page) - 0.9 * length) < 2


def test_mistakes_are_text_and_the_largest_come_first(drawn: Page) -> None:
    lines = drawn.locator(".bl-mistakes li").all_text_contents()
    assert [line.partition(": ")[2].partition(";")[0] for line in lines] == [
        f"<b>harvest</b> {loss}" for loss in (0.5, 0.4, 0.3, 0.2, 0.1)
    ]


def test_of_a_game_without_shares_the_curve_alone_is_shown(page: Page) -> None:
    show(page, RECORD, course={**FOUND, "shares": [], "mistakes": []})
    assert page.locator(".bl-chances .bl-curve-line").count() == SEATS
    assert page.locator(".bl-course details").count() == 1
