"""The ratings of a picture: a point for each bot with its 95 % interval, or an arrow for a bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from beanleague.cli.views.plot.looks import Look
from beanleague.cli.views.ratings import rating_range
from beanproto.v1.league_pb2 import PastRating, Standing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MIN_WIDTH_ELO = 20.0
_ARROW_SHARE = 0.15  # of the width of all ratings, for those without an end


def draw_bars(axes: Axes, bots: Sequence[Standing], looks: Sequence[Look]) -> None:
    """Draw the ratings of `bots`, the first on top."""
    ranges = [rating_range(standing) for standing in bots]
    ends = [end for both in ranges for end in both if end is not None] or [0.0]
    arrow = max(max(ends) - min(ends), _MIN_WIDTH_ELO) * _ARROW_SHARE
    for place, (standing, style, (low, high)) in enumerate(zip(bots, looks, ranges, strict=True)):
        elo = known(standing)
        axes.errorbar(
            [math.nan if elo is None else elo],
            [place],
            xerr=[standing.interval if standing.HasField("interval") else arrow],
            xlolims=[low is not None and high is None],
            xuplims=[low is None and high is not None],
            fmt=style.marker,
            color=style.colour,
            markerfacecolor=style.filling,
            capsize=3,
        )
    axes.set_yticks(range(len(bots)), [style.name for style in looks])
    axes.set_ylim(len(bots) - 0.5, -0.5)
    axes.set_title("Ratings")
    axes.set_xlabel("Elo with 95 % interval or bound (?: provisional)")
    axes.grid(axis="x", alpha=0.3)


def known(rating: Standing | PastRating) -> float | None:
    """Return a rating, or the bound of one that has only that; None if nothing is known."""
    if rating.HasField("least"):
        return rating.least
    if rating.HasField("most"):
        return rating.most
    return rating.rating if rating.HasField("interval") else None
