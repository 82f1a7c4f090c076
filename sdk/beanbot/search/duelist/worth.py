"""The value of fields and bo(h)nus cards in one situation, in dollars."""

from __future__ import annotations

from functools import lru_cache

from beanbot.duel import DuelView
from beanbot.search.duelist.plots import MANY
from beanbot.search.duelist.ways import Garden

BECOMING = 0.6  # weight of what a field may still earn
HALF_HOPE_TURNS = 1.0  # with this many own turns left, `hope` is one half
COMING = (1.0, 0.4, 0.25, 0.15, 0.1, 0.06, 0.03)  # weight of a bo(h)nus card by the number of cards missing
ELSEWHERE = 0.4  # factor of this weight for fields of the opponent, who may harvest them

assert len(COMING) == MANY


class DuelWorth:
    """Values fields. `hope`: weight of later dollars, near 1 at the start and 0 at the end of the game.

    `of[Survey.at[plot]]`: the value of a field. `coming[lacks]`: the weight of a bo(h)nus card when a field needs
    `lacks` more cards for it, at most `MANY`.
    """

    def __init__(self, garden: Garden, hope: float) -> None:
        full = [max(kind.beanometer) for kind in garden.kinds]
        self.of = tuple(
            [
                self._field(dollars, most * min(count, cards) / cards, hope)
                for row, most, cards in zip(garden.dollars, garden.most, full, strict=True)
                for count, dollars in enumerate(row)
            ]
        )
        self.coming = (1.0, *[hope * part for part in COMING[1:]], 0.0)

    def _field(self, dollars: int, becoming: float, hope: float) -> float:
        return dollars + BECOMING * hope * (becoming - dollars)


def worth_now(garden: Garden, view: DuelView) -> DuelWorth:
    """Return the values in the situation of `view`."""
    own_turns = view.pile / (view.rules.turned + view.rules.draws) / 2
    return _worth(garden, round(own_turns / (own_turns + HALF_HOPE_TURNS), 2))


_worth = lru_cache(maxsize=256)(DuelWorth)
