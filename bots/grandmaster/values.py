"""What fields and a hand are worth at the end of a turn: by formula, and where it was learnt, by the network too."""

from __future__ import annotations

from typing import Protocol

from network import Situation

from beanbot.policies.worth import Cards, Fields, Worth, hand_worth, total

NETWORK = 0.8  # weight of the network's value; the rest is that of the formula: both together err less than either


class Values(Protocol):
    """What can be had."""

    def __call__(self, fields: Fields, hand: Cards, dollars: int) -> float:
        """Return the dollars expected from now on: `dollars` that are earned, and those that the rest promises."""


class ByFormula:
    """The values of `beanbot.policies.worth` for fields, and of what the hand adds to them."""

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
