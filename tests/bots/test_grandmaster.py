"""Grandmaster: it plays every table, finds all plantings, weighs what a partner gains, and tries out duels."""

import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from beanbot import load_bot
from beanbot._runtime.program import BotProgram
from beanbot.bot import seat_bot
from beanbot.duel import DuelBot
from beanbot.policies.worth import Worth, may_harvest, worth_of
from beanbot.practice.match import PracticePlayer, play_match
from beanbot.search.duelist import Duelist
from beanleague.games import Action, Game, new_game
from beanleague.games.bohnanza import BohnanzaView
from beanleague.games.duel import DuelDecision, DuelView, OfferGift
from beanleague.league.bots.house_bots import house_bots
from tests.bots.helpers import no_report
from tests.choices import listed


@pytest.fixture
def bot() -> BotProgram:
    return load_bot("grandmaster")


@pytest.fixture
def home(bot: BotProgram) -> Iterator[None]:
    """Where its modules can be imported."""
    assert bot.home
    with bot.home.entered():
        yield


def values_of(seats: int) -> Worth:
    return worth_of(view_of(seats).rules, 1.0, trading=True)


def view_of(seats: int) -> BohnanzaView:
    view = new_game("bohnanza", seats=seats, seed=b"grandmaster").view(0)
    assert isinstance(view, BohnanzaView)
    return view


@pytest.mark.usefixtures("home")
def test_outcomes_cover_planting_in_any_order() -> None:
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


def test_modules_of_grandmaster_are_importable_only_at_home(bot: BotProgram) -> None:
    assert bot.name == "grandmaster"
    assert "scales" not in sys.modules
    assert Path(house_bots()[0].parent, "grandmaster", "weights.npz").stat().st_size < 50_000


@pytest.fixture
def duel(bot: BotProgram) -> Iterator[ModuleType]:
    """Its module for the duel."""
    assert bot.home
    with bot.home.entered():
        yield import_module("duel")


def player_view(game: Game) -> DuelView:
    """What the seat sees that is asked."""
    (seat,) = game.to_act()
    view = game.view(seat)
    assert isinstance(view, DuelView)
    return view


def asked(bot: BotProgram, decision: DuelDecision) -> tuple[Game, DuelView, Any]:
    """A game at its first decision of this kind, with the view of who decides, and the bot in that seat."""
    game = new_game("duel", seats=2, seed=b"an offer")
    player_class: Any = bot.class_for("duel")
    players: list[Any] = [seat_bot(player_class, ruleset="duel", seat=i, seats=2, luck=b"any") for i in range(2)]
    while True:
        view = player_view(game)
        player = players[view.seat]
        if view.decision is decision:
            player.memory.see(view)
            return game, view, player
        for action in listed(player.decide(view)):
            game.apply(view.seat, action)


def trial(duel: ModuleType, estimate: float, leads: list[float]) -> Any:
    return duel.Trial(OfferGift("red" if estimate else "blue"), estimate, leads)


def test_a_choice_found_to_be_better_is_preferred(duel: ModuleType) -> None:
    good, better = trial(duel, 0.3, [1.0, 0.0] * 4), trial(duel, 0.0, [2.0, 1.1] * 4)
    assert duel.hopeful([good, better]) == [better]


def test_where_luck_decides_the_estimate_counts_and_nothing_is_given_up(duel: ModuleType) -> None:
    good, lucky = trial(duel, 0.3, [0.0] * 8), trial(duel, 0.0, [9.0, -8.0] * 4)
    assert duel.hopeful([lucky, good]) == [good, lucky]


@pytest.mark.parametrize("decision", [DuelDecision.OFFER_GIFT, DuelDecision.ANSWER_GIFT])
def test_duel_grandmaster_tries_its_choices_in_consistent_games(
    bot: BotProgram, duel: ModuleType, monkeypatch: pytest.MonkeyPatch, decision: DuelDecision
) -> None:
    _, view, player = asked(bot, decision)
    tried: list[Action] = []

    def play_on(game: Game, action: Action, until: int) -> float:
        assert until == view.turn + duel.TURNS
        guessed = game.view(player.seat, news=False)
        assert isinstance(guessed, DuelView)
        assert (guessed.hand, guessed.fields, guessed.bohnus) == (view.hand, view.fields, view.bohnus)
        tried.append(action)
        return 5.0 * (action in tried[1:2]) + len(tried) / 1000

    monkeypatch.setattr(player, "play_on", play_on)
    assert player.decide(view) == tried[1], "the second choice leads to most in all games"
    choices = duel.OFFERS if decision is DuelDecision.OFFER_GIFT else 2
    assert [tried.count(action) for action in tried[:choices]] == [duel.ROUND] * choices
    assert len(tried) == choices * duel.ROUND, "one round is enough to be sure"


def test_duel_grandmaster_tries_harvests_that_cost_little_and_earn_something(bot: BotProgram, duel: ModuleType) -> None:
    game, view, player = asked(bot, DuelDecision.PLANT_FIRST)
    while not (found := player.harvests(view)):
        for action in listed(Duelist.decide(player, view)):
            game.apply(view.seat, action)
        view = player_view(game)
        while view.seat != player.seat or view.decision is not DuelDecision.PLANT_FIRST:
            game.apply(view.seat, view.default())
            view = player_view(game)
    for tried in found:
        field = view.own_fields[tried.action.field]
        assert view.rules.dollars(field.last, len(field.cards)) > 0
        assert -duel.LITTLE < tried.estimate < 1


def test_duel_grandmaster_plays_on_until_a_turn_begins(bot: BotProgram, duel: ModuleType) -> None:
    game, view, player = asked(bot, DuelDecision.OFFER_GIFT)
    copy = game.copy(b"lucky")
    lead = player.play_on(copy, OfferGift(player.merchant.offers(view)[0].kind), view.turn + duel.TURNS)
    reached = player_view(copy)
    assert (reached.turn, reached.decision) == (view.turn + duel.TURNS, DuelDecision.PLANT_FIRST)
    assert lead == player.has(copy, player.seat) - player.has(copy, 1 - player.seat)


def test_duel_grandmaster_plays_without_a_fault_and_twice_alike(
    bot: BotProgram, duel: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number in {"OFFERS": 2, "GAMES": 2, "ROUND": 2, "TURNS": 1}.items():
        monkeypatch.setattr(duel, name, number)
    player_class: Any = bot.class_for("duel")
    entrants = [PracticePlayer("grandmaster", player_class, home=bot.home), PracticePlayer("apprentice", DuelBot)]
    first, again = (
        play_match(entrants, game="duel", seed=b"twice", lucks=[b"any"] * 2, report=no_report) for _ in range(2)
    )
    assert (first.outcome, first.decisions) == (again.outcome, again.decisions)
    assert first.faults == (0, 0)
