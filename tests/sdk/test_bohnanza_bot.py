"""BohnanzaBot: a method per decision, and what each does by default."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from beanbot.bohnanza import (
    BohnanzaBot,
    BohnanzaView,
    Choice,
    Decision,
    Decline,
    Harvest,
    Pass,
    PlantAside,
    Refuse,
    Stop,
    least_loss,
    own_kind_first,
)
from beanleague.games import Kind, new_game
from tests.choices import first
from tests.sdk.helpers import card_view


def view_of(decision: Decision, *fields: tuple[Kind | None, int], **changes: Any) -> BohnanzaView:
    view: BohnanzaView = card_view("bohnanza", decision.name, *fields, **changes)
    return view


def test_trading_is_declined() -> None:
    assert BohnanzaBot().decide(view_of(Decision.TRADE)) == [Stop()]
    assert BohnanzaBot().decide(view_of(Decision.ANSWER)) == Decline()
    assert BohnanzaBot().decide(view_of(Decision.PICK)) == Refuse()
    assert BohnanzaBot().decide(view_of(Decision.INTERLUDE)) == Pass()


def test_of_the_cards_aside_those_that_fit_come_first() -> None:
    def plant(*fields: tuple[Kind | None, int]) -> Choice:
        view = view_of(Decision.PLANT_ASIDE, *fields)
        return BohnanzaBot().decide(replace(view, aside=(("soy", "blue"), *view.aside[1:])))

    assert plant(("green", 1), ("blue", 1)) == [PlantAside(1, 1), Harvest(1), PlantAside(0, 1)]
    assert plant(("green", 1), (None, 0)) == [PlantAside(0, 1), Harvest(0), PlantAside(0, 0)]
    assert plant(("green", 3), ("stink", 2)) == [Harvest(0), PlantAside(0, 0), Harvest(1), PlantAside(0, 1)]


def test_least_loss_weighs_the_part_of_the_next_dollar() -> None:
    def lost(*fields: tuple[Kind | None, int]) -> int:
        return least_loss(view_of(Decision.PLANT_FIRST, *fields))

    assert lost(("blue", 1), ("red", 1)) == 0  # a quarter of a dollar, against a half
    assert lost(("blue", 5), ("soy", 4)) == 1  # half a dollar, against nothing
    assert lost(("red", 2), ("red", 4)) == 1  # both lose nothing: the one that earns more
    assert lost(("blue", 12), ("chili", 4)) == 0  # as many as can earn, and more
    assert lost(("blue", 4), ("blue", 4)) == 0


def test_own_kind_first_prefers_the_larger_field_then_the_first() -> None:
    view = view_of(Decision.PLANT_FIRST, ("red", 1), ("red", 3), (None, 0))
    assert own_kind_first(view, (0, 1, 2)) == 1
    assert own_kind_first(view, (2,)) == 2
    assert own_kind_first(view_of(Decision.PLANT_FIRST, ("red", 2), ("red", 2)), (0, 1)) == 0


@settings(max_examples=15, deadline=None)
@given(seed=st.binary(min_size=1, max_size=16), seats=st.integers(3, 5), dull_seat=st.integers(0, 2))
def test_the_defaults_are_legal_beside_bots_that_do_anything(seed: bytes, seats: int, dull_seat: int) -> None:
    game = new_game("bohnanza", seats=seats, seed=seed, options={"interludes": (dull_seat,), "max_rounds": 2})
    bot = BohnanzaBot()
    step = 0
    while not game.over:
        for seat in game.to_act():
            step += 1
            view = game.view(seat)
            assert isinstance(view, BohnanzaView)
            legal = view.legal()
            action = first(bot.decide(view)) if seat == dull_seat else legal[(step * 7919) % len(legal)]
            assert action in legal
            game.apply(seat, action)
