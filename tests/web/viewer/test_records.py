"""The viewer follows every kind of record exactly as the engine does."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from beanleague.games import new_game, record_from_json, rulesets
from tests.web.viewer.replaying import GOLDEN, go, golden, show

SHORT = ("bohnanza", "bohnanza-two", "duel", "dice", "bean-thief-very-hard")
"""One ruleset of each kind of record."""
IDS = [pytest.param(ruleset.id, marks=() if ruleset.id in SHORT else pytest.mark.slow) for ruleset in rulesets()]


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


@pytest.mark.parametrize("ruleset", IDS)
def test_every_move_has_the_events_and_the_question_that_the_engine_gives(page: Page, ruleset: str) -> None:
    show(page, golden(ruleset))
    record = record_from_json((GOLDEN / f"{ruleset}.json").read_bytes())
    game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    counts, asked = [len(game.events)], []
    for move in record.moves:
        asked.append(game.view(move.seat).decision.name.lower())
        game.apply(move.seat, move.action)
        counts.append(len(game.events))
    timeline = "window.replay.timeline"
    assert page.evaluate(f"{timeline}.counts") == counts
    assert page.evaluate(f"{timeline}.record.moves.map((_, i) => {timeline}.asked(i + 1))") == asked
