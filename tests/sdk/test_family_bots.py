"""Bots of all families: a method per decision, legal defaults, and what those of the trading games do by default."""

from dataclasses import replace
from enum import IntEnum
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from beanbot import Bot, load_bot
from beanbot.bohnanza import (
    BohnanzaBot,
    BohnanzaView,
    Decision,
    Decline,
    Harvest,
    Pass,
    Plant,
    PlantAside,
    Refuse,
    Stop,
    least_loss,
    own_kind_first,
)
from beanbot.dice import Choice, DiceBot, DiceDecision
from beanbot.duel import DuelBot, DuelDecision
from beanbot.practice import play
from beanbot.thief import ThiefBot
from beanbot.two import BohnanzaTwoBot, DiscardOpen, PlantOpen, TwoDecision
from beanleague.games import Kind, Ruleset, new_game, ruleset, rulesets
from beanleague.games.families import FAMILIES
from tests.choices import first
from tests.sdk.helpers import card_view, fail, methods_asked

DECISIONS: dict[type[Bot[Any]], set[IntEnum]] = {
    BohnanzaBot: {*Decision} - {Decision.WAIT},
    BohnanzaTwoBot: {*TwoDecision} - {TwoDecision.WAIT},
    DuelBot: {*DuelDecision} - {DuelDecision.WAIT, DuelDecision.DRAWN_BOHNUS},  # the latter is only to fulfil or pass
    DiceBot: {*DiceDecision} - {DiceDecision.WAIT, DiceDecision.LOSE},
    ThiefBot: {*DiceDecision} - {DiceDecision.WAIT},
}


@pytest.mark.parametrize("bot", DECISIONS)
def test_each_decision_has_its_method(bot: type[Bot[Any]]) -> None:
    game = ruleset(bot.games[0])
    view: Any = new_game(game.id, seats=game.least_seats, seed=b"any").view(0)
    methods = [decision.name.lower() for decision in sorted(DECISIONS[bot])]
    views = [replace(view, decision=decision) for decision in sorted(DECISIONS[bot])]
    if bot is DuelBot:
        views = [replace(each, fulfillable=()) for each in views]
    assert methods_asked(bot, methods, views) == methods


@pytest.mark.parametrize("bot", [BohnanzaBot, BohnanzaTwoBot])
def test_a_card_goes_to_its_own_kind_before_an_empty_field(bot: type[Bot[Any]]) -> None:
    for decision in ("PLANT_FIRST", "PLANT_SECOND"):
        layouts: list[list[tuple[Kind | None, int]]] = [[(None, 0), ("red", 2)], [("blue", 2), (None, 0)]]
        for fields in layouts:
            assert first(bot().decide(card_view(bot.games[0], decision, *fields, hand=("red", "blue")))) == Plant(1)


@pytest.mark.parametrize("bot", [BohnanzaBot, BohnanzaTwoBot])
def test_without_room_the_first_card_harvests_and_the_second_stays(bot: type[Bot[Any]]) -> None:
    """Three blue beans want one more for a dollar; three red ones have just earned one."""
    fields: list[tuple[Kind | None, int]] = [("blue", 3), ("red", 3)]
    assert bot().decide(card_view(bot.games[0], "PLANT_FIRST", *fields, hand=("soy",))) == [Harvest(1), Plant(1)]
    assert first(bot().decide(card_view(bot.games[0], "PLANT_SECOND", *fields, hand=("soy",)))) == Pass()


PROGRAM = f"""
from importlib import import_module
from beanbot import Bot, run

modules = [import_module("beanbot." + name) for name in {[*(family.name for family in FAMILIES), "thief"]}]
values = [(module, value) for module in modules for value in vars(module).values()]
bots = [value for module, value in values if isinstance(value, type) and issubclass(value, Bot)
        and value.__module__ == module.__name__]
run(*bots)
"""
"""A bot with the class of every family, and with the class for the Bean Thief."""


@pytest.mark.parametrize("game", rulesets(), ids=lambda game: game.id)
def test_the_classes_of_all_families_are_a_bot_for_every_ruleset(game: Ruleset, tmp_path: Path) -> None:
    """In each match the class plays whose ruleset it is, and all that it does is legal."""
    file = tmp_path / "everything.py"
    file.write_text(PROGRAM)
    bot = load_bot(file)
    (played,) = [each for each in bot.classes if game.id in each.games]
    assert bot.class_for(game.id) is played
    result = play([bot], game=game.id, deals=1, report=fail)
    assert result.row("everything").faults == 0
    assert result.row("everything").decisions > 0


