"""What fields and a hand are worth at the end of a turn: by formula, and where it was learnt, by the network too."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from network import Situation
from planting import Cards, Fields, may_harvest
from worth import Worth

NETWORK = 0.8  # weight of the network's value; the rest is that of the formula: both together err less than either

# Weight of a hand card by its position, relative to what it adds when planted: cards far back are planted late.
POSITION_WEIGHTS = (0.9, 0.8, 0.72, 0.65, 0.58, 0.52, 0.47, 0.42, 0.38, 0.34)


class Values(Protocol):
    """What can be had."""

    def __call__(self, fields: Fields, hand: Cards, dollars: int) -> float:
        """Return the dollars expected from now on: `dollars` that are earned, and those that the rest promises."""


class ByFormula:
    """The values of `worth` for fields, and of what the hand adds to them."""

    def __init__(self, worth: Worth) -> None:
        self._worth = worth

    def __call__(self, fields: Fields, hand: Cards, dollars: int) -> float:
        return dollars + total(fields, self._worth) + hand_worth(fields, hand, self._worth)


class ByNetwork:
    """The mean of both values."""

    def __init__(self, situation: Situation, formula: ByFormula) -> None:
        self._situation = situation
        self._formula = formula
        self._known: dict[tuple[Fields, Cards, int], float] = {}

    def __call__(self, fields: Fields, hand: Cards, dollars: int) -> float:
        what = fields, hand, dollars
        if what not in self._known:
            learnt = dollars + self._situation.promise(fields, hand, dollars)
            self._known[what] = NETWORK * learnt + (1 - NETWORK) * self._formula(fields, hand, dollars)
        return self._known[what]


def total(fields: Fields, worth: Worth) -> float:
    """Return the value of `fields` by formula."""
    return sum([worth.of[kind][count] for kind, count in fields if kind])


def loss(fields: Fields, i: int, worth: Worth) -> float:
    """Return the value lost if field `i` is harvested."""
    kind, count = fields[i]
    return worth.of[kind][count] - worth.dollars[kind][count] if kind else 0.0


@lru_cache(8192)
def hand_worth(fields: Fields, hand: Cards, worth: Worth) -> float:
    """Return the expected value of the cards in `hand`. Cards that fit nowhere count 0: they can be traded away."""
    planted = dict(fields)
    empty = sum([kind is None for kind, _ in fields])
    room = min([loss(fields, i, worth) for i in may_harvest(fields)], default=0.0)
    promise = 0.0
    for card, weight in zip(hand, POSITION_WEIGHTS, strict=False):
        of = worth.of[card]
        count = planted.get(card, 0)
        adds = of[count + 1] - of[count]
        if not count:
            if empty:
                empty -= 1
            else:
                adds -= room
        planted[card] = count + 1
        if adds > 0:
            promise += adds * weight
    return promise
