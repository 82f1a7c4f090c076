"""What the rules alone decide, remembered from one decision to the next: how to plant, and what bo(h)nus cards lack."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from beanbot.duel import DuelRules
from beanbot.search.duelist.plots import EMPTY, Plots, Survey

# Plain tuples of numbers, since thousands are made in a match: they are quick to make, and no garbage collection looks
# into them.
Situation: TypeAlias = tuple[Plots, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""The fields, the bo(h)nus cards not fulfilled, how many cards the nearest field needs for each of these, and a key
that is the same whatever the order of the fields."""
Way: TypeAlias = tuple[float, Situation, int, bool]
"""A way to plant a card: dollars earned, the situation after it, the field, and whether that is harvested first."""

MAX_PLOTS = 1 << 12  # remembered from one match to the next


class Garden:
    """Knows the ways to plant under some rules.

    `dollars[kind][count]`: what a harvest earns. `most[kind]`: the most that it can earn. `worth[card]`: cents that a
    bo(h)nus card is worth.
    """

    def __init__(self, rules: DuelRules) -> None:
        self.kinds = rules.kinds
        self.number = {kind.name: i for i, kind in enumerate(rules.kinds)}
        self.dollars = tuple([tuple(map(kind.dollars, range(rules.cards + 1))) for kind in rules.kinds])
        self.most = tuple([row[-1] for row in self.dollars])
        self.worth = tuple([card.worth for card in rules.bohnus])
        self.survey = Survey(rules)
        self.ways = lru_cache(maxsize=1 << 12)(self._ways)

    def situation(self, plots: Plots, held: tuple[int, ...]) -> Situation:
        """Return the situation with the fields `plots` and the bo(h)nus cards `held`."""
        known = self.survey.plots
        rows = [known[plot].lacks for plot in plots]
        return plots, held, tuple([min([row[card] for row in rows]) for card in held]), (*sorted(plots), *held)

    def _ways(self, plots: Plots, held: tuple[int, ...], kind: int) -> tuple[Way, ...]:
        """Return the ways to plant a card of `kind`."""
        ways = []
        room = False
        for i, number in enumerate(plots):
            if number == EMPTY:
                if not room:
                    room = True
                    ways.append(self._way(plots, held, kind, i, harvest=False))
                continue
            plot = self.survey.plots[number]
            if 0 <= kind - plot.kind <= 1:
                if plot.count > 1 and self.dollars[plot.kind][plot.count] >= self.most[plot.kind]:
                    ways.append(self._way(plots, held, kind, i, harvest=True))
                ways.append(self._way(plots, held, kind, i, harvest=False))
        if not room:
            ways += [self._way(plots, held, kind, i, harvest=True) for i in self._may_harvest(plots)]
        return tuple(ways)

    def _may_harvest(self, plots: Plots) -> list[int]:
        """Return the fields that the bean protection rule allows to harvest."""
        counts = [self.survey.plots[plot].count for plot in plots]
        least = 2 if max(counts) > 1 else 1
        return [i for i, count in enumerate(counts) if count >= least]

    def _way(self, plots: Plots, held: tuple[int, ...], kind: int, i: int, *, harvest: bool) -> Way:
        before = self.survey.plots[plots[i]]
        gain = float(self.dollars[before.kind][before.count]) if harvest else 0.0
        number = self.survey.grown(EMPTY if harvest else plots[i], kind)
        if held:
            lacks = self.survey.plots[number].lacks
            for card in held:
                if not lacks[card]:
                    gain += self.worth[card] / 100
                    held = tuple([other for other in held if other != card])
        return gain, self.situation((*plots[:i], number, *plots[i + 1 :]), held), i, harvest


def garden_of(rules: DuelRules) -> Garden:
    """Return what is remembered of other matches under `rules`, or a new garden if that has become too much."""
    garden = _garden(rules)
    if len(garden.survey.plots) > MAX_PLOTS:
        _garden.cache_clear()
    return garden


_garden = lru_cache(maxsize=4)(Garden)
