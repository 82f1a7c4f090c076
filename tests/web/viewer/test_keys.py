"""Every key, the buttons, and links to a moment."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.web.viewer.node import Node
from tests.web.viewer.replaying import URL, go, golden, position, show

AT = 300


@pytest.fixture(scope="module")
def shown(page: Page) -> Page:
    """A replay of a trading game."""
    show(page, golden("bohnanza"), match="spring/12.0")
    return page


@pytest.fixture
def replay(shown: Page) -> Iterator[Page]:
    """A replay of a trading game, at a move in its middle."""
    shown.bring_to_front()  # a page behind another one draws nothing, and does not play
    go(shown, AT)
    yield shown
    shown.evaluate("window.replay.look(null)")


def positions(page: Page, mark: str) -> list[int]:
    """The positions of trades, harvests or faults."""
    found: list[int] = page.evaluate("mark => window.replay.timeline.marks[mark].map(each => each.at)", mark)
    return found


def test_arrows_go_by_moves_and_turns(replay: Page) -> None:
    replay.keyboard.press("ArrowRight")
    assert position(replay) == AT + 1
    replay.keyboard.press("ArrowLeft")
    replay.keyboard.press("ArrowLeft")
    assert position(replay) == AT - 1
    turns = replay.evaluate("window.replay.timeline.turns")
    replay.keyboard.press("ArrowDown")
    following = min(at for at in turns if at > AT - 1)
    assert position(replay) == following
    replay.keyboard.press("ArrowUp")
    assert position(replay) == max(at for at in turns if at < following)


@pytest.mark.parametrize(("key", "mark"), [("t", "trade"), ("h", "harvest"), ("f", "fault")])
def test_a_letter_goes_to_the_next_and_with_shift_to_the_previous(replay: Page, key: str, mark: str) -> None:
    at = positions(replay, mark)
    replay.keyboard.press(key)
    assert position(replay) == min(each for each in at if each > AT)
    go(replay, AT)
    replay.keyboard.press(key.upper())
    assert position(replay) == max(each for each in at if each < AT)


def test_home_and_end_go_to_the_ends(replay: Page) -> None:
    replay.keyboard.press("Home")
    assert position(replay) == 0
    replay.keyboard.press("ArrowLeft")
    assert position(replay) == 0
    replay.keyboard.press("End")
    assert position(replay) == len(golden("bohnanza")["moves"])
    replay.keyboard.press("ArrowRight")
    assert position(replay) == len(golden("bohnanza")["moves"])


def test_g_goes_to_a_move(replay: Page) -> None:
    replay.keyboard.press("g")
    replay.keyboard.type("169")
    replay.keyboard.press("Enter")
    assert position(replay) == 169


def test_keys_do_nothing_while_a_number_is_typed(replay: Page) -> None:
    replay.keyboard.press("g")
    replay.keyboard.press("ArrowRight")
    replay.keyboard.press("h")
    assert position(replay) == AT
    replay.keyboard.press("Escape")
    expect(replay.locator("dialog[open]")).to_have_count(0)
    replay.keyboard.press("ArrowRight")
    assert position(replay) == AT + 1


def test_the_question_mark_shows_the_keys(replay: Page) -> None:
    replay.keyboard.press("?")
    help_ = replay.locator("dialog[open]")
    assert "next harvest" in help_.inner_text()
    replay.keyboard.press("Escape")
    expect(replay.locator("dialog[open]")).to_have_count(0)


def test_space_plays_and_pauses(replay: Page) -> None:
    replay.keyboard.press("Space")
    expect(replay.locator(".bl-position")).not_to_have_text(f"{AT} / {len(golden('bohnanza')['moves'])}")
    replay.keyboard.press("Space")
    assert replay.evaluate("window.replay.player.playing") is False


def test_plus_and_minus_change_the_speed_from_a_half_to_sixteen(replay: Page) -> None:
    for _ in range(9):
        replay.keyboard.press("+")
    assert replay.evaluate("window.replay.player.speed") == 16
    for _ in range(9):
        replay.keyboard.press("-")
    assert replay.evaluate("window.replay.player.speed") == 0.5
    assert replay.get_by_label("Speed").input_value() == "0.5"


def test_v_shows_one_seat_after_the_other_and_then_all(replay: Page) -> None:
    seen = []
    for _ in range(5):
        replay.keyboard.press("v")
        seen.append(replay.evaluate("window.replay.timeline.seat"))
    assert seen == [0, 1, 2, 3, None]


def test_every_key_of_the_help_is_tested_here(node: Node) -> None:
    shown = node.ask("commands")
    tested = {
        "next",
        "previous",
        "nextTurn",
        "previousTurn",
        "first",
        "last",
        "goTo",
        "help",
        "play",
        "faster",
        "slower",
    }
    marks = {way + mark for way in ("next", "previous") for mark in ("Trade", "Harvest", "Fault")}
    assert set(shown) == tested | marks | {"sight"}


def test_the_buttons_and_the_scrubber_do_what_the_keys_do(replay: Page) -> None:
    replay.get_by_role("button", name="Next move").click()
    assert position(replay) == AT + 1
    replay.get_by_role("slider", name="Move").press("End")
    assert position(replay) == len(golden("bohnanza")["moves"])
    replay.get_by_label("Seen by").select_option("2")
    assert replay.evaluate("window.replay.timeline.seat") == 2


def test_a_move_of_the_turn_can_be_clicked(replay: Page) -> None:
    entry = replay.locator(".bl-entry").first
    at = int(entry.get_attribute("data-position") or -1)
    entry.click()
    assert position(replay) == at


def test_the_address_is_a_link_to_the_moment(replay: Page) -> None:
    replay.keyboard.press("ArrowRight")
    replay.wait_for_url(f"**#move={AT + 1}")
    replay.evaluate("location.hash = '#move=169'")
    expect(replay.locator(".bl-position")).to_contain_text("169 /")
    show(replay, golden("bohnanza"))
    assert position(replay) == 169
    for strange in ("#move=999999999", "#move=-3", "#move=x", "#"):
        replay.evaluate("hash => { location.hash = hash }", strange)
        assert 0 <= position(replay) <= len(golden("bohnanza")["moves"])
    replay.evaluate(f"history.replaceState(null, '', '{URL}/')")


def test_the_move_is_read_out(replay: Page) -> None:
    replay.keyboard.press("t")
    live = replay.locator("[aria-live=polite][aria-atomic]")
    assert " gives " in live.inner_text()
    assert live.inner_text().startswith(f"Move {position(replay)}.")
