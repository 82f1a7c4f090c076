"""What one seat saw: the tables of the viewer are its views, and nothing hidden from it is on the page."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from beanleague.games import View, new_game, record_from_json
from tests.web.viewer.node import Node
from tests.web.viewer.replaying import GOLDEN, golden, show

STEP = 7
"""Of so many positions one is compared."""

DRAWN_STEP = 29
"""Of so many positions one is drawn and looked at."""

HIDDEN_SHOWN = f"""seat => {{
  window.replay.look(seat);
  const shown = [];
  for (let at = 0; at < window.replay.timeline.length; at += {DRAWN_STEP}) {{
    window.replay.go(at);
    const others = `.bl-seat:not([data-seat="${{seat}}"])`;
    const cards = `${{others}} .bl-hand > .bl-row [data-kind]:not([data-kind="back"])`;
    const bohnus = `${{others}} .bl-bohnus-row > [data-bohnus]:not([data-bohnus="back"], .bl-met)`;
    shown.push(document.querySelectorAll(`${{cards}}, ${{bohnus}}`).length);
    const asked = document.querySelector(".bl-decision").innerText;
    const move = window.replay.timeline.record.moves[at - 1];
    if (move && move.seat !== seat && !asked.includes("does not see")) shown.push(asked);
  }}
  return shown.filter(Boolean);
}}"""


def views(ruleset: str, seat: int) -> Iterator[View]:
    """What the engine shows `seat` before every `STEP`-th move."""
    record = record_from_json((GOLDEN / f"{ruleset}.json").read_bytes())
    game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    for index, move in enumerate(record.moves):
        if index % STEP == 0:
            yield game.view(seat)
        game.apply(move.seat, move.action)


def seen(node: Node, ruleset: str, seat: int) -> list[dict[str, Any]]:
    """What the viewer shows at the same moments."""
    record = golden(ruleset)
    tables: list[dict[str, Any]] = node.ask("tables", record, seat, list(range(0, len(record["moves"]), STEP)))
    return tables


def expected(view: Any, seat: int, ruleset: str) -> dict[str, Any]:
    """The table that the viewer should have for a view of a card game."""
    hands = [list(view.hand) if each == seat else [None] * size for each, size in enumerate(view.hand_sizes)]
    fields = [
        [list(field.cards) if ruleset == "duel" else [field.kind] * field.count for field in own] for own in view.fields
    ]
    return {
        "turn": view.turn,
        "active": view.active,
        "hands": hands,
        "fields": fields,
        "dollars": list(view.dollars),
        "turned": list(view.open if ruleset == "bohnanza-two" else view.turned),
        "pile": view.pile,
    }


def discarded(view: Any, ruleset: str) -> list[str]:
    if ruleset == "bohnanza-two":
        return sorted(view.discard)
    pairs = zip(view.rules.kinds, view.discard, strict=True)
    return sorted(kind.name for kind, count in pairs for _ in range(count))


def changed(ruleset: str) -> list[str]:
    return {"duel": ["gifts", "bohnus", "earned"], "bohnanza-two": []}.get(ruleset, ["aside"])


@pytest.mark.parametrize("ruleset", ["bohnanza", "bohnanza-classic", "bohnanza-two", "duel"])
def test_the_cards_that_a_seat_saw_are_those_of_its_view(node: Node, ruleset: str) -> None:
    for seat in (0, 1):
        tables = seen(node, ruleset, seat)
        for table, view in zip(tables, views(ruleset, seat), strict=True):
            want = expected(view, seat, ruleset)
            assert {name: table[name] for name in want} == want
            assert sorted(table["discards"]) == discarded(view, ruleset)
            assert not (ruleset == "bohnanza-two" and table["discards"] != list(view.discard))  # type: ignore[attr-defined]
            for name in changed(ruleset):
                assert table[name] == more(view, name, seat)


def more(view: Any, name: str, seat: int) -> Any:
    if name == "bohnus":
        return [list(view.bohnus) if each == seat else [None] * size for each, size in enumerate(view.bohnus_sizes)]
    return json.loads(json.dumps(getattr(view, name)))


@pytest.mark.parametrize("ruleset", ["dice", "bean-thief-hard"])
def test_the_dice_and_cards_that_a_seat_saw_are_those_of_its_view(node: Node, ruleset: str) -> None:
    for table, view in zip(seen(node, ruleset, 0), views(ruleset, 0), strict=True):
        for name in ("turn", "active", "roll", "faces", "saved", "piece", "tops", "bottoms", "completed", "deck"):
            assert table[name] == json.loads(json.dumps(getattr(view, name))), name
        assert table["stolen"] == list(view.stolen)  # type: ignore[attr-defined]
        assert table["dollars"] == list(view.dollars)  # type: ignore[attr-defined]
        assert table["thief"] == view.thief  # type: ignore[attr-defined]


@pytest.mark.parametrize("ruleset", ["bohnanza", "bohnanza-two", "duel"])
def test_nothing_that_is_hidden_from_a_seat_is_on_the_page(page: Page, ruleset: str) -> None:
    show(page, golden(ruleset))
    assert page.evaluate(HIDDEN_SHOWN, 1) == []


def test_a_seat_does_not_read_in_the_moves_what_others_draw(page: Page) -> None:
    record = golden("bohnanza")
    drew = next(i for i, event in enumerate(record["events"]) if event["event"] == "drew" and event["seat"] == 1)
    show(page, record)
    at = page.evaluate("event => window.replay.timeline.counts.findIndex(count => count > event)", drew)
    page.evaluate("at => { window.replay.look(0); window.replay.go(at); }", at)
    line = page.locator(f'.bl-entry[data-position="{at}"]')
    assert "draws 3 cards" in line.inner_text()
    page.evaluate("window.replay.look(1)")
    assert "draws 3 cards" not in line.inner_text()
