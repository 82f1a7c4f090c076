"""Orders of harvest cards: requirements, notation, and the beans that meet them.

"soy|green + 2 of garden|red" asks for a soy or a green bean and for two more dice that show garden or red.
"2 green or 2 soy" has two alternatives. A kind without a number stands for one bean.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, product
from math import prod
from typing import TypeAlias

from beanleague.games.core.game import Kind, brief
from beanleague.games.core.values import dataclass

Slot: TypeAlias = tuple[Kind, ...]
"""Kinds that a die may show to fill this slot of an order."""

Alternative: TypeAlias = tuple[Slot, ...]
"""One way to meet an order: slots, each filled by a different die."""

Code: TypeAlias = int
"""A set of beans as one number: each hexadecimal digit is the count of a kind."""

MAX_WAYS = 128  # maximum ways to fill the slots of an order; bounds the time for a submitted deck

_TERM = re.compile(r"(?:([0-9]{1,3}) +(?:of +)?)?([a-z_]+(?: *\| *[a-z_]+)*)")


@dataclass(frozen=True, slots=True)
class Order:
    """An order on a harvest card; met if, for one alternative, each slot can be given a different die."""

    alternatives: tuple[Alternative, ...]
    """Ways to meet the order; any one suffices."""

    def __str__(self) -> str:
        groups = (groupby(alternative) for alternative in self.alternatives)
        return " or ".join(" + ".join(_slots_text(slot, len([*same])) for slot, same in each) for each in groups)


def parse_order(text: str, kinds: Iterable[Kind], most_dice: int) -> Order:
    """Return the order written as `text`, in beans of `kinds` for at most `most_dice` dice.

    Raises:
        ValueError: if `text` is not such an order; the message gives the reason.
    """
    known = tuple(kinds)
    parts = " ".join(text.split()).split(" or ")
    alternatives = tuple(_parse_alternative(part, known, most_dice) for part in parts)
    ways = sum(prod(map(len, alternative)) for alternative in alternatives)
    if ways > MAX_WAYS:
        raise ValueError(f"its slots can be filled in {ways} ways; the maximum is {MAX_WAYS}")
    return Order(alternatives)


def code(beans: Iterable[Kind], kinds: tuple[Kind, ...]) -> Code:
    """Return `beans` as a code; its hexadecimal digit i, from the right, counts `kinds[i]`."""
    return sum(1 << 4 * kinds.index(kind) for kind in beans)


def counts(beans: Code, kinds: int) -> tuple[int, ...]:
    """Return the number of beans of each kind in the code `beans`, for `kinds` kinds."""
    return tuple(beans >> 4 * kind & 15 for kind in range(kinds))


@lru_cache(maxsize=4096)
def needs(order: Order, kinds: tuple[Kind, ...]) -> tuple[Code, ...]:
    """Return the minimal codes that meet `order`, ascending: beans meet it if they cover one of these."""
    found = sorted({code(beans, kinds) for alternative in order.alternatives for beans in product(*alternative)})
    return tuple(need for need in found if not any(other != need and covers(need, other) for other in found))


def covers(beans: Code, need: Code) -> bool:
    """Return whether the code `beans` has at least as many of each kind as `need`; counts are at most 7."""
    return (beans | _GUARDS) - need & _GUARDS == _GUARDS


_GUARDS = 0x8888_8888  # guard bits: a borrow from a digit clears its highest bit; room for eight kinds


def _parse_alternative(text: str, known: tuple[Kind, ...], most_dice: int) -> Alternative:
    slots: list[Slot] = []
    for part in text.split("+"):
        found = _TERM.fullmatch(part.strip())
        if not found:
            raise ValueError(f"{brief(part.strip())} cannot be read; write it like '2 blue' or '2 of garden|red'")
        slot = tuple(_kind(name.strip(), known) for name in found[2].split("|"))
        if len(set(slot)) < len(slot):
            raise ValueError(f"{brief(part.strip())} names a kind twice")
        number = int(found[1]) if found[1] else 1
        if not 1 <= number <= most_dice:
            raise ValueError(f"{brief(part.strip())} must ask for 1 to {most_dice} dice")
        slots += [slot] * number
    if len(slots) > most_dice:
        raise ValueError(f"{brief(text.strip())} asks for {len(slots)} dice; there are {most_dice}")
    return tuple(slots)


def _kind(name: str, known: tuple[Kind, ...]) -> Kind:
    for kind in known:
        if kind == name:
            return kind
    raise ValueError(f"{brief(name)} is not on these dice; there are: {', '.join(known)}")


def _slots_text(slot: Slot, number: int) -> str:
    kinds = "|".join(slot)
    if number == 1:
        return kinds
    return f"{number} of {kinds}" if len(slot) > 1 else f"{number} {kinds}"


class Rolls:
    """All possible results of rolling some dice. `dice`: the faces of each die.

    A set of rolls is a bit mask: bit i stands for the roll `codes[i]`, which comes up in `ways[i]` of `total` ways.
    """

    def __init__(self, dice: Sequence[tuple[Kind, ...]], kinds: tuple[Kind, ...]) -> None:
        rolls: dict[Code, int] = {0: 1}
        for faces in dice:
            more: defaultdict[Code, int] = defaultdict(int)
            for rolled, ways in rolls.items():
                for kind in faces:
                    more[rolled + (1 << 4 * kinds.index(kind))] += ways
            rolls = more
        self.kinds = kinds
        self.codes = tuple(sorted(rolls))
        self.ways = tuple(rolls[rolled] for rolled in self.codes)
        self.total = sum(self.ways)
        self._at_least = self._masks(len(dice))

    def meeting(self, order: Order) -> int:
        """Return the set of rolls that meet `order`, as a bit mask."""
        met = 0
        for need in needs(order, self.kinds):
            rolls = -1
            for kind, count in enumerate(counts(need, len(self.kinds))):
                if count:
                    rolls &= self._at_least[kind][count] if count < len(self._at_least[kind]) else 0
            met |= rolls
        return met

    def chance(self, order: Order) -> Fraction:
        """Return the probability that a roll meets `order`."""
        return self.weight(self.meeting(order))

    def weight(self, rolls: int) -> Fraction:
        """Return the probability that a roll is in the set `rolls`."""
        return Fraction(sum(ways for i, ways in enumerate(self.ways) if rolls >> i & 1), self.total)

    def _masks(self, dice: int) -> list[list[int]]:
        """Return for each kind and each count the set of rolls that show at least that many of the kind."""
        masks = [[0] * (dice + 1) for _ in self.kinds]
        for i, rolled in enumerate(self.codes):
            for kind, count in enumerate(counts(rolled, len(self.kinds))):
                for least in range(count + 1):
                    masks[kind][least] |= 1 << i
        return masks


@lru_cache(maxsize=64)
def rolls(dice: tuple[tuple[Kind, ...], ...], kinds: tuple[Kind, ...]) -> Rolls:
    """Return all possible results of rolling `dice`; cached."""
    return Rolls(dice, kinds)


def percent(chance: Fraction) -> int:
    """Return a probability in percent as printed on cards: rounded, halves up."""
    return int(chance * 100 + Fraction(1, 2))
