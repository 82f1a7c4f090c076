"""Fields as plain tuples, for planning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from beanbot.duel import Column, Kind

Plot: TypeAlias = tuple[int, int, tuple[int, ...]]
"""The index of the kind planted last (-1 if empty), the number of cards, and the last run lengths."""

Plots: TypeAlias = tuple[Plot, ...]

EMPTY: Plot = (-1, 0, ())
MAX_RUNS = 4  # the most that a bo(h)nus card asks for
NEVER = 99  # cards missing from a sequence that cannot be reached


def plot_of(column: Column, number: dict[Kind, int]) -> Plot:
    """Return `column` as a plot."""
    if column.last is None:
        return EMPTY
    return number[column.last], len(column.cards), column.runs[-MAX_RUNS:]


def grown(plot: Plot, kind: int) -> Plot:
    """Return `plot` with one more card of `kind`."""
    last, count, runs = plot
    if last == kind:
        return kind, count + 1, (*runs[:-1], runs[-1] + 1)
    return kind, count + 1, (*runs[1 - MAX_RUNS :], 1)


def fits(plot: Plot, kind: int) -> bool:
    """Return whether `kind` may be planted in `plot`: on the same kind, on the kind below, or in an empty field."""
    return plot[0] < 0 or 0 <= kind - plot[0] <= 1


def may_harvest(plots: Plots) -> list[int]:
    """Return the fields that the bean protection rule allows to harvest."""
    counts = [count for _, count, _ in plots]
    least = 2 if max(counts) > 1 else 1
    return [i for i, count in enumerate(counts) if count >= least]


def with_plot(plots: Plots, i: int, plot: Plot) -> Plots:
    """Return `plots` with `plot` in place `i`."""
    return (*plots[:i], plot, *plots[i + 1 :])


def missing(plot: Plot, sequence: Sequence[int], kinds: int) -> int:
    """Return how many cards `plot` needs to end with the `sequence` of a bo(h)nus card, without a harvest.

    `kinds`: the number of kinds. `NEVER` if it is impossible.
    """
    last, _, runs = plot
    symbols = len(sequence)
    best = sum(sequence) if last + symbols < kinds else NEVER  # starting with the next kind
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
