"""Throws of the dice that are left, and what can be saved of them.

There are two sorts of dice. A *state* of a turn is one number: its lowest 28 bits are the beans saved (four bits for
each kind, as in `beanbot.dice.code`), then four bits for the number of dice of each sort that are left to roll. What
saving dice does to a state is then a difference that is added to it.
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
BORROWS = 0x888_8888  # the highest bit of each digit of beans: a digit that is too small borrows it


class Throw(NamedTuple):
    """A throw of the dice of one sort, told apart from others by the dice of use only.

    `chance`: of this throw. `beans`: what the useful dice show. `save`: what saving these dice does to the state.
    `junk`: whether there is a die of no use. `less`: the throws with one useful die less, by their position among all.
    """

    chance: float
    beans: int
    save: int
    junk: bool
    less: tuple[int, ...]


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
        """Return all throws of `dice` dice of the sort `sort`; one with fewer useful dice comes before one with more.

        `wanted`: how many beans of each kind are of use, as a code; more than that of a kind are not told apart.
        """
        wanted &= self._kinds[sort]
        key = wanted + dice * sort
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = tuple(self._throws(sort, dice, wanted))
        return found

    def missed(self, kinds: int, left: int) -> float:
        """Return the chance that a roll of the dice `left` shows none of `kinds` (a bit mask)."""
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
    """Return the beans of each kind that there are more of in `beans` than in `enough`."""
    difference = (beans | BORROWS) - enough
    more = difference & BORROWS
    return difference & more - (more >> 3)


def _one_less(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for i, count in enumerate(counts):
        if count:
            yield (*counts[:i], count - 1, *counts[i + 1 :])


def _splits(dice: int, places: list[bool]) -> Iterator[tuple[int, ...]]:
    """Yield all ways to put `dice` dice in `places`, some of which take none; the last takes what is left."""
    if len(places) == 1:
        yield (dice,)
        return
    for count in range(dice + 1 if places[0] else 1):
        for rest in _splits(dice - count, places[1:]):
            yield count, *rest
