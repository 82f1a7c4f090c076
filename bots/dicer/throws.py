"""Throws of the remaining dice, and the dice of each that can be saved.

There are two sorts of dice. A *state* of a turn is one number. Its lowest 28 bits are the beans saved (four bits for
each kind, as in `beanbot.dice.code`); then come four bits for the number of remaining dice of each sort. Therefore
saving dice adds a fixed difference to a state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache
from math import factorial
from typing import NamedTuple

from beanleague.games.core.floats import power

BEANS = (1 << 28) - 1
FIRST = 1 << 28  # unit for dice of the first sort
SECOND = 1 << 32
DICE = 255 << 28
PIECE = 1 << 36  # flag of a state: the bean piece is still available
BORROWS = 0x888_8888  # highest bit of each digit of beans, cleared by a subtraction that underflows the digit


Less = tuple[tuple[int, ...], ...]


class Table(NamedTuple):
    """The throws of the dice of one sort; throws with the same useful dice are merged.

    Throws with fewer useful dice come first. Each field but the last has an item per throw.
    """

    chances: tuple[tuple[float, int], ...]
    """Per throw: probability, and number of useless dice."""
    saves: tuple[tuple[int, int], ...]
    """Per throw: code of the useful dice, and the change of the state when they are saved."""
    less: Less
    """Per throw: positions of the throws with one useful die less."""
    singles: range
    """Positions of the throws with a single useful die."""


class Throws:
    """The throws of `dice`, given by the faces of each die, with only the faces that show `kinds`."""

    def __init__(self, dice: tuple[tuple[str, ...], ...], kinds: tuple[str, ...]) -> None:
        first, second = dict.fromkeys(dice)
        self.sort = tuple(FIRST if faces == first else SECOND for faces in dice)
        self.all_dice = sum(self.sort)
        self._weights = {FIRST: list(map(first.count, kinds)), SECOND: list(map(second.count, kinds))}
        self._kinds = {
            sort: sum(15 << 4 * kind for kind, weight in enumerate(weights) if weight)
            for sort, weights in self._weights.items()
        }
        self._found: dict[int, Table] = {}
        self._missed: dict[int, float] = {}
        self._less: dict[tuple[Less, Less], Less] = {}
        self._same: dict[tuple[int, ...], tuple[int, ...]] = {}  # equal items of `less` are shared to save memory

    def of(self, sort: int, dice: int, wanted: int) -> Table:
        """Return all throws of `dice` dice of the sort `sort`.

        `wanted`: the number of useful beans of each kind, as a code; further beans of a kind are useless.
        """
        wanted &= self._kinds[sort]
        key = wanted + dice * sort
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._table(sort, dice, wanted)
        return found

    def less(self, first: Table, second: Table) -> Less:
        """Return `less` for all pairs of a throw of `first` and one of `second`, in this order."""
        key = first.less, second.less
        found = self._less.get(key)
        if found is None:
            width = len(second.less)
            each = [
                tuple([other * width + at for other in above] + [row * width + other for other in before])
                for row, above in enumerate(first.less)
                for at, before in enumerate(second.less)
            ]
            found = self._less[key] = tuple([self._same.setdefault(less, less) for less in each])
        return found

    def missed(self, kinds: int, left: int) -> float:
        """Return the probability that a roll of the dice `left` shows none of `kinds` (a bit mask)."""
        found = self._missed.get(kinds + left)
        if found is None:
            found = 1.0
            for sort, weights in self._weights.items():
                shown = sum(weight for kind, weight in enumerate(weights) if kinds >> kind & 1)
                found *= power(1 - shown / 6, left // sort & 15)
            self._missed[kinds + left] = found
        return found

    def _table(self, sort: int, dice: int, wanted: int) -> Table:
        weights = self._weights[sort]
        most = [wanted >> 4 * kind & 15 for kind in range(len(weights))]
        weights = [weight if n else 0 for weight, n in zip(weights, most, strict=True)]
        parts = [[weight**n / factorial(n) for n in range(dice + 1)] for weight in [*weights, 6 - sum(weights)]]
        all_ways = float(factorial(dice)) / 6**dice
        chances: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for counts in _splits(dice, (*map(bool, weights), True)):
            chance = all_ways
            for count, part in zip(counts, parts, strict=True):
                chance *= part[count]
            chances[tuple(map(min, counts, most))] += chance
        throws = sorted(chances, key=sum)
        position = {counts: i for i, counts in enumerate(throws)}
        beans = [sum(count << 4 * kind for kind, count in enumerate(counts) if count) for counts in throws]
        return Table(
            tuple([(chances[counts], dice - sum(counts)) for counts in throws]),
            tuple([(shown, shown - sum(counts) * sort) for counts, shown in zip(throws, beans, strict=True)]),
            tuple(tuple([position[fewer] for fewer in _one_less(counts)]) for counts in throws),
            range(1, 1 + [sum(counts) for counts in throws].count(1)),
        )


@lru_cache(maxsize=4)
def throws(dice: tuple[tuple[str, ...], ...], kinds: tuple[str, ...]) -> Throws:
    """Return the throws of some dice, shared by all games with these dice."""
    return Throws(dice, kinds)


def dice_in(state: int) -> int:
    """Return the number of remaining dice."""
    return (state // FIRST & 15) + (state // SECOND & 15)


@cache
def ones(beans: int) -> int:
    """Return the code `beans` in unary: each count as that many ones in a byte, so that beans compare as sets."""
    return sum((1 << (beans >> 4 * kind & 15)) - 1 << 8 * kind for kind in range(7))


@cache
def counted(bits: int) -> int:
    """Return the code of unary beans: the number of ones in each byte."""
    return sum((bits >> 8 * kind & 255).bit_count() << 4 * kind for kind in range(7))


def _one_less(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for i, count in enumerate(counts):
        if count:
            yield (*counts[:i], count - 1, *counts[i + 1 :])


@cache
def _splits(dice: int, places: tuple[bool, ...]) -> tuple[tuple[int, ...], ...]:
    """Return all ways to distribute `dice` dice over `places`, some of which take none; the last takes the rest."""
    if len(places) == 1:
        return ((dice,),)
    most = dice if places[0] else 0
    return tuple((count, *rest) for count in range(most + 1) for rest in _splits(dice - count, places[1:]))
