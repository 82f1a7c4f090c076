"""Grandmaster: it plays every table, finds all plantings, and weighs what a partner gains."""

import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from beanbot import load_bot
from beanbot._runtime.program import BotProgram
from beanbot.policies.worth import Worth, may_harvest, worth_of
from beanbot.practice import play
from beanleague.games import new_game, ruleset
from beanleague.games.bohnanza import BohnanzaView
from beanleague.league.bots.house_bots import house_bots
from tests.bots.helpers import no_report


@pytest.fixture
def bot() -> BotProgram:
    return load_bot("grandmaster")


@pytest.fixture
def home(bot: BotProgram) -> Iterator[None]:
    """Where its modules can be imported."""
    assert bot.home
    with bot.home.entered():
        yield


@pytest.mark.parametrize("game", ["bohnanza", "bohnanza-extended", "bohnanza-classic"])
def test_it_plays_the_smallest_and_the_largest_table_without_a_fault(bot: BotProgram, game: str) -> None:
    rules = ruleset(game)
    for seats in (rules.least_seats, rules.most_seats):
        play([bot], game=game, seats=seats, games=1, options={"max_rounds": 2}, report=no_report)


def values_of(seats: int) -> Worth:
    return worth_of(view_of(seats).rules, 1.0, trading=True)


def view_of(seats: int) -> BohnanzaView:
    view = new_game("bohnanza", seats=seats, seed=b"grandmaster").view(0)
    assert isinstance(view, BohnanzaView)
    return view


@pytest.mark.usefixtures("home")
def test_it_finds_what_fields_become_by_planting_in_any_order() -> None:
    planting = import_module("planting")
    fields, cards, worth = (("red", 2), ("blue", 4), ("chili", 3)), ("soy", "green", "red"), values_of(3)
    found = {(way.dollars, way.fields) for way in planting.outcomes(fields, cards, worth)}

    def tried(plots: Any, left: Any) -> Iterator[tuple[int, Any]]:
        if not left:
            yield 0, plots
            return
        kinds = [kind for kind, _ in plots]
        at = [kinds.index(left[0])] if left[0] in kinds else may_harvest(plots)
        for i in at:
            kind, count = plots[i]
            earns = 0 if kind == left[0] else worth.dollars[kind][count]
            grown = (left[0], count + 1 if kind == left[0] else 1)
            for more, after in tried((*plots[:i], grown, *plots[i + 1 :]), left[1:]):
                yield earns + more, after

    every = {end for order in permutations(cards) if order[0] == "red" for end in tried(fields, order)}
    assert found == every
    assert len(found) > 2


@pytest.mark.usefixtures("home")
def test_each_way_is_made_of_steps_that_lead_there() -> None:
    outcomes = import_module("planting").outcomes
    worth = values_of(4)
    fields = (("red", 1), ("blue", 3))
    for way in outcomes(fields, ("soy", "blue", "green"), worth):
        plots, left, dollars = list(fields), ["soy", "blue", "green"], 0
        for step in way.steps:
            card, (kind, count) = left.pop(step.card), plots[step.field]
            assert step.harvest == (kind != card)
            dollars += worth.dollars[kind][count] if step.harvest else 0
            plots[step.field] = (card, 1 if step.harvest else count + 1)
        assert (dollars, tuple(plots)) == (way.dollars, way.fields)


@pytest.mark.usefixtures("home")
def test_of_two_answers_that_gain_it_the_same_it_prefers_the_fairer_up_to_a_point() -> None:
    expected = import_module("scales").expected
    assert expected(1.0, 0.8) > expected(1.0, 0.1)
    assert expected(1.0, 3.0) < expected(1.0, 1.2), "a gift to a rival is no good"


@pytest.mark.usefixtures("home")
def test_the_network_has_an_input_for_all_that_is_seen_and_values_more_as_more() -> None:
    network = import_module("network")
    view = view_of(4)
    assert network.weights()[0].shape[0] == network.layout(view.rules).size
    assert network.applies(view.rules)
    assert not network.applies(view_of(3).rules)
    situation = network.Situation(view, [()] * 4, {}, 6.0)
    empty = ((None, 0), (None, 0))
    assert situation.promise(empty, view.hand, 0) > situation.promise(empty, (), 0)
    assert situation.promise((("red", 3), ("green", 4)), view.hand, 0) > situation.promise(empty, view.hand, 0)


def test_its_modules_are_found_only_at_home(bot: BotProgram) -> None:
    assert bot.name == "grandmaster"
    assert "scales" not in sys.modules
    assert Path(house_bots()[0].parent, "grandmaster", "weights.npz").stat().st_size < 50_000
