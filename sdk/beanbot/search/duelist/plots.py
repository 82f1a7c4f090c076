"""Fields for planning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from beanbot.duel import Column, DuelRules

MAX_RUNS = 4  # the most that a bo(h)nus card asks for
MANY = 7  # missing cards are counted up to this

Plots: TypeAlias = tuple[int, ...]
"""Fields, each by its number in a `Survey`: numbers hash, compare and sort much faster than what they stand for."""

EMPTY = 0  # the number of the empty field


class Plot:
    """A field. Kinds are indices in the rules, rarest first."""

    __slots__ = ("count", "grown", "kind", "lacks", "runs")

    def __init__(self, kind: int, count: int, runs: tuple[int, ...], lacks: tuple[int, ...]) -> None:
        self.kind = kind
        """The kind planted last; -1 if it is empty."""
        self.count = count
        """The number of cards."""
        self.runs = runs
        """The last run lengths, at most `MAX_RUNS`."""
        self.lacks = lacks
        """How many cards it needs for each bo(h)nus card, at most `MANY`."""
        self.grown: dict[int, int] = {}
        """The plots that it has become by one more card, by its kind."""


class Survey:
    """All plots that were met under some rules, by their numbers."""

    def __init__(self, rules: DuelRules) -> None:
        self._kinds = {kind.name: i for i, kind in enumerate(rules.kinds)}
        self._sequences = [card.sequence for card in rules.bohnus]
        self._numbers: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._stride = rules.cards + 1
        self.plots: list[Plot] = []
        """The plots, by number."""
        self.at: list[int] = []
        """Where `Worth.of` has their values, by number."""
        self._number(-1, 0, ())  # EMPTY

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
    """Return how many cards a field needs to end with the `sequence` of a bo(h)nus card, without a harvest.

    `last`: the kind planted last, -1 if the field is empty; `runs`: its last run lengths; `kinds`: the number of kinds.
    At most `MANY`, also if it is impossible.
    """
    symbols = len(sequence)
    best = min(MANY, sum(sequence)) if last + symbols < kinds else MANY  # starting with the next kind
    for begun in range(1, min(symbols, len(runs)) + 1):  # or with this many of the last runs
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
