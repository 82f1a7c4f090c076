"""What fields are worth at one moment, in dollars."""

from __future__ import annotations

import math
from collections import Counter

from beanbot.two import BohnanzaTwoView, CardRules, Kind

RENT = 0.3  # dollars that a field could earn in a turn of one's own with other beans
ARRIVE = 7.0  # cards that one may plant between two turns of one's own
NEVER = 0.001  # arrivals a turn of a kind of which no card is left
WASTED = 0.01  # dollars that a field is worth less when it waits for what hardly comes


class Worth:
    """Values fields. Beans of a kind come as often as there are unseen ones; to wait for them costs rent.

    `dollars[kind][count]`: what a harvest earns. `full[kind]`: the cards of a field that earns all it can.
    """

    def __init__(self, rules: CardRules, unseen: Counter[Kind], turns: float) -> None:
        most = max(kind.cards for kind in rules.kinds)
        hidden = max(1, unseen.total())
        self.dollars = {kind.name: tuple(map(kind.dollars, range(most + 2))) for kind in rules.kinds}
        self.full = {kind.name: max(kind.beanometer) for kind in rules.kinds}
        self._turns = turns
        self._rate = {kind.name: max(ARRIVE * unseen[kind.name] / hidden, NEVER) for kind in rules.kinds}
        self._marks = {kind.name: tuple(filter(None, kind.beanometer)) for kind in rules.kinds}
        self._known: dict[tuple[Kind, int], float] = {}

    def of(self, kind: Kind, count: int) -> float:
        """Return what a field of `count` cards of `kind` is worth."""
        known = self._known.get((kind, count))
        if known is None:
            known = self._known[kind, count] = self._field(kind, count)
        return known

    def _field(self, kind: Kind, count: int) -> float:
        """Return the dollars of a harvest now, or those expected of waiting for the best of the next marks."""
        now, rate = self.dollars[kind][count], self._rate[kind]
        waiting = [
            at_least(mark - count, rate * self._turns) * (self.dollars[kind][mark] - now)
            - RENT * min((mark - count) / rate, self._turns)
            for mark in self._marks[kind]
            if mark > count
        ]
        best = max(waiting, default=0.0)
        return now + best if best > 0 or count >= self.full[kind] else now - WASTED


def at_least(number: int, mean: float) -> float:
    """Return the chance that at least `number` come when `mean` are expected (Poisson)."""
    term = math.exp(-mean)
    fewer = 0.0
    for i in range(number):
        fewer += term
        term *= mean / (i + 1)
    return max(0.0, 1 - fewer)


def worth_now(view: BohnanzaTwoView) -> Worth:
    """Return the worth of fields in the situation of `view`."""
    unseen = Counter({kind.name: kind.cards for kind in view.rules.kinds})
    unseen.subtract(view.discard)
    unseen.subtract(view.open)
    unseen.subtract(view.hand)
    for fields in view.fields:
        unseen.subtract({field.kind: field.count for field in fields if field.kind})
    turns = view.pile / (view.rules.turned + view.rules.draws) / 2
    return Worth(view.rules, +unseen, turns)
