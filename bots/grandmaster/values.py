"""Value of fields and hand at the end of a turn, by formula and, where it was fitted, also by the network."""

from __future__ import annotations

from typing import Protocol

from network import Situation

from beanbot.policies.worth import Cards, Fields, Worth, hand_worth, total

NETWORK = 0.8  # weight of the network's value; the formula has the rest, since their mean errs less than either


class Values(Protocol):
    """Valuation of fields and hand."""

    def __call__(self, fields: Fields, hand: Cards, dollars: int) -> float:
        """Return the expected dollars: `dollars` already earned, plus the future earnings of fields and hand."""


class ByFormula:
    """Valuation by `beanbot.policies.worth`."""

    def __init__(self, worth: Worth) -> None:
        self._worth = worth

    def __call__(self, fields: Fields, hand: Cards, dollars: int) -> float:
        return dollars + total(fields, self._worth) + hand_worth(fields, hand, self._worth)


class ByNetwork:
    """Weighted mean of the network's and the formula's values."""

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
