"""Figures about the cards of a deck, computed when needed."""

from __future__ import annotations

from functools import lru_cache

from heist import HeistTurn
from throws import FIRST, SECOND, throws
from turn import Turn

from beanbot.dice import DiceRules, needs, rolls
from beanleague.games.core.floats import float_sum

# Value in dollars of each number of completed orders, by orders on a card, including numbers too low for a harvest.
WORTH = {5: (0.0, 0.35, 0.7, 1.2, 2.0, 3.0), 6: (0.0, 0.3, 0.8, 1.3, 2.05, 3.0, 4.0)}

# Nodes of cached turns, by number of dice and presence of the Thief: about 45 MiB. The five-dice deck has fewer nodes
# than its limit; the seven-dice deck has many more nodes.
MAX_NODES = {(5, False): 90_000, (7, False): 45_000, (7, True): 33_000}


class Knowledge:
    """Figures about the cards of `rules`.

    `needs[card][order]`: minimal beans that meet an order. `worth[completed]`: see `WORTH`.
    """

    def __init__(self, rules: DiceRules) -> None:
        self.rules = rules
        self.throws = throws(rules.dice, rules.kinds)
        self.needs = tuple(tuple(needs(order, rules.kinds) for order in card.orders) for card in rules.cards)
        self.worth = WORTH[len(rules.dollars) - 1]
        self.first_roll = rolls(rules.dice, rules.kinds)
        self._average: float | None = None
        self._theft: dict[tuple[int, int], tuple[int, float]] = {}
        self._max_nodes = MAX_NODES[len(rules.dice), rules.thief is not None]
        self._chance: dict[int, float] = {}
        self._turns: dict[tuple[int, int, int], Turn] = {}
        self._profit: dict[tuple[int, int, int], float] = {}

    def theft(self, card: int | None, done: int) -> tuple[int, float]:
        """Return the rolls (a bit mask) that steal `card` with `done` orders, and the mean dollars of the Thief.

        For an unknown card (None), return no rolls and the mean dollars of all cards.
        """
        if card is None:
            cards = range(len(self.needs))
            if self._average is None:
                self._average = float_sum(self.theft(each, done)[1] for each in cards) / len(cards)
            return 0, self._average
        found = self._theft.get((card, done))
        if found is None:
            found = self._theft[card, done] = self._theft_of(card, done)
        return found

    def turn(self, card: int, done: int, ahead: int) -> Turn:
        """Return the turn for the next `ahead` orders of `card`, of which `done` are completed."""
        key = card, done, ahead
        found = self._turns.pop(key, None)
        if found is None:
            kind = HeistTurn if self.rules.thief else Turn
            found = kind(self.throws, self.needs[card][done : done + ahead])
        for other in self._turns.values():
            other.forget()
        while sum(len(other.nodes) for other in self._turns.values()) > self._max_nodes:
            del self._turns[next(iter(self._turns))]
        self._turns[key] = found  # reinserted last, since the least recently used turns are removed first
        return found

    def chance(self, mask: int) -> float:
        """Return the probability that a roll of all dice is in `mask`."""
        found = self._chance.get(mask)
        if found is None:
            found = self._chance[mask] = float(self.first_roll.weight(mask))
        return found

    def _theft_of(self, card: int, done: int) -> tuple[int, float]:
        stealing, dollars = 0, 0.0
        orders = self.rules.cards[card].orders
        for i in range(len(orders) - 1, max(done, len(orders) - 3) - 1, -1):
            met = self.first_roll.meeting(orders[i]) & ~stealing
            stealing |= met
            dollars += (self.rules.dollars[i + 1] - 1) * self.chance(met)
        return stealing, dollars

    def profit(self, card: int, completed: int, left: int) -> float:
        """Return the mean value of the later orders of `card` that a roll of the dice `left` completes."""
        key = card, completed, left
        found = self._profit.get(key)
        if found is None:
            found = self._profit[key] = self._profit_of(card, completed, left)
        return found

    def _profit_of(self, card: int, completed: int, left: int) -> float:
        dice: list[tuple[str, ...]] = []
        for sort, number in ((FIRST, left // FIRST & 15), (SECOND, left // SECOND & 15)):
            dice += [self.rules.dice[self.throws.sort.index(sort)]] * number
        roll = rolls(tuple(dice), self.rules.kinds)
        met, profit = -1, 0.0
        for i, order in enumerate(self.rules.cards[card].orders[completed:], completed):
            met &= roll.meeting(order)
            if not met:
                break
            profit += float(roll.weight(met)) * (self.worth[i + 1] - self.worth[i])
        return profit


@lru_cache(maxsize=8)
def knowledge(rules: DiceRules) -> Knowledge:
    """Return the figures for `rules`, shared by all matches with these rules."""
    return Knowledge(rules)
