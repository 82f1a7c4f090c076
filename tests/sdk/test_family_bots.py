"""What holds of the bots of all families: a method per decision, legal defaults, and that five lines make a bot."""

from dataclasses import replace
from enum import IntEnum
from typing import Any

import pytest

from beanbot import Bot
from beanbot.bohnanza import Action, BohnanzaBot, Decision, Harvest, Pass, Plant
from beanbot.dice import Choice, DiceBot, DiceDecision, DiceView, HarvestTop, RollAgain, useful_dice
from beanbot.duel import AcceptGift, DuelBot, DuelDecision
from beanbot.practice import play
from beanbot.thief import ThiefBot
from beanbot.two import BohnanzaTwoBot, DiscardHand, TwoDecision
from beanleague.games import Kind, View, new_game, ruleset
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


class Still(BohnanzaBot):
    def plant_second(self, view: View) -> Action:
        return Pass()


class Tidy(BohnanzaTwoBot):
    def discard_hand(self, view: Any) -> Action:
        return DiscardHand(len(view.hand) - 1)


class Grateful(DuelBot):
    def answer_gift(self, view: View) -> AcceptGift:
        return AcceptGift()


class Patient(DiceBot):
    def harvest(self, view: DiceView) -> Action:
        return HarvestTop() if view.completed[self.seat] > 3 else Pass()

    def save(self, view: DiceView) -> Choice:
        return RollAgain() if view.piece and not useful_dice(view) else super().save(view)


class Greedy(ThiefBot):
    def save(self, view: DiceView) -> Choice:
        return HarvestTop() if view.may_harvest else super().save(view)


@pytest.mark.parametrize("bot", [Still, Tidy, Grateful, Patient, Greedy])
def test_a_bot_in_five_lines_plays_beside_one_that_does_what_all_do_by_default(bot: type[Bot[Any]]) -> None:
    (beside,) = bot.__bases__
    for game in map(ruleset, bot.games):
        for seats in {game.least_seats, min(game.most_seats, 5)}:
            games = max(4, seats)
            result = play([bot, beside], game=game.id, games=games - games % seats, seats=seats, report=fail)
            assert {row.faults for row in result.rows} == {0}


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
