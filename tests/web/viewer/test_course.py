"""The course of a match below its replay."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.viewer.node import Node
from tests.web.viewer.replaying import URL, go, golden, position, show

RECORD = golden("bohnanza")
SEATS = len(RECORD["players"])
ASKED = f"{URL}/asked"


def moment(turn: int, move: int, first: float) -> dict[str, Any]:
    """The chances before a turn: those of the first seat, and equal ones of the others."""
    others = [{"mean": (1 - first) / (SEATS - 1), "error": 0.05}] * (SEATS - 1)
    places = [{"mean": 2.25, "error": 0.1}] * SEATS
    return {"turn": turn, "move": move, "chances": [{"mean": first, "error": 0.06}, *others], "places": places}


def mistake(seat: int, loss: float) -> dict[str, Any]:
    words = {"kind": "harvest", "played": f"<b>harvest</b> {loss}", "better": "plant soy"}
    return {"turn": 2, "move": 39, "seat": seat, "loss": {"mean": loss, "error": 0.01}, **words}


FOUND = {
    "moments": [moment(1, 0, 0.25), moment(2, 40, 0.7), moment(3, 80, 0.71)],
    "by_strength": [[0.5, *[0.5 / (SEATS - 1)] * (SEATS - 1)]] * 3,
    "turning_points": [1],
    "shares": [{"deal": 0.01, "luck": -0.2, "play": -1.21, "others": 1.03, "won": 1.0}] * SEATS,
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
    assert page.locator(".bl-line-rated").count() == SEATS
    assert page.locator(".bl-course tbody tr").nth(1).locator("td").first.inner_text() == "▲ 70 % (50 %) · 2.3"
    page.get_by_role("link", name="Turn 3", exact=True).click()
    assert position(page) == 80
    page.get_by_role("link", name="Turn 2, harvest").first.click()
    assert position(page) == 40, "after the move, as in the list of moves"


def test_a_link_to_a_mistake_brings_the_table_into_sight(drawn: Page) -> None:
    page = drawn
    go(page, 100)
    page.set_viewport_size({"width": 1280, "height": 700})
    link = page.get_by_role("link", name="Turn 2, harvest").first
    link.scroll_into_view_if_needed()
    board = "document.querySelector('.bl-board').getBoundingClientRect()"
    sight = f"(({{top, bottom}}) => [top >= 0, bottom <= innerHeight])({board})"
    assert page.evaluate(sight) == [False, True]
    link.click()
    assert page.evaluate(sight) == [True, True]
    page.set_viewport_size({"width": 1280, "height": 900})


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


def test_decisions_of_all_seats_are_one_share(drawn: Page) -> None:
    table = drawn.get_by_role("region", name="What made the chance to win")
    cells = table.locator("tbody tr").first.locator("td").all_inner_texts()
    assert [cell.replace("\N{MINUS SIGN}", "-") for cell in cells] == ["+1 %", "-20 %", "-18 %", "100 %"]


def test_mistakes_are_text_and_the_largest_come_first(drawn: Page) -> None:
    lines = drawn.locator(".bl-mistakes li").all_text_contents()
    assert [line.partition(": ")[2].partition(";")[0] for line in lines] == [
        f"<b>harvest</b> {loss}" for loss in (0.5, 0.4, 0.3, 0.2, 0.1)
    ]


def test_of_a_game_without_shares_the_curve_alone_is_shown(page: Page) -> None:
    show(page, RECORD, course={**FOUND, "shares": [], "mistakes": []})
    assert page.locator(".bl-chances .bl-curve-line:not(.bl-line-rated)").count() == SEATS
    assert page.locator(".bl-course details").count() == 1


@contextmanager
def answering(page: Page, *answers: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Answer what the page asks, one after the other, with lines; give the methods with which it asked."""
    left, asked = list(answers), []

    def answer(route: Route) -> None:
        asked.append(route.request.method)
        route.fulfill(body="\n".join(map(json.dumps, left.pop(0))))

    page.route(f"{ASKED}**", answer)
    yield asked
    page.unroute(f"{ASKED}**")


def test_a_permitted_visitor_gets_an_analysis_or_the_reason_against_it(page: Page) -> None:
    full: list[dict[str, Any]] = [{"ahead": 3}, {"problem": "Too many wait."}]
    with answering(page, full, [{"ahead": 0}, {"found": FOUND}]) as asked:
        show(page, RECORD, analysisUrl=ASKED, mayAnalyse=True)
        course = page.locator(".bl-course")
        button = course.get_by_role("button", name="Analyse this match")
        button.click()
        expect(page.get_by_role("alert")).to_have_text("Too many wait.")
        button.press("Enter")
        expect(course.locator(".bl-chances .bl-curve-line:not(.bl-line-rated)")).to_have_count(SEATS)
        expect(course).to_be_focused()
        expect(course.get_by_role("status")).to_contain_text("standard error at most 6 %")
    assert asked == ["POST", "POST"]


def test_a_visitor_who_waits_reads_the_place_or_the_share_and_the_time_left(node: Node) -> None:
    assert node.ask("waitText", 3) == "It waits in a queue, in place 3."
    assert node.ask("waitText", 0, 30, 120, 1000) == "25 % done."
    assert node.ask("waitText", 0, 30, 120, 5000) == "25 % done, about 15 s left."


def test_others_read_that_authors_may(page: Page) -> None:
    show(page, RECORD, analysisUrl=ASKED, mayAnalyse=False)
    expect(page.locator(".bl-course")).to_contain_text("Nobody has analysed this match yet")
    assert page.locator(".bl-course button").count() == 0


def test_of_ones_own_match_the_three_largest_mistakes_of_ones_seat_are_shown(page: Page) -> None:
    show(page, RECORD, course=FOUND, analysisUrl=ASKED, own=0)
    lines = page.locator(".bl-mistakes li").all_text_contents()
    assert ["<b>harvest</b> 0.5" in lines[0], "0.4" in lines[1], "0.2" in lines[2], len(lines)] == [True, True, True, 3]


def test_a_button_asks_what_others_would_do_and_shows_it_again(page: Page) -> None:
    found = {"bots": [{"bot": "trader", "does": "<i>stop</i>"}, {"bot": "farmer", "does": "pass"}]}
    with answering(page, [{"ahead": 1}, {"found": found}]) as asked:
        show(page, RECORD, askUrl=f"{ASKED}?move={{move}}")
        go(page, 5)
        button = page.get_by_role("button", name="What would others do here?")
        button.click()
        answers = page.locator(".bl-answers li")
        expect(answers).to_have_text(["trader: <i>stop</i>", "farmer: pass"])
        go(page, 6)
        expect(button).to_be_visible()
        go(page, 5)
        expect(answers).to_have_count(2)
    assert asked == ["POST"]
