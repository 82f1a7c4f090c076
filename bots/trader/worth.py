"""What a field is worth: its dollars now, and a part of what it may still become."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from beanbot.bohnanza import CardRules, Kind, KindRule

# All measured: the first two are near what a regression of dollars still to come on the fields held says,
# in matches of this bot with itself; the others did best of those tried with nobody trading.
BECOMING = 0.6  # weight of what a field may become, when cards can be had by trading
START = 0.4  # dollars a field is worth less when its first card lies there, for what it keeps out
NEXT_DOLLAR = 0.6
NEARNESS = 1.5


@dataclass(frozen=True, slots=True)
class Worth:
    """For fields of `count` cards of `kind`: `of[kind][count]`, and what a harvest earns, `dollars[kind][count]`.

    Both go one card beyond what there is of a kind. A field that earns all it can is worth just that.
    """

    of: dict[Kind, tuple[float, ...]]
    dollars: dict[Kind, tuple[int, ...]]


@cache
def worth(rules: CardRules, hope: float, *, trading: bool) -> Worth:
    """Return the worth of fields. `hope`: 1, and less towards the end. `trading`: whether somebody trades with us."""
    row = _with_trade if trading else _alone
    counts = {kind: range(kind.cards + 2) for kind in rules.kinds}
    return Worth(
        of={kind.name: tuple(row(kind, count, hope) for count in counts[kind]) for kind in rules.kinds},
        dollars={kind.name: tuple(map(kind.dollars, counts[kind])) for kind in rules.kinds},
    )


def _with_trade(kind: KindRule, count: int, hope: float) -> float:
    """Every card up to the last that earns is worth the same, as traders bring what is missing."""
    most = kind.dollars(kind.cards)
    cards = max(kind.beanometer)
    if not 0 < count < cards:
        return kind.dollars(count)
    becoming = (most + START) * count / cards - START
    return kind.dollars(count) + BECOMING * hope * (becoming - kind.dollars(count))


def _alone(kind: KindRule, count: int, hope: float) -> float:
    """A card is worth the more, the nearer the next dollar is."""
    dollars = kind.dollars(count)
    after = min((least for least in kind.beanometer if least > count), default=0)
    if not count or not after:
        return dollars
    before = max((least for least in kind.beanometer if 0 < least <= count), default=0)
    more = kind.dollars(after) - dollars
    nearness: float = ((count - before) / (after - before)) ** NEARNESS
    return dollars + NEXT_DOLLAR * hope * more * nearness
