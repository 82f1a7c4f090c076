"""From values to positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from beanproto.v1.league_pb2 import PastRating, Standing

_MIN_ELO = 40.0
_MARGIN = 0.06


@dataclass(frozen=True, slots=True)
class Scale:
    """A line from `low` to `high`, drawn from `start` to `end`."""

    low: float
    """The value at `start`."""
    high: float
    """The value at `end`."""
    start: float = 0.0
    """The position of `low`."""
    end: float = 100.0
    """The position of `high`."""

    def at(self, value: float) -> float:
        """Return the position of a value, within the line."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + (self.end - self.start) * min(1.0, max(0.0, share)), 2)

    def ticks(self, most: int = 6) -> list[float]:
        """Return round values along the line, at most about `most`."""
        raw = (self.high - self.low) / most
        unit = 10.0 ** floor(log10(raw))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw)
        return [step * n for n in range(ceil(self.low / step), floor(self.high / step) + 1)]


def rating_ends(rated: Standing | PastRating) -> tuple[float | None, float | None]:
    """Return the ends of what a rating may be with 95 % confidence; None where it has none."""
    if rated.HasField("interval"):
        return rated.rating - rated.interval, rated.rating + rated.interval
    return rated.least if rated.HasField("least") else None, rated.most if rated.HasField("most") else None


def rating_scale(values: Iterable[float | None], start: float = 0.0, end: float = 100.0) -> Scale:
    """Return a scale for these ratings, with a margin; None is left out."""
    known = [value for value in values if value is not None] or [1500.0]
    low, high = min(known), max(known)
    middle, width = (low + high) / 2, max(high - low, _MIN_ELO) * (1 + 2 * _MARGIN)
    return Scale(middle - width / 2, middle + width / 2, start, end)
