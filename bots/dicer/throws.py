"""Throws of the remaining dice, and which of them can be saved.

There are two sorts of dice. A *state* of a turn is one number. Its lowest 28 bits are the beans saved (four bits for
each kind, as in `beanbot.dice.code`); then come four bits for the number of remaining dice of each sort. So saving dice
adds a fixed difference to a state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import factorial
from typing import NamedTuple

from beanbot.dice import DiceRules

BEANS = (1 << 28) - 1
FIRST = 1 << 28  # a die of the first sort
SECOND = 1 << 32
BORROWS = 0x888_8888  # the highest bit of each digit of beans; a subtraction that underflows a digit clears it


class Throw(NamedTuple):
    """A throw of the dice of one sort; throws with the same useful dice are the same."""

    chance: float
    """Its probability."""
    beans: int
    """What the useful dice show, as a code."""
    save: int
    """The difference to the state when these dice are saved."""
    junk: bool
    """Whether a die is useless."""
    less: tuple[int, ...]
    """The throws with one useful die less, by their position among all."""


class Throws:
    """The throws of the dice of `rules`."""

    def __init__(self, rules: DiceRules) -> None:
        first, second = dict.fromkeys(rules.dice)
        self.sort = tuple(FIRST if faces == first else SECOND for faces in rules.dice)
        self.all_dice = sum(self.sort)
        self._weights = {FIRST: list(map(first.count, rules.kinds)), SECOND: list(map(second.count, rules.kinds))}
        self._kinds = {
            sort: sum(15 << 4 * kind for kind, weight in enumerate(weights) if weight)
            for sort, weights in self._weights.items()
        }
        self._found: dict[int, tuple[Throw, ...]] = {}

    def of(self, sort: int, dice: int, wanted: int) -> tuple[Throw, ...]:
        """Return all throws of `dice` dice of the sort `sort`, those with fewer useful dice first.

        `wanted`: how many beans of each kind are useful, as a code; further beans of a kind are useless.
        """
        wanted &= self._kinds[sort]
        key = wanted + dice * sort
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = tuple(self._throws(sort, dice, wanted))
        return found

    def missed(self, kinds: int, left: int) -> float:
        """Return the probability that a roll of the dice `left` shows none of `kinds` (a bit mask)."""
        chance = 1.0
        for sort, weights in self._weights.items():
            shown = sum(weight for kind, weight in enumerate(weights) if kinds >> kind & 1)
            chance *= (1 - shown / 6) ** (left // sort & 15)
        return chance

    def _throws(self, sort: int, dice: int, wanted: int) -> Iterator[Throw]:
        weights = self._weights[sort]
        most = [wanted >> 4 * kind & 15 for kind in range(len(weights))]
        weights = [weight if n else 0 for weight, n in zip(weights, most, strict=True)]
        chances: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for counts in _splits(dice, [*map(bool, weights), True]):
            chance = float(factorial(dice)) / 6**dice
            for count, weight in zip(counts, [*weights, 6 - sum(weights)], strict=True):
                chance *= weight**count / factorial(count)
            chances[tuple(map(min, counts[:-1], most))] += chance
        throws = sorted(chances, key=sum)
        position = {counts: i for i, counts in enumerate(throws)}
        for counts in throws:
            beans = sum(count << 4 * kind for kind, count in enumerate(counts))
            less = tuple(position[fewer] for fewer in _one_less(counts))
            yield Throw(chances[counts], beans, beans - sum(counts) * sort, sum(counts) < dice, less)


def excess(beans: int, enough: int) -> int:
    """Return how many more beans of each kind there are in `beans` than in `enough`, at least 0."""
    difference = (beans | BORROWS) - enough
    more = difference & BORROWS
    return difference & more - (more >> 3)


def _one_less(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for i, count in enumerate(counts):
        if count:
            yield (*counts[:i], count - 1, *counts[i + 1 :])


def _splits(dice: int, places: list[bool]) -> Iterator[tuple[int, ...]]:
    """Yield all ways to put `dice` dice in `places`, some of which take none; the last takes the rest."""
    if len(places) == 1:
        yield (dice,)
        return
    for count in range(dice + 1 if places[0] else 1):
        for rest in _splits(dice - count, places[1:]):
            yield count, *rest
