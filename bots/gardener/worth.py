"""The value of fields in one situation, in dollars."""

from __future__ import annotations

from collections import Counter

from beanbot.two import BohnanzaTwoView, CardRules, Kind
from beanleague.games.core.floats import exp

RENT = 0.3  # cost in dollars of occupying a field for one of the bot's turns
ARRIVE = 7.0  # number of cards that could be planted in each of the bot's turns
NEVER = 0.001  # arrivals per turn of a kind without remaining cards
WASTED = 0.01  # cost in dollars of waiting for a kind that hardly ever arrives


class Worth:
    """Values of fields. A kind arrives in proportion to its unseen cards; waiting for it costs rent.

    `dollars[kind][count]`: earnings of a harvest. `full[kind]`: the number of cards that earns the most.
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
        """Return the value of a field of `count` cards of `kind`."""
        known = self._known.get((kind, count))
        if known is None:
            known = self._known[kind, count] = self._field(kind, count)
        return known

    def _field(self, kind: Kind, count: int) -> float:
        """Return the dollars of a harvest now, or the expectation of waiting for the best later mark."""
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
    """Return the probability of at least `number` events with a Poisson distribution of mean `mean`."""
    term = exp(-mean)
    fewer = 0.0
    for i in range(number):
        fewer += term
        term *= mean / (i + 1)
    return max(0.0, 1 - fewer)


def unseen_cards(view: BohnanzaTwoView) -> Counter[Kind]:
    """Return the number of unseen cards of each kind."""
    unseen = Counter({kind.name: kind.cards for kind in view.rules.kinds})
    unseen.subtract(view.discard)
    unseen.subtract(view.open)
    unseen.subtract(view.hand)
    for fields in view.fields:
        unseen.subtract({field.kind: field.count for field in fields if field.kind})
    return unseen


def turns_left(view: BohnanzaTwoView) -> float:
    """Return the number of turns that the bot has left."""
    return view.pile / (view.rules.turned + view.rules.draws) / 2
