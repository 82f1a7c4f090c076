"""Fields as plain tuples, to be planted in thought."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from beanbot.duel import Column, Kind

Plot: TypeAlias = tuple[int, int, tuple[int, ...]]
"""The kind planted last, by number from the rarest on (-1 in an empty field), how many cards, and the last runs."""

Plots: TypeAlias = tuple[Plot, ...]

EMPTY: Plot = (-1, 0, ())
MOST_RUNS = 4  # no bo(h)nus card asks for more
NEVER = 99


def plot_of(column: Column, number: dict[Kind, int]) -> Plot:
    """Return `column` as a plot."""
    if column.last is None:
        return EMPTY
    return number[column.last], len(column.cards), column.runs[-MOST_RUNS:]


def grown(plot: Plot, kind: int) -> Plot:
    """Return `plot` with one more card of `kind`."""
    last, count, runs = plot
    if last == kind:
        return kind, count + 1, (*runs[:-1], runs[-1] + 1)
    return kind, count + 1, (*runs[1 - MOST_RUNS :], 1)


def fits(plot: Plot, kind: int) -> bool:
    """Return whether `kind` may be planted in `plot`: the same kind, the next one, or the first card."""
    return plot[0] < 0 or 0 <= kind - plot[0] <= 1


def may_harvest(plots: Plots) -> list[int]:
    """Return the fields that the bean protection rule lets one harvest."""
    counts = [count for _, count, _ in plots]
    least = 2 if max(counts) > 1 else 1
    return [i for i, count in enumerate(counts) if count >= least]


def with_plot(plots: Plots, i: int, plot: Plot) -> Plots:
    """Return `plots` with `plot` in place `i`."""
    return (*plots[:i], plot, *plots[i + 1 :])


def missing(plot: Plot, sequence: Sequence[int], kinds: int) -> int:
    """Return how many cards `plot` lacks to end with `sequence` of a bo(h)nus card, without being harvested.

    `kinds`: how many there are. `NEVER` if it cannot come to that.
    """
    last, _, runs = plot
    symbols = len(sequence)
    best = sum(sequence) if last + symbols < kinds else NEVER  # begun with the next kind
    for begun in range(1, min(symbols, len(runs)) + 1):  # or with the last so many runs that are there
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
