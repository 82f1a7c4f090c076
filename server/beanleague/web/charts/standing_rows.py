"""The rows of the standings, with what is drawn in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beanleague.web.charts.scale import Scale, rating_ends, rating_scale
from beanproto.v1.league_pb2 import Standing

Point = tuple[int, float]
"""A number of deals, and a rating."""

Path = Mapping[tuple[str, int], Sequence[Point]]
"""Per bot and version, its ratings, oldest first."""

_SPARK_WIDTH, _SPARK_HEIGHT = 96.0, 24.0
_MAX_POINTS = 60


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval on the common scale of all rows, 0 to 100."""

    left: float
    """Where it begins."""
    right: float
    """Where it ends."""
    at: float | None
    """Where the rating is; None if only a bound is known."""
    open_left: bool = False
    """It has no lower end."""
    open_right: bool = False
    """It has no upper end."""


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A row of the standings."""

    standing: Standing
    """The standing."""
    bar: Bar | None
    """Its interval; None if nothing is known."""
    spark: str
    """The points of its sparkline, for an SVG of 96 by 24; "" if there are too few."""
    move: int
    """Ranks gained since the visitors' last look; negative: lost."""


def rows(standings: Sequence[Standing], path: Path, before: Mapping[tuple[str, int], int]) -> list[StandingRow]:
    """Return the rows. `path`: ratings so far; `before`: earlier ranks."""
    ends = {standing.bot + str(standing.version): rating_ends(standing) for standing in standings if standing.rank}
    scale = rating_scale([end for both in ends.values() for end in both])
    return [
        StandingRow(
            standing,
            _bar(standing, scale) if standing.rank else None,
            _spark(path.get((standing.bot, standing.version), ())),
            before.get((standing.bot, standing.version), standing.rank) - standing.rank if standing.rank else 0,
        )
        for standing in standings
    ]


def _bar(standing: Standing, scale: Scale) -> Bar | None:
    low, high = rating_ends(standing)
    if low is None and high is None:
        return None
    return Bar(
        left=scale.at(scale.low if low is None else low),
        right=scale.at(scale.high if high is None else high),
        at=scale.at(standing.rating) if low is not None and high is not None else None,
        open_left=low is None,
        open_right=high is None,
    )


def _spark(points: Sequence[Point]) -> str:
    points = points[-_MAX_POINTS:]
    if len(points) < 2:
        return ""
    across = Scale(points[0][0], max(points[-1][0], points[0][0] + 1), 2, _SPARK_WIDTH - 2)
    down = rating_scale([rating for _, rating in points], _SPARK_HEIGHT - 3, 3)
    return " ".join(f"{across.at(deals)},{down.at(rating)}" for deals, rating in points)