two_view = partial(card_view, "bohnanza-two")


def test_of_what_the_other_left_it_plants_what_grows_with_it_and_discards_the_rest() -> None:
    def act(*fields: tuple[Kind | None, int]) -> Choice:
        return BohnanzaTwoBot().decide(two_view("PLANT_OFFERED", *fields, open=("soy", "blue"), hand=()))

    assert act(("blue", 1), (None, 0)) == [PlantOpen(1, 0), DiscardOpen(0)]
    assert act(("red", 1), (None, 0)) == [DiscardOpen(0), DiscardOpen(0)]


def test_of_what_is_drawn_it_plants_what_has_a_place_and_leaves_the_rest() -> None:
    def act(*fields: tuple[Kind | None, int]) -> Choice:
        return BohnanzaTwoBot().decide(two_view("PLANT_DRAWN", *fields, open=("soy", "blue")))

    assert act(("blue", 1), ("red", 1)) == [PlantOpen(1, 0), Pass()]
    assert act(("red", 1), (None, 0)) == [PlantOpen(0, 1), Pass()]
    assert act(("red", 1), ("green", 2)) == [Pass()]


def test_a_bot_for_two_discards_no_hand_cards() -> None:
    assert BohnanzaTwoBot().decide(two_view("DISCARD_HAND", ("red", 1), ("green", 2))) == Pass()


def bohnanza_view(decision: Decision, *fields: tuple[Kind | None, int], **changes: Any) -> BohnanzaView:
    view: BohnanzaView = card_view("bohnanza", decision.name, *fields, **changes)
    return view


def test_trading_is_declined() -> None:
    assert BohnanzaBot().decide(bohnanza_view(Decision.TRADE)) == [Stop()]
    assert BohnanzaBot().decide(bohnanza_view(Decision.ANSWER)) == Decline()
    assert BohnanzaBot().decide(bohnanza_view(Decision.PICK)) == Refuse()
    assert BohnanzaBot().decide(bohnanza_view(Decision.INTERLUDE)) == Pass()


def test_of_the_cards_aside_those_that_fit_come_first() -> None:
    def plant(*fields: tuple[Kind | None, int]) -> Choice:
        view = bohnanza_view(Decision.PLANT_ASIDE, *fields)
        return BohnanzaBot().decide(replace(view, aside=(("soy", "blue"), *view.aside[1:])))

    assert plant(("green", 1), ("blue", 1)) == [PlantAside(1, 1), Harvest(1), PlantAside(0, 1)]
    assert plant(("green", 1), (None, 0)) == [PlantAside(0, 1), Harvest(0), PlantAside(0, 0)]
    assert plant(("green", 3), ("stink", 2)) == [Harvest(0), PlantAside(0, 0), Harvest(1), PlantAside(0, 1)]


def test_least_loss_weighs_the_part_of_the_next_dollar() -> None:
    def lost(*fields: tuple[Kind | None, int]) -> int:
        return least_loss(bohnanza_view(Decision.PLANT_FIRST, *fields))

    assert lost(("blue", 1), ("red", 1)) == 0  # a quarter of a dollar, against a half
    assert lost(("blue", 5), ("soy", 4)) == 1  # half a dollar, against nothing
    assert lost(("red", 2), ("red", 4)) == 1  # both lose nothing: the one that earns more
    assert lost(("blue", 12), ("chili", 4)) == 0  # as many as can earn, and more
    assert lost(("blue", 4), ("blue", 4)) == 0


def test_own_kind_first_prefers_the_larger_field_then_the_first() -> None:
    view = bohnanza_view(Decision.PLANT_FIRST, ("red", 1), ("red", 3), (None, 0))
    assert own_kind_first(view, (0, 1, 2)) == 1
    assert own_kind_first(view, (2,)) == 2
    assert own_kind_first(bohnanza_view(Decision.PLANT_FIRST, ("red", 2), ("red", 2)), (0, 1)) == 0


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
