"""What was asked at a move, how long it took, and what a server adds to it."""

from playwright.sync_api import Page, Route, expect

from tests.web.viewer.replaying import URL, go, golden, show


def test_a_decision_shows_the_question_the_answer_and_the_time(page: Page) -> None:
    record = golden("bohnanza")
    show(page, record)
    at = next(i for i, move in enumerate(record["moves"]) if move["action"] == "stop" and record["ms"][i])
    go(page, at + 1)
    box = page.locator(".bl-decision")
    assert "was asked: Make an offer, ask for offers, or end the trading" in box.inner_text()
    assert "end the trading" in box.locator("b").inner_text()
    assert f"{record['ms'][at]} ms" in box.inner_text()
    assert box.locator("details").count() == 0


def test_a_default_action_is_marked(page: Page) -> None:
    record = golden("bohnanza")
    show(page, record)
    go(page, record["faults"][0]["move"] + 1)
    assert "default action" in page.locator(".bl-decision").inner_text()
    assert record["faults"][0]["reason"] in page.locator(".bl-entry[aria-current] .bl-faulty").inner_text()


def test_legal_actions_and_the_log_are_asked_of_the_server_when_they_are_opened(page: Page) -> None:
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        legal = {"words": [["plant ", {"kinds": ["soy"]}, " in field 1"], ["<b>pass</b>"]], "more": 3}
        route.fulfill(json=legal if "legal" in route.request.url else {"lines": ["thinking <i>", "planting"]})

    page.route(f"{URL}/asked/**", answer)
    show(
        page,
        golden("bohnanza"),
        legalUrl=f"{URL}/asked/legal?move={{move}}",
        logUrl=f"{URL}/asked/log?move={{move}}",
    )
    go(page, 5)
    assert asked == []
    page.get_by_text("Legal actions").click()
    expect(page.locator(".bl-legal li")).to_have_text(["plant soy in field 1", "<b>pass</b>", "and 3 more"])
    page.get_by_text("Its log").click()
    expect(page.locator(".bl-log-lines")).to_have_text("thinking <i>\nplanting")
    assert asked == [f"{URL}/asked/legal?move=4", f"{URL}/asked/log?move=4"]
    page.unroute(f"{URL}/asked/**")
