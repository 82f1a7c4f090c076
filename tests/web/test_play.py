"""People who play in a browser: through clicks alone, seeing no more than their seat does."""

import json
import random
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import anyio
import grpc
import pytest

from beanleague.games import Record, record_from_json, verify
from beanleague.house_folder import HOUSE_BOTS, STRENGTH, playing
from beanleague.league import friendly
from beanleague.league.bots.house_bots import house_bots
from beanleague.service.access import Cost, Role
from beanleague.service.gate import Allowance
from beanleague.web import play_tables
from beanleague.web.security import ALLOWANCES, Visitor
from beanproto.v1.league_pb2 import ROLE_AUTHOR
from tests.web import asking
from tests.web.browsing import Watched, violations, wider_than_the_window
from tests.web.conftest import Open, site_of

QUICK = {**ALLOWANCES, Cost.TABLE: Allowance(rate=200, burst=2000, open=64), Cost.WORK: Allowance(100, 100, 100)}
TIMEOUT_MS = 60_000
DONE = "Watch the match"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a site with no league and no bots but those of the house."""
    file = tmp_path_factory.mktemp("tables") / "a.db"
    with site_of(file, allowances=QUICK) as (url, _):
        yield url


def sit_down(open_page: Open, url: str, game: str, *, width: int = 1280, dark: bool = False) -> Watched:
    """Choose a table and sit down in seat 0."""
    page = open_page(f"{url}/play?game={game}", width=width, dark=dark)
    page.emulate_media(reduced_motion="reduce")
    if page.locator("#seat").count():
        page.select_option("#seat", "0")
    for opponent in page.locator("select[name^=opponent]").all():
        opponent.select_option("random")
    if page.locator("#max_rounds").count():
        page.fill("#max_rounds", "1")
    page.click("text=Sit down")
    return page


def leave(page: Watched) -> None:
    """Get up, and see that the site knows: a page that is only closed is waited for."""
    page.click("text=Leave the table")
    page.click("text=End the match")
    page.wait_for_url("**/play", timeout=TIMEOUT_MS)


def click_through(page: Watched, seed: int, most: int = 2000) -> int:
    """Click some offered action each time until the match is over; return how many were clicked."""
    chosen = random.Random(seed)
    for clicks in range(most):
        page.wait_for_selector(f".play-do:enabled, .play-dice button:enabled, a:text('{DONE}')", timeout=TIMEOUT_MS)
        if page.locator(f"a:text('{DONE}')").count():
            return clicks
        page.evaluate(CLICK, chosen.random())
    raise AssertionError(f"the match was not over after {most} clicks")


CLICK = """(chance) => {
  const pick = (list) => list[Math.floor(chance * list.length)];
  const open = () => document.querySelector('.play-dice [aria-pressed="false"]');
  while (open()) open().click();
  const all = [...document.querySelectorAll('.play-do')].filter((button) => !button.disabled);
  const calm = all.filter((button) => !/^(Ask all|Repeat)/.test(button.textContent));
  return pick(calm.length ? calm : all).click();
}"""


def finished(page: Watched) -> None:
    """Check the match that was played on `page`."""
    number = page.url.rpartition("/")[2]
    text = page.request.get(page.url + "/record.json").text()
    record = record_from_json(text)
    assert verify(record).problem == ""
    assert record.faults == ()
    assert "guest" in record.players
    page.click(f"text={DONE}")
    page.wait_for_selector(".bl-viewer .bl-winner, .bl-viewer .bl-players", timeout=TIMEOUT_MS)
    page.keyboard.press("End")
    assert "was asked" in page.inner_text(".bl-decision")
    assert page.get_by_role("button", name="Analyse this match").count() == 1
    assert number in page.url


def shows_the_end(page: Watched) -> None:
    """See that the table has what the result says, and that nobody's turn is shown."""
    assert page.locator(".bl-log li").last.inner_text().startswith("Game over. ")
    results = page.locator(".play-result li").all_inner_texts()
    own = next(text for text in results if "(you)" in text)
    assert own.endswith(page.locator("[data-own] .bl-money").inner_text())
    assert page.locator(".bl-active").count() == 0
    assert page.locator(".leave").count() == 0


