"""Values of fields and hands in dollars: earnings now, and part of the possible later earnings.

A field is a pair of kind and number of cards, and fields are a tuple of such pairs (`Fields`): hashable, since a match
weighs the same fields again and again.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from math import sqrt
from typing import TypeAlias

from beanleague.games import Kind, KindRule
from beanleague.games.bohnanza import BohnanzaView, CardRules, Field

Fields: TypeAlias = tuple[tuple[Kind | None, int], ...]
"""Fields of a seat: kind and number of cards in each; (None, 0) if empty."""

Cards: TypeAlias = tuple[Kind, ...]
"""Cards by kind, in planting order: the first card of a hand is planted first."""

REMEMBERED = 8192
"""Number of results that each cached function of this package keeps."""

# BECOMING and START are near the coefficients of a regression of later dollars on fields, in self-play of `Trader`;
# NEXT_DOLLAR did best of several values tried in games without trading.
BECOMING = 0.6  # weight of possible later earnings if others trade
START = 0.4  # cost in dollars of starting a kind, since the field is closed to others
NEXT_DOLLAR = 0.6  # weight of the next dollar if nobody trades

SMALL_LOSS = 0.05
"""Maximum loss of value, in dollars, for planting a second card; best of several values tried in matches against each
other."""

LAST_TURNS = 0.75  # number of turns left at which `hope` is one half
HOPE_STEPS = 16  # number of steps of `hope`, kept low so that few tables of values are computed

# Weight of a hand card by position, times the value that it adds when planted: cards far back are planted late.
POSITION_WEIGHTS = (0.9, 0.8, 0.72, 0.65, 0.58, 0.52, 0.47, 0.42, 0.38, 0.34)


class Worth:
    """Values of fields by kind and number of cards, up to one card more than there are of a kind.

    Immutable by convention, and equal only to itself, so that it is a fast key of caches. It is not a dataclass, since
    creating one would double the time to import this module.
    """

    __slots__ = ("dollars", "full", "of")

    of: dict[Kind, tuple[float, ...]]
    """`of[kind][count]`: the value of a field, in dollars."""
    dollars: dict[Kind, tuple[int, ...]]
    """`dollars[kind][count]`: the dollars from harvesting a field now."""
    full: dict[Kind, int]
    """Number of cards of a kind at which a field earns its maximum."""

    def __init__(
        self, of: dict[Kind, tuple[float, ...]], dollars: dict[Kind, tuple[int, ...]], full: dict[Kind, int]
    ) -> None:
        self.of = of
        self.dollars = dollars
        self.full = full


@cache
def worth_of(rules: CardRules, hope: float, *, trading: bool, becoming: float = BECOMING) -> Worth:
    """Return the values of fields.

    Args:
        rules: Rules of the table.
        hope: Weight of possible later earnings, 0 to 1; see `hope_of`.
        trading: Whether other seats trade, so that needed kinds can be obtained.
        becoming: Weight of possible later earnings if others trade.
    """

    def value(kind: KindRule, count: int) -> float:
        return worth_with_trade(kind, count, hope, becoming) if trading else worth_alone(kind, count, hope)

    counts = {kind: range(kind.cards + 2) for kind in rules.kinds}
    return Worth(
        of={kind.name: tuple(value(kind, count) for count in counts[kind]) for kind in rules.kinds},
        dollars={kind.name: tuple(map(kind.dollars, counts[kind])) for kind in rules.kinds},
        full={kind.name: max(kind.beanometer) for kind in rules.kinds},
    )


def worth_with_trade(kind: KindRule, count: int, hope: float = 1.0, becoming: float = BECOMING) -> float:
    """Return the value in dollars of a field of `count` cards when others trade.

    It grows linearly with the cards, up to the maximum that the kind can earn.
    """
    most = kind.dollars(kind.cards)
    cards = max(kind.beanometer)
    if not 0 < count < cards:
        return kind.dollars(count)
    promise = (most + START) * count / cards - START
    return kind.dollars(count) + becoming * hope * (promise - kind.dollars(count))


def worth_alone(kind: KindRule, count: int, hope: float = 1.0) -> float:
    """Return the value in dollars of a field of `count` cards when nobody trades.

    It is the field's current dollars plus a part of the next dollar: the share of the cards for it that are planted, to
    the power of 1.5, the best of several exponents.
    """
    dollars = kind.dollars(count)
    after = min((least for least in kind.beanometer if least > count), default=0)
    if not count or not after:
        return dollars
    before = max((least for least in kind.beanometer if 0 < least <= count), default=0)
    more = kind.dollars(after) - dollars
    share = (count - before) / (after - before)
    return dollars + NEXT_DOLLAR * hope * more * (share * sqrt(share))


def hope_of(view: BohnanzaView) -> float:
    """Return the weight of possible later earnings: 1, falling towards 0 in the last pass through the pile."""
    if view.run_outs < view.rules.run_outs - 1:
        return 1.0
    turns = turns_left(view)
    return round(turns / (turns + LAST_TURNS) * HOPE_STEPS) / HOPE_STEPS


def turns_left(view: BohnanzaView) -> float:
    """Estimate the turns left per player, assuming that each future pile has half of all cards."""
    rules = view.rules
    drawn = rules.turned + rules.draws * (rules.seats if rules.all_draw else 1)
    piles = max(0, rules.run_outs - 1 - view.run_outs)
    return (view.pile + piles * rules.cards / 2) / drawn / rules.seats


def fields_of(fields: Iterable[Field]) -> Fields:
    """Convert fields of a view, e.g. `view.own_fields`, to pairs of kind and number of cards."""
    return tuple([(field.kind, field.count) for field in fields])


def may_harvest(fields: Fields) -> list[int]:
    """Return the fields that the bean protection rule allows to harvest."""
    least = 2 if max([count for _, count in fields]) > 1 else 1
    return [i for i, (_, count) in enumerate(fields) if count >= least]


def total(fields: Fields, worth: Worth) -> float:
    """Return the value of `fields`."""
    of = worth.of
    value = 0.0  # a hot path: calling `float_sum` would be too slow
    for kind, count in fields:
        if kind:
            value += of[kind][count]
    return value


def loss(fields: Fields, i: int, worth: Worth) -> float:
    """Return the value lost if field `i` is harvested."""
    kind, count = fields[i]
    return worth.of[kind][count] - worth.dollars[kind][count] if kind else 0.0


@lru_cache(REMEMBERED)
def hand_worth(fields: Fields, hand: Cards, worth: Worth) -> float:
    """Return the expected value of the cards in `hand`; cards without a field count 0, as they can be traded away."""
    planted = dict(fields)
    empty = sum([kind is None for kind, _ in fields])
    room = min([loss(fields, i, worth) for i in may_harvest(fields)], default=0.0)
    promise = 0.0
    for card, weight in zip(hand, POSITION_WEIGHTS, strict=False):
        of = worth.of[card]
        count = planted.get(card, 0)
        adds = of[count + 1] - of[count]
        if not count:
            if empty:
                empty -= 1
            else:
                adds -= room
        planted[card] = count + 1
        if adds > 0:
            promise += adds * weight
    return promise
