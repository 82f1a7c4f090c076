"""Losses told by analysis against those of games played to their end, by ruleset and kind of decision."""

from collections import Counter as Multiset, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import inf, sqrt
from random import Random
from statistics import fmean, stdev

import pytest

from beanbot.analysis.mistakes import ACCEPTS, PLANTING
from beanbot.analysis.weighing import Weighing
from beanbot.bohnanza import BohnanzaView, BuyField, Call, Choice, Decision, Decline, Harvest, Offer, Pass
from beanbot.policies.trader import Trader
from beanbot.practice import deals
from beanleague.games import Action, Record

RULESETS = {"bohnanza": (4, 3, 5), "bohnanza-extended": (5, 4, 6), "bohnanza-classic": (4, 5, 6)}
"""Numbers of seats by ruleset, in turn."""
PURCHASES = ("purchase", "no purchase")
DECISIONS = 30  # of each kind
A_SEAT = 2  # decisions of a kind in one match of a seat
CHOSEN = 0.15  # share of the decisions that are tried, but for purchases, which are rare
GAMES = 16
LOSSES = ("estimate", "told", "to_end")
ERRORS = 3  # of twenty rows, one differs by more with a probability of 10 % although all are right


class Wavering(Trader):
    """Decides at random in 15 % of cases."""

    def decide(self, view: BohnanzaView) -> Choice:
        return self.random.choice(view.legal()) if self.random.random() < 0.15 else super().decide(view)


@dataclass(frozen=True, slots=True)
class Tried:
    """Loss of a decision against another one."""

    kind: str
    estimate: float
    """By `Market.chances` at the next draw."""
    told: float
    """As analysis tells it."""
    to_end: float
    """In games played to their end."""


def kinds(ruleset: str) -> tuple[str, ...]:
    purchases = PURCHASES if ruleset == "bohnanza-classic" else ()
    return ("harvest", "planting", "second card", *purchases, "answer", "pick", "offer")


def kind_of(view: BohnanzaView, played: Action, instead: Action) -> str:
    types = {type(played), type(instead)}
    if BuyField in types:
        return PURCHASES[type(instead) is BuyField]
    if Harvest in types:
        return "harvest"
    if view.decision in PLANTING:
        return "second card" if Pass in types else "planting"
    return {Decision.ANSWER: "answer", Decision.PICK: "pick", Decision.TRADE: "offer"}[view.decision]


def matches(ruleset: str) -> Iterator[Record]:
    for number in count():
        kept: list[Record] = []
        seats = RULESETS[ruleset][number % len(RULESETS[ruleset])]
        next(deals([Wavering] * seats, game=ruleset, seed=number, keep=kept.append, lenient=True))
        yield kept[0]


def other(weighing: Weighing, view: BohnanzaView, move: int, random: Random) -> Action | None:
    """Return an alternative to the decision at `move` that no estimate chose; None if there is none."""
    played = weighing.record.moves[move].action
    others = [action for action in view.legal() if action != played and type(action) is not Call]
    if view.decision is Decision.ANSWER:
        others = weighing.feasible(view, move, others) if isinstance(played, Decline) else [Decline()]
    if view.can_buy and BuyField() in others:
        return BuyField()
    return random.choice(others) if others and type(played) is not Call else None


def tried(ruleset: str) -> Iterator[Tried]:
    """Try decisions of each kind, and alternatives to them, in the same games."""
    left, random = dict.fromkeys(kinds(ruleset), DECISIONS), Random(1)
    for record in matches(ruleset):
        for seat in range(record.seats):
            weighing, here = Weighing(record, seat), Multiset[str]()
            for move, view in weighing.decisions():
                played, instead = record.moves[move].action, other(weighing, view, move, random)
                kind = kind_of(view, played, instead) if instead else ""
                chosen = kind in PURCHASES or random.random() < CHOSEN
                if not instead or not chosen or not left[kind] or here[kind] == A_SEAT:
                    continue
                left[kind] -= 1
                here[kind] += 1
                games = weighing.games(view, GAMES)
                least = ACCEPTS if Offer in {type(played), type(instead)} else -inf
                better, worse = fmean(weighing.tried(games, instead, least)), fmean(weighing.tried(games, played))
                to_end, told = (
                    weighing.loss(games, played, instead, least, to_end=each).mean for each in (True, False)
                )
                yield Tried(kind, better - worse, told, to_end)
        if not any(left.values()):
            return


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
def test_losses_told_are_those_of_games_played_to_their_end(ruleset: str) -> None:
    found: dict[str, list[Tried]] = defaultdict(list)
    for each in tried(ruleset):
        found[each.kind].append(each)
    missed = []
    for kind in kinds(ruleset):
        made = found[kind]
        assert len(made) == DECISIONS
        estimate, told, to_end = (fmean([getattr(each, name) for each in made]) for name in LOSSES)
        error, told_error = (
            stdev([getattr(each, name) - each.to_end for each in made]) / sqrt(DECISIONS) for name in LOSSES[:2]
        )
        print(f"{ruleset}, {kind}: estimate {estimate:+.1%}, to the end {to_end:+.1%}, differ by +- {error:.1%}")
        if abs(told - to_end) > ERRORS * told_error:
            missed.append(kind)
    assert missed == []
