"""The viewer follows every kind of record exactly as engine and bookkeepers do, and knows what was asked."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from beanleague.games import RULES_VERSION, Event, Record, new_game, ruleset, rulesets
from beanleague.games.core import TurnStarted
from beanleague.games.families import words_of
from beanleague.games.records.record import event_to_json
from beanleague.web.viewer import parts_json
from tests.games.bohnanza.bookkeeper import BEANS, dollars_for
from tests.games.dice.matching import alternatives, cards, fits, rolls
from tests.games.families import checked
from tests.games.helpers import chooser, play, recorded
from tests.games.played import own_options
from tests.web.viewer.node import Node, NodeError
from tests.web.viewer.replaying import URL, as_served, go, golden, golden_record, show

SHORT = ("bohnanza", "bohnanza-two", "duel", "dice", "bean-thief-very-hard")
"""One ruleset of each kind of record."""
IDS = [pytest.param(ruleset.id, marks=() if ruleset.id in SHORT else pytest.mark.slow) for ruleset in rulesets()]
RECORD = golden_record("bohnanza")


@pytest.mark.parametrize("ruleset", IDS)
def test_the_last_move_shows_the_scores_and_places_of_the_record(page: Page, ruleset: str) -> None:
    record = golden(ruleset)
    show(page, record)
    go(page, len(record["moves"]))
    over = page.evaluate("window.replay.timeline.table(window.replay.player.at).over")
    assert over["scores"][: record["seats"]] == record["scores"]
    dollar = 100 if ruleset == "duel" else 1
    shown = page.locator(".bl-seat .bl-money").all_inner_texts()
    assert [round(float(text.removeprefix("$")) * dollar) for text in sorted_by_seat(page, shown)] == record["scores"]


def sorted_by_seat(page: Page, texts: list[str]) -> list[str]:
    seats: list[str] = page.eval_on_selector_all(".bl-seat", "all => all.map(one => one.dataset.seat)")
    return [text for _, text in sorted(zip(map(int, seats), texts, strict=True))]


@pytest.mark.parametrize("ruleset", [ruleset.id for ruleset in rulesets()])
def test_every_move_has_the_events_and_the_question_that_the_engine_gives(node: Node, ruleset: str) -> None:
    record = golden_record(ruleset)
    game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    positions: list[list[Any]] = [[None, None, as_json(game.events)]]
    for move in record.moves:
        before = len(game.events)
        (asked,) = {move.seat} & set(game.to_act())
        decision = game.view(asked).decision.name.lower()
        game.apply(move.seat, move.action)
        positions.append([asked, decision, as_json(game.events[before:])])
    assert node.ask("positions", as_served(record)) == positions


def as_json(events: Sequence[Event]) -> list[Any]:
    return json.loads(json.dumps(list(map(event_to_json, events))))  # type: ignore[no-any-return]


@pytest.mark.parametrize("ruleset", [ruleset.id for ruleset in rulesets()])
def test_the_viewer_says_what_the_words_of_the_game_say(node: Node, ruleset: str) -> None:
    record = golden_record(ruleset)
    game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    words = words_of(game.view(0, news=False).rules)
    did, asked = [], []
    for move in record.moves:
        view = game.view(move.seat, news=False)
        game.apply(move.seat, move.action)
        did.append(parts_json(words.choice(move.action, view)))
        asked.append(words.asks(view.decision))
    lines = [parts_json(words.line(event)) for event in record.events]
    assert node.ask("words", as_served(record)) == json.loads(json.dumps({"lines": lines, "did": did, "asked": asked}))


class TestNotReproduced:
    """Records from which the rules do not give the events: these are shown one by one, and nothing is guessed."""

    @pytest.mark.parametrize(
        "record",
        [
            pytest.param(replace(RECORD, rules=RULES_VERSION + 1), id="of other rules"),
            pytest.param(replace(RECORD, moves=RECORD.moves[1:], ms=RECORD.ms[1:], faults=()), id="without a move"),
            pytest.param(replace(RECORD, events=(*RECORD.events[:90], *RECORD.events[91:])), id="without an event"),
        ],
    )
    def test_the_events_are_shown_without_decisions(self, page: Page, record: Record) -> None:
        show(page, as_served(record))
        assert page.locator(".bl-position").inner_text().endswith(f" / {len(record.events)}")
        for at in (0, len(record.events) // 2, len(record.events)):
            go(page, at)
            assert "The rules do not reproduce this match" in page.locator(".bl-decision").inner_text()
            assert page.locator(".bl-asked").count() == 0
        shown = page.locator(".bl-seat .bl-money").all_inner_texts()
        assert [f"${score}" for score in record.scores] == sorted_by_seat(page, shown)

    def test_every_event_is_a_position(self, node: Node) -> None:
        shown = node.ask("positions", as_served(replace(RECORD, rules=RULES_VERSION + 1)))
        assert shown == [[None, None, as_json(each)] for each in ((), *zip(RECORD.events))]

    def test_altered_scores_leave_the_decisions(self, page: Page) -> None:
        show(page, as_served(replace(RECORD, scores=tuple(score + 1 for score in RECORD.scores))))
        go(page, 1)
        assert "was asked" in page.locator(".bl-decision").inner_text()


def test_a_fault_is_a_mark_only_where_its_move_is_known(node: Node) -> None:
    records = (RECORD, replace(RECORD, rules=RULES_VERSION + 1))
    marks = [node.ask("survey", as_served(record))["marks"]["fault"] for record in records]
    assert list(map(len, marks)) == [len(RECORD.faults), 0]


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


RULESETS = [each.id for each in rulesets()]
UNORDERED = {"discards", "bohnus", "earned", "bohnusDiscards", "stolen"}
"""What the bookkeepers keep in no order."""


def random_record(name: str, number: int) -> Record:
    """Return the record of a game of random moves, at one table size after the other, with options of all kinds."""
    rules = ruleset(name)
    seats = rules.least_seats + number % (rules.most_seats - rules.least_seats + 1)
    options = [{}, *own_options(name, seats)]
    game = new_game(name, seats=seats, seed=b"viewer %d" % number, options=options[number % len(options)])
    return recorded(game, play(game, chooser(number)))


def follow(node: Node, record: Record) -> None:
    """See that the viewer and the bookkeeper have the same table after each event of a record."""
    game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    for move in record.moves:
        game.apply(move.seat, move.action)
    keeper = checked(game).bookkeeper(game)
    names = list(keeper.written())
    kept: list[list[str]] = []
    keeper.follow(game.events, lambda: kept.append([_text(name, value) for name, value in keeper.written().items()]))
    shown = node.ask("byEvent", as_served(record), names)
    assert len(shown) == len(kept) == len(record.events)
    begun = next(i for i, event in enumerate(record.events) if isinstance(event, TurnStarted))  # some deal all at once
    for number, (ours, theirs) in list(enumerate(zip(shown, kept, strict=True)))[begun:]:
        for name, own, other in zip(names, ours, theirs, strict=True):
            assert _text(name, json.loads(own)) == other, f"{name} after event {number}: {record.events[number]}"


def _text(name: str, value: Any) -> str:
    if name == "offers":  # of which the bookkeeper keeps the kinds
        value = [offer["kind"] if isinstance(offer, dict) else offer for offer in value]
    if name in UNORDERED:
        nested = value and isinstance(value[0], list)
        value = [sorted(each) for each in value] if nested else sorted(value)
    return json.dumps(value, separators=(",", ":"))


@pytest.mark.parametrize("name", RULESETS)
def test_golden_records_are_followed_event_by_event(node: Node, name: str) -> None:
    follow(node, golden_record(name))


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("numbers", [range(1), pytest.param(range(1, 20), marks=pytest.mark.slow)], ids=["one", "more"])
def test_random_records_are_followed_event_by_event(node: Node, name: str, numbers: range) -> None:
    for number in numbers:
        follow(node, random_record(name, number))


@pytest.mark.parametrize("edition", ["2012", "2022"])
def test_an_order_is_filled_by_the_dice_that_meet_it(node: Node, edition: str) -> None:
    some = list(rolls(edition))[::97]
    for order in {str(order) for card in cards(edition)[::9] for order in card["orders"]}:
        ways = node.ask("parseOrder", order)
        assert [list(map(frozenset, slots)) for slots in ways] == list(map(list, alternatives(order)))
        for slots, ours in zip(ways, alternatives(order), strict=True):
            for beans in some:
                assert all(node.ask("filled", slots, beans)) == fits(ours, beans)


@pytest.mark.parametrize("text", ["", "2 soy +", "soy or", "<b>"])
def test_an_order_that_is_none_has_no_alternatives(node: Node, text: str) -> None:
    assert node.ask("parseOrder", text) == []


@pytest.mark.parametrize("kind", BEANS)
def test_a_field_earns_what_the_beanometer_says(node: Node, kind: str) -> None:
    for count in range(14):
        meter = node.ask("beanometer", kind, count)
        assert meter["dollars"] == dollars_for(kind, count)
        if meter["next"]:
            more = count + meter["next"]["more"]
            assert dollars_for(kind, more - 1) < dollars_for(kind, more) == meter["next"]["dollars"]


@pytest.mark.parametrize(
    ("cards", "sequence", "met"),
    [
        ("bbr", [2, 1], True),
        ("bbbr", [2, 1], True),  # the first run may be longer
        ("bbrr", [2, 1], False),
        ("gbbr", [2, 1], True),
        ("r", [2, 1], False),
        ("", [1], False),
    ],
)
def test_a_bohnus_card_asks_how_a_field_ends(node: Node, cards: str, sequence: list[int], met: bool) -> None:
    assert node.ask("endsWith", list(cards), sequence) is met


def test_the_next_and_the_previous_mark_are_found(node: Node) -> None:
    asked = [(3, 1), (3, -1), (9, 1), (1, -1), (0, 1)]
    assert [node.ask("neighbour", [1, 3, 5], *each) for each in asked] == [5, 1, 9, 1, 1]


@pytest.mark.parametrize("ruleset", ["bohnanza", "bohnanza-two", "duel", "dice", "bean-thief-hard"])
def test_a_game_that_the_viewer_does_not_know_has_its_turns_and_its_scores(node: Node, ruleset: str) -> None:
    record = golden(ruleset)
    known = node.ask("survey", record)
    plain = node.ask("survey", {**record, "ruleset": "constructor"})
    assert plain["turns"] == known["turns"]
    if ruleset != "bean-thief-hard":  # whose last event has no places
        assert plain["money"][-1] == record["scores"]


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(seats=40),
        lambda record: record["events"].insert(3, {"event": "toString"}),
        lambda record: record["events"].insert(0, {"event": "refused", "seat": 0}),
    ],
    ids=["too many seats", "unknown event", "a refusal of nothing"],
)
def test_a_record_that_cannot_be_followed_is_refused_with_a_sentence(
    node: Node, change: Callable[[dict[str, Any]], object]
) -> None:
    record = golden("bohnanza")
    change(record)
    with pytest.raises(NodeError, match=r"^Error: (This|unknown event|nothing is offered)"):
        node.ask("survey", record)
