"""The pages of bots, matches and comparisons in a browser."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from beanproto.v1 import league_pb2 as pb
from tests.league.fakepool import FakePools
from tests.web.altered import HOSTILE, HUGE, change_record, execute
from tests.web.browsing import expect_refusal, violations, wider_than_the_window
from tests.web.conftest import Open, site_of

MATCH = "/matches/spring/3.1"


def test_bots_are_listed_and_lead_to_their_pages(site: str, open_page: Open) -> None:
    page = open_page(f"{site}/bots", javascript=False)
    assert page.locator("tbody tr").count() == 5
    page.get_by_role("link", name="ann@1").click()
    assert page.url == f"{site}/bots/ann"
    assert page.locator("h1").inner_text() == "ann"


def test_a_bot_has_its_results_against_each_other_and_its_matches(site: str, open_page: Open) -> None:
    page = open_page(f"{site}/bots/ann", javascript=False)
    assert page.locator("#in-league").inner_text() == "Version 1 in spring"
    others = page.get_by_role("region", name="Against the others").locator("tbody tr")
    assert {row.split("@")[0] for row in others.all_inner_texts()} == {"ben", "cid", "dora", "eve"}
    matches = page.get_by_role("region", name="Matches").locator("tbody tr")
    first = matches.all_inner_texts()
    assert len(first) == 20
    page.get_by_role("link", name="Earlier matches").click()
    assert not set(first) & set(matches.all_inner_texts())
    page.get_by_role("link", name="Newest matches").click()
    assert matches.all_inner_texts() == first
    matches.first.get_by_role("link").click()
    assert page.url.startswith(f"{site}/matches/spring/")


def test_the_versions_of_a_bot_have_pages_of_their_own(database: Path, open_page: Open) -> None:
    execute(database, "INSERT INTO bundle SELECT hex(zeroblob(32)), data FROM bundle LIMIT 1")
    execute(
        database,
        "INSERT INTO bot_version (bot_id, number, digest, games, command, description, author, bundle_bytes, submitted,"
        " environment, packages)"
        " SELECT bot_id, 2, hex(zeroblob(32)), games, command, 'better', author, 9, submitted, environment, packages"
        " FROM bot_version WHERE id = 1",
    )
    with site_of(database) as (url, _):
        page = open_page(f"{url}/bots/ann")
        assert "better" in page.inner_text("header.page")
        assert page.get_by_role("region", name="Versions").locator("tbody tr").count() == 2
        assert page.locator("#in-league").inner_text() == "Version 1 in spring"


def expected(mean: float, error: float) -> dict[str, float]:
    return {"mean": mean, "error": error}


LOSS = {"kind": "harvests", "decisions": 4, "matches": 3, "a_match": expected(0.02, 0.01)}
REPORT = {
    "bot": "ann@1",
    "yardstick": "trader",
    "against": "ben@1",
    "matches": 20,
    "against_matches": 1,
    "figures": [{"name": "dollars", "own": expected(9, 0.5), "others": expected(8, 0.25), "against": expected(11, 1)}],
    "seats": [[0, expected(-1, 2)]],
    "opponents": [["ben", expected(1, 2)]],
    "otherwise": [LOSS],
    "mistakes": [],
    "early": [
        {"kind": "black_eyed", "cards": 3, "short": 1, "harvests": 5, "matches": 4, "came": 1.5}
        | {"a_match": expected(0.5, 0.125)}
    ],
    "worst": [{"match": "spring/2.1", "seat": 0, "dollars": 3, "others": 7.5}],
    "to_do": [{"text": "It harvests.", "examples": [{"match": "spring/3.1", "move": 9, "text": "turn 2: \x9b1m"}]}],
}


def test_a_report_is_made_by_keyboard_and_leads_to_replays(site: str, open_page: Open) -> None:
    """Its progress is read out; a problem is said, and one can try again."""
    page = open_page(f"{site}/bots/ann")
    answers = [
        [{"ahead": 2, "done": 0}, {"problem": "Too many wait."}],
        [{"ahead": 0, "done": 7, "total": 9}, {"found": REPORT}],
    ]

    def answer(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(body="\n".join(map(json.dumps, answers.pop(0))))
        else:
            route.continue_()

    page.route("**/bots/ann/report?**", answer)
    page.get_by_role("link", name="Report: what its matches tell").click()
    button = page.get_by_role("button", name="Make the report")
    button.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Too many wait.")
    button.press("Enter")
    expect(page.get_by_role("region", name="Report of ann@1")).to_be_focused()
    expect(page.get_by_role("status")).to_have_text(
        "Made from 20 matches. Numbers are means with their standard error."
    )
    cells = page.get_by_role("region", name="Figures").locator("tbody tr").locator("th, td")
    assert cells.all_inner_texts() == ["dollars", "9.0 ± 0.5", "11.0 ± 1.0", "8.0 ± 0.3"]
    text = page.inner_text("main")
    assert "Those of ben@1 are of 1 match of its own." in text
    assert "The bot that was asked for each decision is trader, not ben@1." in text
    row = page.get_by_role("region", name="Harvests").locator("tbody tr").locator("th, td")
    assert row.all_inner_texts() == ["black-eyed at 3", "1", "5", "4", "1.5", "+0.5 ± 0.1"]
    assert "\x9b" not in text
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert not wider_than_the_window(page)
    assert page.get_by_role("link", name="spring/3.1, move 9").get_attribute("href") == "/matches/spring/3.1#move=10"


def test_a_match_has_its_replay_and_leads_to_those_around_it(site: str, open_page: Open) -> None:
    page = open_page(site + MATCH)
    expect(page.locator("#replay")).to_have_attribute("data-ready", "yes")
    assert "✓ verified" in page.inner_text("header.page")
    result = page.get_by_role("region", name="Seat by seat").locator("tbody tr")
    assert [row.split()[0] for row in result.all_inner_texts()] == sorted(
        row.split()[0] for row in result.all_inner_texts()
    )
    page = open_page(site + MATCH, javascript=False)
    page.get_by_role("link", name="Rotation 2").click()
    assert page.url == f"{site}/matches/spring/3.2"
    page.get_by_role("link", name="Deal 4 →").click()
    assert page.url == f"{site}/matches/spring/4.0"
    page.goto(f"{site}/matches/spring/1.0")
    assert page.get_by_role("link", name="← Deal").count() == 0
    page.goto(f"{site}/matches/spring/10.3")
    assert page.get_by_role("link", name="→").count() == 0


def test_a_moment_has_its_legal_actions_and_what_the_bot_wrote(database: Path, open_page: Open) -> None:
    texts = "".join(f"[spring/3.1, move {number}] thought {number}\n" for number in range(40))
    execute(
        database,
        "INSERT OR REPLACE INTO bot_log SELECT version_id, league_id, ?, 0, 0 FROM entrant WHERE version_id > 0",
        texts,
    )
    with site_of(database) as (url, _):
        page = open_page(f"{url}{MATCH}#move=1")
        page.get_by_text("Legal actions").click()
        expect(page.locator(".bl-legal li").first).to_be_visible()
        page.get_by_text("Its log").click()
        expect(page.locator(".bl-log-lines")).to_have_text("[spring/3.1, move 0] thought 0")


def test_without_javascript_a_match_has_all_but_the_replay(site: str, open_page: Open) -> None:
    page = open_page(site + MATCH, javascript=False)
    assert "beanleague match replay spring/3.1" in page.inner_text("noscript")
    assert page.get_by_role("region", name="Seat by seat").locator("tbody tr").count() == 4
    assert "all scores and places follow" not in page.inner_text("main")
    assert "follow from the rules" in page.inner_text("main")
    assert page.get_by_role("link", name="Download the record").get_attribute("href") == f"{MATCH}.json"


def test_two_bots_are_chosen_and_compared(site: str, open_page: Open) -> None:
    page = open_page(f"{site}/compare", javascript=False)
    page.get_by_label("Bot", exact=True).select_option("ann@1")
    page.get_by_label("Against").select_option("eve@1")
    page.get_by_label("Test by").select_option("dollars")
    page.get_by_role("button", name="Compare").click()
    assert page.get_by_label("Against").input_value() == "eve@1"
    text = page.inner_text("main")
    assert "Is ann better?" in text
    assert "Sequential test by dollars" in text
    page.get_by_role("link", name="side by side").first.click()
    assert page.url.startswith(f"{site}/deals/spring/")
    assert "beanleague match rotations spring/" in page.inner_text("noscript")


def test_two_games_of_a_seat_are_shown_in_step_and_turn_by_turn(site: str, open_page: Open) -> None:
    page = open_page(f"{site}{MATCH}")
    page.get_by_role("link", name="ann@1 in seat 1, side by side").click()
    turns = page.locator(".beside .bl-turn-title")
    expect(turns).to_have_count(2)
    assert page.locator("td.chosen").count() == 2
    assert "Seat 1: ann@1 and " in page.inner_text("main")
    assert page.get_by_text("the two games parted").count() == 1
    link = page.get_by_role("region", name="Turn by turn").get_by_role("link").nth(2)
    turn = link.inner_text()
    link.click()
    assert turns.all_inner_texts() == [f"Turn {turn}"] * 2
    page.keyboard.press("ArrowDown")
    assert turns.all_inner_texts() == [f"Turn {int(turn) + 1}"] * 2
    page.goto(f"{site}/deals/spring/3?bot=ann&against=nobody")
    assert "ann and nobody did not have the same seat" in page.get_by_role("alert").inner_text()
    assert page.goto(f"{site}/deals/spring/99") is not None
    expect_refusal(page, "404")


def test_the_same_bot_twice_is_a_sentence_on_the_page(site: str, open_page: Open) -> None:
    page = open_page(f"{site}/compare")
    expect_refusal(page, "400")
    page.goto(f"{site}/compare?league=spring&a=ann@1&b=ann@1")
    assert "cannot be compared with itself" in page.locator("[role=alert]").inner_text()
    page.get_by_label("Against").select_option("ben@1")
    page.get_by_role("button", name="Compare").click()
    assert "Is ann better?" in page.inner_text("main")


def test_another_league_brings_its_own_bots(database: Path, open_page: Open) -> None:
    execute(database, "UPDATE league SET name = 'autumn'")
    with site_of(database) as (url, _):
        page = open_page(f"{url}/compare?from=spring&league=autumn&a=nobody@1&b=nobody@2")
        assert page.locator("#a option").count() == 5
        assert "Is " in page.inner_text("main")


def test_a_site_where_nothing_was_played_says_so(tmp_path: Path, open_page: Open) -> None:
    with site_of(tmp_path / "empty.db") as (url, _):
        page = open_page(f"{url}/compare")
        assert "Nothing has been played yet" in page.inner_text("main")
        page.goto(f"{url}/bots")
        assert "No bot has been submitted yet" in page.inner_text("main")
        assert violations(page) == []


@pytest.mark.parametrize(
    "text", [pytest.param(HOSTILE, id="hostile"), pytest.param(HUGE, id="huge", marks=pytest.mark.slow)]
)
def test_texts_of_strangers_are_escaped(database: Path, open_page: Open, text: str) -> None:
    def change(record: object) -> None:
        record.players[0] = record.node = text  # type: ignore[attr-defined]
        move = next(index for index, move in enumerate(record.moves) if move.seat == 0)  # type: ignore[attr-defined]
        record.moves[move].by_default = True  # type: ignore[attr-defined]
        record.faults.add(seat=0, move=move, kind=1, reason=text)  # type: ignore[attr-defined]

    change_record(database, 3, 1, change)
    execute(database, "UPDATE bot_version SET description = ?, author = ?", text, text)
    execute(database, "UPDATE league_change SET kind = 'excluded', reason = ? WHERE entrant = 0", text)
    execute(database, "UPDATE deal SET layer = ?", text)
    execute(database, "INSERT INTO bot_log VALUES (1, 1, ?, 0, 0)", f"[3.1 #1] {text}\n")
    execute(
        database,
        "INSERT INTO fault SELECT league_id, deal, rotation, 9, seat, 0, 1, 'timeout', ?, 0 FROM match_seat"
        " WHERE deal = 3 AND rotation = 1 AND seat = 0",
        text,
    )
    with site_of(database) as (url, _):
        page = open_page(url)
        page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
        for path in (MATCH, "/bots", "/bots/ann", "/compare?league=spring&a=ann&b=cid"):
            page.goto(url + path)
            if path == MATCH:
                expect(page.locator("#replay")).to_have_attribute("data-ready", "yes")
            shown = page.inner_text("body")
            assert "\u202e" not in shown
            assert "\u2066" not in shown
            assert page.locator("main img").count() == 0
            assert page.locator("script:not([src])").count() == 0
            assert not wider_than_the_window(page)


def test_a_record_that_the_rules_do_not_give_says_where(database: Path, open_page: Open) -> None:
    change_record(database, 3, 1, lambda record: record.scores.__setitem__(0, record.scores[0] + 1))
    with site_of(database) as (url, _):
        page = open_page(url + MATCH)
        assert "✗ not reproduced" in page.inner_text("header.page")
        assert "scores: the record says" in page.locator(".problem").inner_text()
        assert violations(page) == []


def test_a_comparison_has_its_verdict_and_its_pages_lead_to_the_bots(database: Path, open_page: Open) -> None:
    with site_of(database, pools=FakePools()) as (url, stub):
        *_, last = stub.Compare(pb.CompareRequest(a="ben", b="ann", ruleset="bohnanza", workers=1, in_flight=4))
        page = open_page(f"{url}/compare?league={last.league}", javascript=False)
        assert page.get_by_label("Bot", exact=True).input_value() == "ben@1"
        verdict = {pb.VERDICT_BETTER: "Yes", pb.VERDICT_NOT_BETTER: "No"}[last.verdict]
        assert page.locator("#test + .big").inner_text().startswith(verdict)
        assert f"after {last.deals} deal" in page.inner_text("main")
        page.goto(f"{url}/matches/{last.league}/1.0")
        page.get_by_role("region", name="Seat by seat").get_by_role("link", name="ben@1").first.click()
        assert page.url == f"{url}/bots/ben"
        assert page.locator("h1").inner_text() == "ben"
