"""Fields for planning: transitions by the rules, and values in a situation.

Fields are numbered, and ways to plant and cards lacking for bo(h)nus cards are cached across decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from beanbot.duel import Column, DuelRules, DuelView

MAX_RUNS = 4  # maximum runs in the sequence of a bo(h)nus card
MANY = 7  # upper limit when counting missing cards

Plots: TypeAlias = tuple[int, ...]
"""Fields by their numbers in a `Survey`: integers hash, compare and sort much faster than fields."""

EMPTY = 0  # number of the empty field


class Plot:
    """A field of the duel. Kinds are indices in the rules, rarest first."""

    __slots__ = ("count", "grown", "kind", "lacks", "runs")

    def __init__(self, kind: int, count: int, runs: tuple[int, ...], lacks: tuple[int, ...]) -> None:
        self.kind = kind
        """The kind planted last; -1 if it is empty."""
        self.count = count
        """The number of cards."""
        self.runs = runs
        """The lengths of the last runs, at most `MAX_RUNS`."""
        self.lacks = lacks
        """Per bo(h)nus card the number of cards it still needs, at most `MANY`."""
        self.grown: dict[int, int] = {}
        """Numbers of the plots after one more card, by its kind."""


class Survey:
    """Table of all plots met under some rules, by number."""

    def __init__(self, rules: DuelRules) -> None:
        self._kinds = {kind.name: i for i, kind in enumerate(rules.kinds)}
        self._sequences = [card.sequence for card in rules.bohnus]
        self._numbers: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._stride = rules.cards + 1
        self.plots: list[Plot] = []
        """The plots, by number."""
        self.at: list[int] = []
        """Index into `DuelWorth.of`, by number."""
        self._number(-1, 0, ())  # field EMPTY gets number 0

    def of(self, fields: tuple[Column, ...]) -> Plots:
        """Return the numbers of `fields`."""
        kinds = self._kinds
        return tuple(
            [
                self._number(kinds[field.last], len(field.cards), field.runs[-MAX_RUNS:]) if field.last else EMPTY
                for field in fields
            ]
        )

    def grown(self, number: int, kind: int) -> int:
        """Return the plot `number` with one more card of `kind`."""
        plot = self.plots[number]
        grown = plot.grown.get(kind)
        if grown is None:
            runs = plot.runs
            runs = (*runs[:-1], runs[-1] + 1) if plot.kind == kind else (*runs[1 - MAX_RUNS :], 1)
            grown = plot.grown[kind] = self._number(kind, plot.count + 1, runs)
        return grown

    def _number(self, kind: int, count: int, runs: tuple[int, ...]) -> int:
        number = self._numbers.get((kind, count, runs))
        if number is None:
            number = self._numbers[kind, count, runs] = len(self.plots)
            lacks = tuple([missing(kind, runs, sequence, len(self._kinds)) for sequence in self._sequences])
            self.at.append(max(0, kind) * self._stride + count)
            self.plots.append(Plot(kind, count, runs, lacks))
        return number


def missing(last: int, runs: tuple[int, ...], sequence: Sequence[int], kinds: int) -> int:
    """Return how many more cards a field needs for a bo(h)nus card's `sequence`, without a harvest.

    `last`: kind planted last, -1 if the field is empty; `runs`: lengths of its last runs; `kinds`: number of kinds.
        Returns at most `MANY`, which also stands for impossible.
    """
    symbols = len(sequence)
    # if the sequence starts with the next kind planted
    best = min(MANY, sum(sequence)) if last + symbols < kinds else MANY
    for begun in range(1, min(symbols, len(runs)) + 1):  # if the sequence starts with this many of the last runs
        if last + symbols - begun >= kinds:
            continue
        tail = runs[-begun:]
        if begun == 1:
            lacks = max(0, sequence[0] - tail[0])
        elif tail[0] >= sequence[0] and tail[1:-1] == sequence[1 : begun - 1] and tail[-1] <= sequence[begun - 1]:
            lacks = sequence[begun - 1] - tail[-1]
        else:
            continue
        best = min(best, lacks + sum(sequence[begun:]))
    return best


# Plain tuples of numbers, since thousands are made in a match: they are quick to create, and the garbage collector does
# not scan them.
Situation: TypeAlias = tuple[Plots, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""State of a seat: the fields; the bo(h)nus cards not fulfilled; for each of these, how many cards the nearest field
lacks; and a key that does not depend on the order of fields."""
Way: TypeAlias = tuple[float, Situation, int, bool]
"""A way to plant a card: dollars earned, the resulting situation, the field, and whether it is harvested first."""

MAX_PLOTS = 1 << 12  # number of plots remembered from one match to the next


class Garden:
    """Ways to plant under some rules, cached.

    `dollars[kind][count]`: earnings of a harvest. `most[kind]`: the highest of them. `worth[card]`: value of a bo(h)nus
    card in cents.
    """

    def __init__(self, rules: DuelRules) -> None:
        self.kinds = rules.kinds
        self.number = {kind.name: i for i, kind in enumerate(rules.kinds)}
        self.dollars = tuple([tuple(map(kind.dollars, range(rules.cards + 1))) for kind in rules.kinds])
        self.most = tuple([row[-1] for row in self.dollars])
        self.worth = tuple([card.worth for card in rules.bohnus])
        self.survey = Survey(rules)
        self.ways = lru_cache(maxsize=1 << 12)(self._ways)
        self._rules = rules

    def __reduce__(self) -> tuple[Callable[[DuelRules], Garden], tuple[DuelRules]]:
        """Let copies of a bot share the cache, whose `ways` refer to plots by this garden's numbers."""
        return garden_of, (self._rules,)

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
    """Return the garden of earlier matches under `rules`; one that has grown too large is dropped from the cache."""
    garden = _garden(rules)
    if len(garden.survey.plots) > MAX_PLOTS:
        _garden.cache_clear()
    return garden


_garden = lru_cache(maxsize=4)(Garden)


BECOMING = 0.6  # weight of a field's possible later earnings
HALF_HOPE_TURNS = 1.0  # number of the seat's turns left at which `hope` is one half
COMING = (1.0, 0.4, 0.25, 0.15, 0.1, 0.06, 0.03)  # weight of a bo(h)nus card by the number of cards missing
ELSEWHERE = 0.4  # factor of a bo(h)nus card's weight for fields of the opponent, who may harvest them

assert len(COMING) == MANY


class DuelWorth:
    """Values fields. `hope`: weight of later dollars, near 1 at the start and 0 at the end of the game.

    `of[Survey.at[plot]]`: the value of a field. `coming[lacks]`: the weight of a bo(h)nus card for which a field needs
    `lacks` more cards, at most `MANY`.
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
    """Return the values for the situation of `view`."""
    own_turns = view.pile / (view.rules.turned + view.rules.draws) / 2
    return _worth(garden, round(own_turns / (own_turns + HALF_HOPE_TURNS), 2))


_worth = lru_cache(maxsize=256)(DuelWorth)
