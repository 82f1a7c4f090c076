"""The viewer follows every kind of record exactly as the engine does."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page

from beanleague.games import RULES_VERSION, Event, Record, new_game, rulesets
from beanleague.games.families import words_of
from beanleague.games.records.record import event_to_json
from beanleague.web.viewer import parts_json
from tests.web.viewer.node import Node
from tests.web.viewer.replaying import as_served, go, golden, golden_record, show

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
