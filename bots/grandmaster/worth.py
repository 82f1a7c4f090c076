"""The value of a field by formula: the dollars it earns now, and part of what it may still earn. As in `trader`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from beanbot.bohnanza import BohnanzaView, CardRules, Kind, KindRule

BECOMING = 0.6  # weight of what a field may still earn, when cards can be had by trading
START = 0.4  # dollars of value that a new kind costs, because it keeps out other kinds
NEXT_DOLLAR = 0.6  # weight of the next dollar, when nobody trades
NEARNESS = 1.5  # exponent: the higher, the less counts a dollar that is far


@dataclass(
    frozen=True, slots=True, eq=False
)  # equal if the same, so that it is quick to look up what was computed with it
class Worth:
    """Values of fields by kind and number of cards, up to one card more than there are of a kind."""

    of: dict[Kind, tuple[float, ...]]
    """`of[kind][count]`: the value of a field, in dollars."""
    dollars: dict[Kind, tuple[int, ...]]
    """`dollars[kind][count]`: the dollars that harvesting it earns now."""
    full: dict[Kind, int]
    """The number of cards of a kind from which on a field earns no more."""


@cache
def worth(rules: CardRules, hope: float, *, trading: bool) -> Worth:
    """Return the values of fields. `hope`: 1, and less towards the end. `trading`: whether other seats trade."""
    row = _with_trade if trading else _alone
    counts = {kind: range(kind.cards + 2) for kind in rules.kinds}
    return Worth(
        of={kind.name: tuple(row(kind, count, hope) for count in counts[kind]) for kind in rules.kinds},
        dollars={kind.name: tuple(map(kind.dollars, counts[kind])) for kind in rules.kinds},
        full={kind.name: max(kind.beanometer) for kind in rules.kinds},
    )


def _with_trade(kind: KindRule, count: int, hope: float) -> float:
    """Return the value when cards can be traded for: each card that can still earn counts the same."""
    most = kind.dollars(kind.cards)
    cards = max(kind.beanometer)
    if not 0 < count < cards:
        return kind.dollars(count)
    becoming = (most + START) * count / cards - START
    return kind.dollars(count) + BECOMING * hope * (becoming - kind.dollars(count))


def _alone(kind: KindRule, count: int, hope: float) -> float:
    """Return the value when nobody trades: a card counts more if the next dollar is near."""
    dollars = kind.dollars(count)
    after = min((least for least in kind.beanometer if least > count), default=0)
    if not count or not after:
        return dollars
    before = max((least for least in kind.beanometer if 0 < least <= count), default=0)
    more = kind.dollars(after) - dollars
    nearness: float = ((count - before) / (after - before)) ** NEARNESS
    return dollars + NEXT_DOLLAR * hope * more * nearness


def turns_left(view: BohnanzaView) -> float:
    """Return an estimate of the turns left per player, assuming that each future pile has half of all cards."""
    rules = view.rules
    drawn = rules.turned + rules.draws * (rules.seats if rules.all_draw else 1)
    piles = max(0, rules.run_outs - 1 - view.run_outs)
    return (view.pile + piles * rules.cards / 2) / drawn / rules.seats
