"""A figure that was measured, and how figures are printed."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured quantity: a row of the table."""

    what: str
    """Name of the figure."""
    unit: str
    """The unit of `values`."""
    values: tuple[float, ...]
    """The value of each run."""
    aim: str = ""
    """The target, such as "< 10"; "" if none is set."""

    @property
    def median(self) -> float:
        return statistics.median(self.values)


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as lines of text: median, minimum and maximum of the runs."""
    rows = [("", "median", "min", "max", "unit", "aim")]
    rows += [(f.what, short(f.median), short(min(f.values)), short(max(f.values)), f.unit, f.aim) for f in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in {1, 2, 3} else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def as_json(figures: Sequence[Figure]) -> str:
    """Return the figures as JSON."""
    return json.dumps([{**asdict(figure), "median": figure.median} for figure in figures], indent=2)


def short(value: float) -> str:
    """Return a number with about three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
