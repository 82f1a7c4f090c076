"""The table at which a person plays, in a browser: questions, clicks, and places that stay."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Locator, Page

from beanleague.games.bohnanza import BohnanzaView, Decision, Decline, Offer
from beanleague.games.core.words import kind_text
from tests.web.browsing import BY_LOOKS, violations, wider_than_the_window
from tests.web.play.seated import Seated, seated

SIZES = [(390, 844), (1366, 768), (1920, 1080)]
NAMES = ("guest", "haggler", "merchant", "a-bot-with-quite-a-long-name", "trader")


def offered(at: Seated, seats: int) -> None:
    """Play to an offer of another seat for the first card in seat 0's hand, and ask for the answer."""
    game = at.game
    while (view := cast(BohnanzaView, game.view(0))).decision is not Decision.ANSWER:
        seat = game.to_act()[0]
        if seat and game.view(seat).decision is Decision.TRADE and view.turn > 6:
            to = tuple(other for other in range(seats) if other != seat)
            game.apply(seat, Offer(to, turned=(0,), wants=(view.hand[0],)))
        else:
            game.apply(seat, game.default(seat))
    at.ask()


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def resized(page: Page) -> Iterator[tuple[int, int]]:
    """Give the window one size after the other."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        yield width, height


class TestQuestions:
    def test_a_deal_and_its_answers_are_in_sight(self, browser: Browser) -> None:
        for size in SIZES:
            with seated(browser, "bohnanza", 3, size=size) as at:
                offered(at, 3)
                view = cast(BohnanzaView, at.game.view(0))
                assert view.offer
                (gets,), (gives,) = (
                    [kind_text(kind) for kind in kinds] for kinds in (view.offer.gives, view.offer.wants)
                )
                title = at.page.locator(".play-panel h2")
                assert title.inner_text().split() == f"bot{view.offer.seat} offers {gets} for your {gives}".split()
                for shown in (title, button(at.page, f"Accept: {gives} for {gets}"), button(at.page, "Decline")):
                    box = shown.bounding_box()
                    assert box
                    assert box["y"] >= 0
                    assert box["y"] + box["height"] <= size[1]
                assert not wider_than_the_window(at.page)

    def test_a_table_is_accessible_in_the_dark(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3, color_scheme="dark") as at:
            offered(at, 3)
            assert violations(at.page, BY_LOOKS) == []

    def test_all_offers_until_ones_turn_are_declined_by_one_click(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3) as at:
            offered(at, 3)
            button(at.page, "Decline all until my turn").click()
            move = {"decision": 1, "action": {"action": "decline"}, "until_turn": True}
            assert at.sent() == [["move", move]]

    def test_offers_that_cannot_be_accepted_are_asked_about_on_demand(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3) as at:
            at.page.get_by_label("Decline by itself what I cannot fulfil").uncheck()
            assert at.sent() == [["habits", {"declines_unfit": False}]]

    @pytest.mark.parametrize(
        ("ruleset", "sign"), [("dice", "chance on a first roll"), ("duel", "1-2-1 40¢ earns $1.40")]
    )
    def test_signs_are_explained_without_a_tooltip(self, browser: Browser, ruleset: str, sign: str) -> None:
        with seated(browser, ruleset, 2) as at:
            assert sign in at.page.locator(".play-panel").inner_text()


class TestClicks:
    def early(self, view: Any) -> bool:
        """Whether field 1 is one card short of a dollar, while another field is empty."""
        fields = view.own_fields
        one_short = fields[0].kind and view.rules.kind(fields[0].kind).dollars(fields[0].count + 1) > view.earns(0)
        return bool(
            view.decision is Decision.PLANT_FIRST
            and 0 in view.harvestable
            and one_short
            and view.hand[0] != fields[0].kind
            and view.places_for(view.hand[0])
        )

    def test_a_click_on_a_field_plants_or_does_nothing(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3) as at:
            view = at.play_to(self.early)
            at.page.locator("[data-at='field-0-0']").click()
            assert at.sent() == []
            place = view.places_for(view.hand[0])[0]
            at.page.locator(f"[data-at='field-0-{place}']").click()
            assert at.sent() == [["move", {"decision": 1, "action": {"action": "plant", "field": place}}]]

    def test_a_harvest_one_card_short_of_a_dollar_takes_two_clicks(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3) as at:
            view = at.play_to(self.early)
            harvest = at.page.get_by_role("button", name="Harvest field 1")
            harvest.click()
            assert at.sent() == []
            assert "One more" in at.page.locator(".play-problem").inner_text()
            assert harvest.inner_text().endswith("all the same")
            harvest.click()
            assert at.sent() == [["move", {"decision": 1, "action": {"action": "harvest", "field": 0}}]]
            assert view.turn > 1

    def test_a_second_click_wants_a_second_card_of_the_kind(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3) as at:
            at.play_to(lambda view: view.decision is Decision.TRADE)
            at.page.get_by_role("button", name="Want soy").hover()
            for _ in range(2):
                at.page.mouse.down()
                at.page.mouse.up()
            assert at.page.locator(".play-sum").inner_text() == "nothing for 2 soy"
            button(at.page, "Want one soy less").click()
            assert at.page.locator(".play-sum").inner_text() == "nothing for soy"


def large(view: BohnanzaView) -> bool:
    return view.decision is Decision.TRADE and len(view.hand) >= 16


class TestLayout:
    """At the sizes of a telephone, a small laptop and a large screen."""

    def test_a_hand_of_sixteen_lies_open_in_the_tray_and_its_number_on_a_line(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3) as at:
            at.play_to(large)
            for _ in resized(at.page):
                cards = [card.bounding_box() for card in at.page.locator("[aria-label='Your hand'] button").all()]
                places = [(round(card["x"]), round(card["y"]), card["width"]) for card in cards if card]
                assert len(places) >= 16
                for (left, y, width), (right, other, _) in pairwise(places):
                    assert y < other or right - left >= width
                assert lines(at.page.locator("[data-own] .bl-hand-size")) == 1

    def test_names_and_dollars_are_whole_at_five_seats(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 5, NAMES) as at:
            offered(at, 5)
            for _ in resized(at.page):
                assert at.page.evaluate(CUT) == []
                assert [lines(money) for money in at.page.locator(".bl-money").all()] == [1] * 5

    def test_the_own_seat_stays_in_place_when_an_offer_is_answered(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3) as at:
            at.play_to(lambda view: view.decision is Decision.TRADE)
            before = [top(at.page) for _ in resized(at.page)]
            at.game.apply(0, Offer((1, 2), turned=(0,), wants=("blue",)))
            for seat in (1, 2):
                at.game.apply(seat, Decline())
            at.ask()
            assert at.page.locator(".bl-tray").count() == 2
            assert [top(at.page) for _ in resized(at.page)] == before


CUT = """() => [...document.querySelectorAll(".bl-seat .bl-name, .bl-seat .bl-money")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right >
    one.closest(".bl-seat").getBoundingClientRect().right).map((one) => one.textContent)"""


def lines(text: Locator) -> int:
    """Return the number of lines of a text."""
    counted: int = text.evaluate(
        "one => { const all = document.createRange(); all.selectNodeContents(one);"
        " return new Set([...all.getClientRects()].map((box) => Math.round(box.top))).size }"
    )
    return counted


def top(page: Page) -> float:
    """Return the distance of the own seat from the top of the table."""
    place: float = page.evaluate(
        "document.querySelector('[data-own]').getBoundingClientRect().top"
        " - document.querySelector('.play-table').getBoundingClientRect().top"
    )
    return place


class TestNotice:
    def test_the_title_says_whose_turn_it_is(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3) as at:
            assert at.page.title() == "Replay"
            at.play_to(lambda view: view.decision is Decision.PLANT_FIRST)
            assert at.page.title() == "Your turn · Replay"
            at.page.locator(".play-buttons button").first.click()
            assert at.page.title() == "Replay"

    def test_a_sound_is_off_until_it_is_wanted(self, browser: Browser) -> None:
        with seated(browser, "bohnanza", 3) as at:
            at.page.evaluate("""() => {
              window.sounds = 0;
              window.table.notice.sound = () => { window.sounds += 1 };
            }""")
            at.play_to(lambda view: view.turn > 3)
            assert at.page.evaluate("window.sounds") == 0
            at.page.get_by_label("A quiet sound when it is my turn").check()
            assert at.page.evaluate("window.sounds") == 1
            at.play_to(lambda view: view.turn > 8)
            assert at.page.evaluate("window.sounds") == 2
