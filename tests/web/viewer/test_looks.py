"""Replays are readable by everybody, on a telephone too, and what a record says stays text."""

import pytest
from playwright.sync_api import Page

from tests.web.browsing import violations, wider_than_the_window
from tests.web.viewer.replaying import go, golden, show

HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "\u202eevil\u2066", "n" * 2000]
HEAD = 64
"""Height by which a replay begins lower on the site than on the page of these tests, in pixels."""


@pytest.mark.parametrize(
    ("ruleset", "dark", "width"),
    [
        pytest.param("bohnanza", False, 1280, marks=pytest.mark.slow),  # by test_pages.py too
        ("duel", True, 360),
        pytest.param("dice", True, 360, marks=pytest.mark.slow),
        *(
            pytest.param(ruleset, dark, width, marks=pytest.mark.slow)
            for ruleset in ("bohnanza-classic", "bohnanza-two", "dice-2012", "bean-thief-normal")
            for dark in (False, True)
            for width in (360, 768, 1280)
        ),
    ],
)
def test_a_replay_has_no_violation_and_fits_the_window(page: Page, ruleset: str, dark: bool, width: int) -> None:
    record = golden(ruleset)
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.set_viewport_size({"width": width, "height": 800})
    show(page, record, match="spring/12.0", ratings=[1500] * record["seats"])
    go(page, len(record["moves"]) // 2)
    assert violations(page) == []
    assert not wider_than_the_window(page)


@pytest.mark.parametrize("ruleset", ["bohnanza", "duel", "dice"])
def test_a_laptop_shows_the_whole_replay(page: Page, ruleset: str) -> None:
    """In the middle of the match, and in a trading game also while an offer lies beside the cards turned over."""
    record = golden(ruleset)
    page.set_viewport_size({"width": 1366, "height": 768})
    show(page, record, match="spring/12.0")
    middle = len(record["moves"]) // 2
    late = enumerate(record["moves"][middle:], middle + 1)
    offers = [move for move, made in late if made["action"] == "offer" and made["turned"]]
    felts = []
    for move in (middle, *offers[:1]):
        go(page, move)
        assert page.evaluate("document.querySelector('.bl-controls').getBoundingClientRect().bottom") <= 768 - HEAD
        felts.append(page.evaluate("document.querySelector('.bl-felt').clientHeight"))
    assert max(felts) - min(felts) < 10


def test_on_a_telephone_the_steps_alone_stay_in_sight(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    show(page, golden("bohnanza"))
    steps = page.get_by_role("group", name="Steps").bounding_box()
    assert steps
    assert 680 < steps["y"] < steps["y"] + steps["height"] <= 740
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("ruleset", ["bohnanza", "bean-thief-easy"])
def test_strange_names_and_reasons_are_shown_as_text(page: Page, ruleset: str) -> None:
    record = golden(ruleset)
    seats = record["seats"]
    record["players"] = HOSTILE[:seats]
    record["faults"][0]["reason"] = HOSTILE[0]
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    show(page, record, match=HOSTILE[1])
    go(page, record["faults"][0]["move"] + 1)
    assert page.locator(".bl-viewer img, .bl-viewer script").count() == 0
    assert HOSTILE[0] in page.locator('[data-seat="0"] .bl-name').inner_text()
    assert HOSTILE[1] in page.locator("h1").inner_text()
    assert HOSTILE[0] in page.locator(".bl-entry[aria-current]").inner_text()
    page.set_viewport_size({"width": 360, "height": 740})
    assert not wider_than_the_window(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    assert dialogs == []


def test_a_game_that_nobody_has_drawn_is_replayed_plainly(page: Page) -> None:
    record = golden("bohnanza-two")
    show(page, {**record, "ruleset": "patch"}, match="spring/12.0")
    page.keyboard.press("h")
    assert "harvests" in page.locator(".bl-entry[aria-current]").inner_text()
    assert page.locator('[data-seat="0"] .bl-field').count() == 2
    page.keyboard.press("v")
    assert page.evaluate("window.replay.timeline.seat") is None
    page.keyboard.press("End")
    texts = [page.locator(f'[data-seat="{seat}"] .bl-money').inner_text() for seat in (0, 1)]
    assert texts == [f"${score}" for score in record["scores"]]


def test_a_bluff_a_gift_and_a_trade_are_drawn(page: Page) -> None:
    duel = golden("duel")
    show(page, duel)
    go(page, 143)
    assert "was a bluff" in page.locator(".bl-gifts").inner_text()
    show(page, golden("bohnanza"))
    page.keyboard.press("Home")
    page.keyboard.press("t")
    assert page.locator(".bl-done-trade .bl-tray").count() == 2


def test_a_card_of_a_deck_of_ones_own_is_drawn(page: Page) -> None:
    record = golden("dice")
    orders = ["blue", "2 green", "soy|red + stink", "2 of blue|green", "3 soy or 3 red"]
    cards = "\n".join(f"[[cards]] # card {i}\norders = {orders!r}\n" for i in range(60)).replace("'", '"')
    record["options"]["deck"] = cards
    show(page, record)
    go(page, 0)
    assert page.locator('[data-seat="0"] .bl-order').count() == 5
    assert page.locator('[data-seat="0"] .bl-order').last.get_attribute("aria-label") == "blue, next"


def test_cards_fly_unless_the_reader_wants_no_motion(page: Page) -> None:
    show(page, golden("bohnanza"))
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.locator(".bl-flying").count() == 0
    page.keyboard.press("Home")
    page.emulate_media(reduced_motion="no-preference")
    flown = page.evaluate(
        """() => {
          window.replay.go(1);
          return document.querySelectorAll(".bl-flying").length;
        }"""
    )
    page.emulate_media(reduced_motion="reduce")
    assert flown == 1
    page.locator(".bl-flying").wait_for(state="detached")


def test_a_player_in_several_seats_is_named_with_the_seat(page: Page) -> None:
    record = golden("bohnanza")
    record["players"] = ["trader", "farmer", "trader", "gardener"]
    show(page, record)
    names = {seat: page.locator(f'[data-seat="{seat}"] .bl-name').inner_text() for seat in range(4)}
    assert names == {0: "trader (seat 0)", 1: "farmer", 2: "trader (seat 2)", 3: "gardener"}