def test_the_form_marks_the_number_of_players_and_says_how_strong_opponents_are(tables: str) -> None:
    text = asking.get(f"{tables}/play?game=bohnanza&seats=4").text
    assert 'seats=4" aria-current="true">4</a>' in text
    assert text.count('aria-current="true"') == 1
    assert text.count('<option value="haggler">haggler · medium</option>') == 3
    assert '<option value="random">random · random moves</option>' in text


@pytest.mark.parametrize("ruleset", sorted({game for games in HOUSE_BOTS.values() for game in games}))
def test_no_house_bot_is_called_stronger_than_a_better_one(ruleset: str) -> None:
    words = ["random moves", "very easy", "easy", "medium", "strong", "very strong"]
    strengths = [words.index(STRENGTH[name]) for name in playing(ruleset)]
    assert strengths == sorted(strengths, reverse=True)
    assert strengths[-1] == 0 < strengths[0]


def test_a_message_that_arrives_during_sending_is_sent_too() -> None:
    table = play_tables.PlayTable(Visitor("", ROLE_AUTHOR), "here", {}, {}, messages=[{"type": "began"}])

    async def watched() -> list[bytes]:
        sent = table.watch(0)
        heard = [await anext(sent)]
        table.messages.append({"type": "asked"})
        table.over = True
        return heard + [each async for each in sent]

    assert [b"asked" in each for each in anyio.run(watched)] == [False, True]


def test_a_match_is_played_through_clicks_and_then_watched(open_page: Open, tables: str) -> None:
    page = sit_down(open_page, tables, "bean-thief-very-hard")
    assert click_through(page, 1) > 3
    shows_the_end(page)
    finished(page)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["bohnanza&seats=5", "bohnanza-two", "duel", "dice&seats=5", "bean-thief-hard"])
