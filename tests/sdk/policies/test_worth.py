"""Fields and hands are worth what they earn, and part of what they may still earn."""

from __future__ import annotations

import pytest

from beanbot.policies.worth import (
    fields_of,
    hand_worth,
    hope_of,
    loss,
    may_harvest,
    total,
    turns_left,
    worth_alone,
    worth_of,
    worth_with_trade,
)
from beanleague.games.bohnanza import EMPTY, Field
from tests.sdk.policies.helpers import values, view_of

KINDS = view_of().rules.kinds


@pytest.mark.parametrize("worth", [worth_alone, worth_with_trade])
def test_a_full_field_is_worth_what_it_earns_and_an_empty_one_nothing(worth: object) -> None:
    assert callable(worth)
    for kind in KINDS:
        full = max(kind.beanometer)
        assert worth(kind, 0) == 0
        assert worth(kind, full) == kind.dollars(full)


def test_without_trade_a_card_counts_more_when_the_next_dollar_is_near() -> None:
    blue = view_of().rules.kind("blue")
    first, second, third = (worth_alone(blue, count) for count in (1, 2, 3))
    assert third - second > second - first > 0


def test_nothing_hoped_for_leaves_what_a_harvest_earns() -> None:
    worth = values(hope=0.0)
    for kind in KINDS:
        assert worth.of[kind.name] == worth.dollars[kind.name]
        assert worth.full[kind.name] == max(kind.beanometer)


def test_values_are_computed_once_for_a_table() -> None:
    assert worth_of(view_of().rules, 1.0, trading=True) is values()
    assert values(trading=False) is not values()


def test_hope_fades_in_the_last_pass_of_the_pile() -> None:
    last = view_of().rules.run_outs - 1
    assert hope_of(view_of(pile=3)) == 1
    hopes = [hope_of(view_of(run_outs=last, pile=pile)) for pile in (80, 20, 0)]
    assert 1 >= hopes[0] > hopes[1] > hopes[2] == 0
    assert turns_left(view_of(run_outs=last, pile=0)) == 0


def test_only_fields_with_more_cards_may_be_harvested_while_there_is_one() -> None:
    assert may_harvest((("red", 1), ("blue", 2), (None, 0))) == [1]
    assert may_harvest((("red", 1), ("blue", 1), (None, 0))) == [0, 1]


def test_the_loss_of_a_harvest_is_value_less_dollars() -> None:
    worth, fields = values(), fields_of((Field("blue", 3), EMPTY))
    assert fields == (("blue", 3), (None, 0))
    assert loss(fields, 0, worth) == pytest.approx(total(fields, worth) - worth.dollars["blue"][3])
    assert loss(fields, 1, worth) == 0


def test_a_hand_is_worth_more_the_sooner_a_useful_card_comes_and_never_less_than_nothing() -> None:
    worth, fields = values(), (("blue", 3), ("green", 2))
    soon, late = (hand_worth(fields, hand, worth) for hand in (("blue", "garden"), ("garden", "blue")))
    assert soon > late > 0
    assert hand_worth(fields, ("garden",), worth) == 0
