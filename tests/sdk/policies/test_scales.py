"""What a trade is worth to the own seat, and visibly to others."""

from __future__ import annotations

import pytest

from beanbot.policies.scales import QuickScales, left_of, to_plant
from beanleague.games.bohnanza import EMPTY, BohnanzaView, Field
from tests.sdk.policies.helpers import values, view_of


def market() -> BohnanzaView:
    """Seat 0 is active and turned over a blue bean, and a chili bean, which costs it a field; seat 1 grows chili."""
    return view_of(
        fields=(
            (Field("blue", 2), Field("green", 4)),
            (Field("chili", 1), Field("red", 2)),
            (EMPTY, EMPTY),
            (EMPTY, EMPTY),
        ),
        turned=("blue", "chili"),
        hand=("soy", "green"),
        aside=((), (), ("stink",), ()),
    )


def test_the_active_player_must_plant_the_cards_turned_over_that_it_keeps() -> None:
    view = market()
    assert to_plant(view, 0) == ("blue", "chili")
    assert to_plant(view, 0, (0,)) == ("chili",)
    assert to_plant(view, 2, (0,)) == ("stink",)
    assert left_of(("red", "blue", "soy"), (0, 2)) == ("blue",)


def test_no_trade_gains_nothing() -> None:
    scales = QuickScales(market(), values())
    assert scales.mine() == pytest.approx(0)
    assert scales.theirs(1, ()) == pytest.approx(0)


def test_giving_away_what_costs_a_field_gains_and_helps_who_grows_it() -> None:
    scales = QuickScales(market(), values())
    assert scales.mine(gives_turned=(1,)) > max(0, scales.mine(gives_turned=(0,)))
    assert scales.theirs(1, ("chili",), (1,)) > 0


def test_a_card_that_grows_gains_and_giving_it_of_the_hand_costs() -> None:
    scales = QuickScales(market(), values())
    assert scales.mine(("green",), gives_turned=(1,)) > scales.mine(gives_turned=(1,))
    assert scales.mine(gives=(1,)) < 0


def test_what_grows_in_the_end_is_what_is_left_when_all_is_planted() -> None:
    assert QuickScales(market(), values()).grows() == {"chili", "green"}
