"""The value of fields and bo(h)nus cards in one situation, in dollars."""

from __future__ import annotations

from functools import lru_cache

from beanbot.duel import DuelRules, DuelView

BECOMING = 0.6  # weight of what a field may still earn
HALF_HOPE_TURNS = 1.0  # with this many own turns left, `hope` is one half
COMING = (1.0, 0.4, 0.25, 0.15, 0.1, 0.06, 0.03)  # weight of a bo(h)nus card by the number of cards missing
ELSEWHERE = 0.4  # factor of this weight for fields of the opponent, who may harvest them


class Worth:
    """Values fields. `hope`: weight of later dollars, near 1 at the start and 0 at the end of the game.

    Kinds are indices in the rules, rarest first. `of[kind][count]`: the value of a field. `dollars[kind][count]`: what
    a harvest earns now. `most[kind]`: the most it can earn.
    """

    def __init__(self, rules: DuelRules, hope: float) -> None:
        self.kinds = len(rules.kinds)
        self.number = {kind.name: i for i, kind in enumerate(rules.kinds)}
        cards = range(rules.cards + 1)
        self.dollars = tuple(tuple(map(kind.dollars, cards)) for kind in rules.kinds)
        self.most = tuple(row[-1] for row in self.dollars)
        self.of = tuple(
            tuple(self._field(kind, max(rules.kinds[kind].beanometer), count, hope) for count in cards)
            for kind in range(self.kinds)
        )
        self._coming = (1.0, *(hope * part for part in COMING[1:]))

    def nearness(self, lacks: int) -> float:
        """Return the weight of a bo(h)nus card when a field needs `lacks` more cards for it."""
        return self._coming[lacks] if lacks < len(self._coming) else 0.0

    def _field(self, kind: int, full: int, count: int, hope: float) -> float:
        dollars = self.dollars[kind][count]
        becoming = self.most[kind] * min(count, full) / full
        return dollars + BECOMING * hope * (becoming - dollars)


def worth_now(view: DuelView) -> Worth:
    """Return the values in the situation of `view`."""
    rules = view.rules
    own_turns = view.pile / (rules.turned + rules.draws) / 2
    return _worth(rules, round(own_turns / (own_turns + HALF_HOPE_TURNS), 2))


_worth = lru_cache(maxsize=256)(Worth)
