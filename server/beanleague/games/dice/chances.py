"""Exact chances of what dice show, by counting all ways they can fall."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from beanleague.games.core.kinds import Kind
from beanleague.games.dice.orders import Code, Order, counts, needs


class Rolls:
    """Everything that a roll of some dice can show. `dice`: the faces of each die.

    A set of rolls is a bit mask: bit i stands for the roll `codes[i]`, which comes up in `ways[i]` of `total` ways.
    """

    def __init__(self, dice: Sequence[tuple[Kind, ...]], kinds: tuple[Kind, ...]) -> None:
        rolls: dict[Code, int] = {0: 1}
        for faces in dice:
            more: defaultdict[Code, int] = defaultdict(int)
            for shown, ways in rolls.items():
                for kind in faces:
                    more[shown + (1 << 4 * kinds.index(kind))] += ways
            rolls = more
        self.kinds = kinds
        self.codes = tuple(sorted(rolls))
        self.ways = tuple(rolls[shown] for shown in self.codes)
        self.total = sum(self.ways)
        self._at_least = self._masks(len(dice))

    def meeting(self, order: Order) -> int:
        """Return the set of rolls that meet `order`."""
        met = 0
        for need in needs(order, self.kinds):
            rolls = -1
            for kind, count in enumerate(counts(need, len(self.kinds))):
                if count:
                    rolls &= self._at_least[kind][count] if count < len(self._at_least[kind]) else 0
            met |= rolls
        return met

    def chance(self, order: Order) -> Fraction:
        """Return the chance that a roll meets `order`."""
        return self.weight(self.meeting(order))

    def weight(self, rolls: int) -> Fraction:
        """Return the chance that a roll is in the set `rolls`."""
        return Fraction(sum(ways for i, ways in enumerate(self.ways) if rolls >> i & 1), self.total)

    def _masks(self, dice: int) -> list[list[int]]:
        """Return for each kind and each count the set of rolls that show at least that many of the kind."""
        masks = [[0] * (dice + 1) for _ in self.kinds]
        for i, shown in enumerate(self.codes):
            for kind, count in enumerate(counts(shown, len(self.kinds))):
                for least in range(count + 1):
                    masks[kind][least] |= 1 << i
        return masks


@lru_cache(maxsize=64)
def rolls(dice: tuple[tuple[Kind, ...], ...], kinds: tuple[Kind, ...]) -> Rolls:
    """Return all that `dice` can show; results are cached."""
    return Rolls(dice, kinds)


def percent(chance: Fraction) -> int:
    """Return `chance` in percent as printed on cards: rounded, halves up."""
    return int(chance * 100 + Fraction(1, 2))
