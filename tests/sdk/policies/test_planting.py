"""What fields become when cards are planted."""

from __future__ import annotations

import pytest

from beanbot.policies.planting import best_future, cheapest, future_without, is_full, settle
from beanbot.policies.worth import Fields, may_harvest, total
from beanleague.games import Kind
from tests.sdk.policies.helpers import values

FIELDS: Fields = (("red", 2), ("blue", 4), (None, 0))


def test_cards_that_fit_are_planted_before_others_are_given_room() -> None:
    worth = values()
    value, fields = settle(FIELDS, ("soy", "blue", "green"), worth)
    assert ("blue", 5) in fields, "though the green one, which comes last, needed room"
    assert {kind for kind, _ in fields} == {"blue", "soy", "green"}
    assert value == pytest.approx(worth.dollars["red"][2] + total(fields, worth))


def test_a_full_field_is_harvested_when_another_card_of_its_kind_comes() -> None:
    worth = values()
    full = worth.full["blue"]
    assert is_full("blue", full, worth)
    assert settle((("blue", full),), ("blue",), worth) == (
        worth.dollars["blue"][full] + worth.of["blue"][1],
        (("blue", 1),),
    )


def tried(fields: Fields, cards: tuple[Kind, ...]) -> float:
    """The best of all ways to plant `cards` in their order."""
    worth = values()
    if not cards:
        return total(fields, worth)
    kinds, found = [kind for kind, _ in fields], []
    for i, (kind, count) in enumerate(fields):
        fits = kind == cards[0] or (kind is None and cards[0] not in kinds)
        if fits:
            earned, grown = 0, count + 1
            if kind and is_full(kind, count, worth):
                earned, grown = worth.dollars[kind][count], 1
        elif kind and None not in kinds and i in may_harvest(fields):
            earned, grown = worth.dollars[kind][count], 1
        else:
            continue
        found.append(earned + tried((*fields[:i], (cards[0], grown), *fields[i + 1 :]), cards[1:]))
    return max(found)


@pytest.mark.parametrize("cards", [("soy", "green"), ("red", "soy", "blue", "green"), ("blue", "chili", "soy", "soy")])
def test_the_best_future_is_that_of_trying_out_all(cards: tuple[Kind, ...]) -> None:
    assert best_future(FIELDS, cards, values()) == pytest.approx(tried(FIELDS, cards))


def test_the_cheapest_field_to_harvest_loses_least_and_its_dollars_are_in_the_future_without_it() -> None:
    worth = values()
    fields: Fields = (("red", 4), ("blue", 3))
    assert cheapest(fields, worth) == 0, "it has earned nearly all it can, and blue nothing yet"
    after = total((("soy", 1), ("blue", 3)), worth)
    assert future_without(fields, 0, ("soy",), worth) == pytest.approx(worth.dollars["red"][4] + after)