def test_a_match_of_every_family_is_played_through_clicks(
    open_page: Open, tables: str, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setattr(friendly, "secrets", SimpleNamespace(token_bytes=bytes))  # there are games of few decisions
    page = sit_down(open_page, tables, game)
    assert click_through(page, 2) > 10
    finished(page)


def assert_readable(page: Watched, width: int) -> None:
    """Check that a table is accessible and fits the window."""
    assert violations(page) == []
    assert not wider_than_the_window(page)
    seat = page.locator(".bl-seat").first.bounding_box()
    assert seat
    assert seat["width"] > 0.8 * min(width, 400)  # on a telephone the seats are below each other


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_a_table_is_accessible_and_fits_the_window(open_page: Open, tables: str, width: int) -> None:
    page = sit_down(open_page, tables, "bohnanza", width=width)
    page.wait_for_selector(".play-do:enabled", timeout=TIMEOUT_MS)
    assert_readable(page, width)
    leave(page)


def test_an_offer_is_put_together_in_the_tray_on_a_telephone_too(open_page: Open, tables: str) -> None:
    page = sit_down(open_page, tables, "bohnanza", width=390)
    for _ in range(40):
        page.wait_for_selector(".play-do:enabled", timeout=TIMEOUT_MS)
        if page.locator("[aria-label='Your offer']").count():
            break
        page.locator(".play-buttons .play-do").first.click()
    assert_readable(page, 390)
    page.set_viewport_size({"width": 1366, "height": 768})
    # However much there is to choose from, one's own seat is in sight beside it.
    page.evaluate("document.querySelector('.play-panel').style.minHeight = '900px'; scrollTo(0, 0)")
    assert page.evaluate("document.querySelector('.bl-seat[data-own]').getBoundingClientRect().bottom") < 768
    page.evaluate("document.querySelector('.play-panel').style.minHeight = ''")
    page.set_viewport_size({"width": 390, "height": 800})
    tray = page.locator("[aria-label='Your offer']")
    assert tray.get_by_role("button", name="Offer", exact=True).is_disabled()
    tray.locator("[aria-label='Your hand'] button").first.press("Enter")
    tray.locator("button[aria-label^='Want ']").first.press("Enter")
    with page.expect_request("**/move.json") as sent:
        tray.get_by_role("button", name="Offer", exact=True).press("Enter")
    action = json.loads(sent.value.post_data or "")["action"]
    assert (action["action"], action["to"], action["hand"], len(action["wants"])) == ("offer", [1, 2], [0], 1)
    answer = sent.value.response()
    assert answer is not None
    assert answer.status == 200
    page.wait_for_selector(".bl-log li:has-text('offers')", timeout=TIMEOUT_MS)
    leave(page)


@pytest.mark.slow
def test_one_plays_again_with_the_same_opponents(open_page: Open, tables: str) -> None:
    page = sit_down(open_page, tables, "bohnanza-two")
    click_through(page, 3)
    shows_the_end(page)
    before = page.url
    page.click("text=Play again")
    page.wait_for_selector(".play-do:enabled", timeout=TIMEOUT_MS)
    assert page.url != before
    assert "random" in page.inner_text('.bl-seat[data-seat="1"] .bl-name')
    open_page(f"{tables}/play").click(".list a:text('bohnanza-two')")
    leave(page)


@pytest.mark.slow
def test_a_click_on_a_field_plants_and_the_planting_can_be_undone(open_page: Open, tables: str) -> None:
    page = sit_down(open_page, tables, "duel")
    page.wait_for_selector(".play-can", timeout=TIMEOUT_MS)
    page.click("[data-at='field-0-0']")
    page.wait_for_selector(".bl-log li:has-text('guest (you) plants')", timeout=TIMEOUT_MS)
    page.click("text=Undo my last move", timeout=TIMEOUT_MS)
    page.wait_for_selector(".bl-log:not(:has-text('guest (you) plants'))", timeout=TIMEOUT_MS)
    page.wait_for_selector("h2:has-text('Plant the first card of your hand')", timeout=TIMEOUT_MS)
    leave(page)


def test_the_page_is_sent_nothing_that_its_seat_does_not_see(tables: str) -> None:
    with asking.Client(base_url=tables, headers={"origin": tables}) as browser:
        place = browser.post("/play", data={"game": "duel", "seat": "0", "opponent1": "random"}).headers["location"]
        with browser.stream("GET", f"{place}/events", timeout=60) as stream:
            sent: list[dict[str, object]] = []
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    sent.append(json.loads(line.removeprefix("data: ")))
                    if sent[-1]["type"] == "asked":
                        break
        events = sent[-1]["events"]
        assert isinstance(events, list)
        dealt = {event["seat"]: event["cards"] for event in events if event["event"] == "dealt"}
        assert dealt[0]
        assert not dealt[1]
        assert browser.post(f"{place}/leave").status_code == 303


@pytest.mark.parametrize(("scores", "note"), [((9, 9), "At equal money"), ((9, 8), "")])
def test_the_result_says_why_equal_money_has_different_places(scores: tuple[int, int], note: str) -> None:
    table = play_tables.PlayTable(caller=Visitor("", ROLE_AUTHOR), visitor="", form={}, options={})
    record = Record("duel", 2, bytes(16), {}, ("a", "b"), (), (), scores, (1, 2), ())
    said = str(play_tables._last(table, record)["note"])
    assert said.startswith(note)
    assert bool(said) is bool(note)


class TestRefusals:
    def test_a_move_that_the_rules_do_not_allow_is_no_strike(self, tables: str) -> None:
        with asking.Client(base_url=tables, headers={"origin": tables}) as browser:
            place = browser.post("/play", data={"game": "duel", "seat": "0", "opponent1": "random"}).headers["location"]
            with browser.stream("GET", f"{place}/events", timeout=60) as stream:
                next(line for line in stream.iter_lines() if '"asked"' in line)
                for move, status in [
                    ({"decision": 1, "action": {"action": "plant", "field": 9}}, 409),
                    ({"decision": 7, "action": {"action": "plant", "field": 0}}, 409),
                    ({"decision": 1, "action": {"action": "cheat"}}, 409),
                    ({"decision": 1}, 400),
                    ([], 400),
                    ({"decision": float("inf"), "action": {"action": "plant", "field": 0}}, 409),
                    ({"decision": [], "action": {"action": "plant", "field": 0}}, 409),
                    ({"decision": 1, "action": {"action": "plant", "field": 10**4000}}, 409),
                ]:
                    sent = json.dumps(move)
                    answer = asking.post(f"{tables}{place}/move.json", content=sent, headers={"origin": tables})
                    assert answer.status_code == status
                    assert "error" in answer.json()
                answer = asking.post(
                    f"{tables}{place}/move.json", json={"decision": 1, "action": {"action": "plant", "field": 0}}
                )
                assert answer.status_code == 403
            browser.post(f"{place}/leave")

    def test_a_visitor_has_two_tables(self, played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(play_tables, "MAX_TABLES", 0)
        with site_of(played) as (url, _), asking.Client(base_url=url, headers={"origin": url}) as browser:
            answer = browser.post("/play", data={"game": "duel", "opponent1": "random"})
            assert answer.status_code == 409
            assert "You have 0 tables already" in answer.text

    @pytest.mark.parametrize("field", ["seat", "max_rounds"])
    @pytest.mark.parametrize("value", ["9" * 23, "9" * 5000, "-1", "1e3", "\u0663"])
    def test_a_number_that_cannot_be_is_refused_and_keeps_no_table(self, tables: str, field: str, value: str) -> None:
        words = {"game": "bohnanza", "opponent1": "random", "opponent2": "random", field: value}
        for _ in range(play_tables.MAX_TABLES + 1):
            assert asking.post(f"{tables}/play", data=words, headers={"origin": tables}).status_code == 400

    def test_a_table_that_does_not_start_does_not_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(*_: object, **__: object) -> None:
            raise ValueError("no seat")

        monkeypatch.setattr(play_tables, "GuestSeat", fails)
        with grpc.insecure_channel("127.0.0.1:1") as channel:
            tables = play_tables.PlayTables(channel)
            for _ in range(play_tables.MAX_TABLES + 1):
                with pytest.raises(ValueError, match="no seat"):
                    tables.sit(Visitor("", ROLE_AUTHOR), "here", {"game": "duel"}, ["", "random"], {})

    def test_viewers_are_asked_to_sign_in(self, played: Path) -> None:
        with (
            site_of(played, guest=Role.VIEWER) as (url, _),
            asking.Client(base_url=url, headers={"origin": url}) as browser,
        ):
            assert "Sign in" in browser.get("/play").text
            assert browser.post("/play", data={"game": "duel", "opponent1": "random"}).status_code == 403

    def test_a_table_of_somebody_else_is_not_there(self, tables: str) -> None:
        for path in ("", "/events", "/record.json", "/replay", "/replay.json"):
            assert asking.get(f"{tables}/play/unknown{path}").status_code == 404

    def test_why_the_service_gives_no_table_is_shown(self, open_page: Open, tables: str) -> None:
        page = open_page(f"{tables}/play?game=bohnanza")
        page.evaluate("document.querySelector('#opponent1').replaceChildren(new Option('nobody'))")
        page.click("text=Sit down")
        page.wait_for_selector("text=There is no bot 'nobody'", timeout=TIMEOUT_MS)


def test_a_table_that_nobody_looks_at_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    left = threading.Event()

    class FakeSeat:
        def __init__(self, *_: object, **__: object) -> None: ...

        def __iter__(self) -> Iterator[object]:
            left.wait(60)
            yield from ()

        def leave(self) -> None:
            left.set()

    monkeypatch.setattr(play_tables, "GuestSeat", FakeSeat)
    monkeypatch.setattr(play_tables, "AWAY_S", 0.1)
    with grpc.insecure_channel("127.0.0.1:1") as channel:
        tables = play_tables.PlayTables(channel)
        tables.sit(Visitor("", ROLE_AUTHOR), "here", {"game": "duel"}, ["", "random"], {})
        assert left.wait(60)


def test_the_house_bots_are_known_with_what_they_play_with_others() -> None:
    found = {}
    for folder in house_bots():
        games = tomllib.loads((folder / "bot.toml").read_text("utf-8"))["games"]
        found[folder.name] = {game for game in games if not game.startswith("bean-thief")}
    assert {name: set(games) for name, games in HOUSE_BOTS.items()} == found
