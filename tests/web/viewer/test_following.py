"""What the viewer knows of cards and orders, and which records it refuses to follow."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.games.bohnanza.bookkeeper import BEANS, dollars_for
from tests.games.dice.matching import alternatives, cards, fits, rolls
from tests.web.viewer.node import Node, NodeError
from tests.web.viewer.replaying import golden


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
