"""What fields and bo(h)nus cards are worth at one moment, in dollars."""

from __future__ import annotations

from functools import lru_cache

from beanbot.duel import DuelRules, DuelView

BECOMING = 0.6  # weight of what a field may become
HOPE = 1.0  # own turns after which half of the hope is gone
COMING = (1.0, 0.4, 0.25, 0.15, 0.1, 0.06, 0.03)  # part of a bo(h)nus card's worth, by how many cards are missing
ELSEWHERE = 0.4  # the same for fields of the other, who may do anything with them


class Worth:
    """Values the fields of a player who has `hope`: near 1 at the start, 0 when only what can be harvested counts.

    Kinds are numbers from the rarest on. `of[kind][count]`: of a field. `dollars[kind][count]`: of a harvest now;
    `most[kind]`: the most it can be.
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
        """Return what part of a bo(h)nus card's worth it promises when a field lacks so many cards."""
        return self._coming[lacks] if lacks < len(self._coming) else 0.0

    def _field(self, kind: int, full: int, count: int, hope: float) -> float:
        dollars = self.dollars[kind][count]
        becoming = self.most[kind] * min(count, full) / full
        return dollars + BECOMING * hope * (becoming - dollars)


def worth_now(view: DuelView) -> Worth:
    """Return the worth of things in the situation of `view`."""
    rules = view.rules
    own_turns = view.pile / (rules.turned + rules.draws) / 2
    return _worth(rules, round(own_turns / (own_turns + HOPE), 2))


_worth = lru_cache(maxsize=256)(Worth)
