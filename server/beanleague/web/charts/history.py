"""The ratings of a league over its deals: a line and a band for each bot, and its name at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2

from beanleague.names import format_bot
from beanleague.web.charts.scale import Scale, rating_ends, rating_scale
from beanproto.v1.league_pb2 import PastRating, RatingSnapshot, Standing

WIDTH, LABELS, LEFT, TOP, BOTTOM = 960.0, 190.0, 52.0, 12.0, 34.0
"""Of the picture, in its own units: its width, the room for names, and the margins."""

_LINE = 17.0  # height of a name
_MIN_HEIGHT = 360.0
_NOISY = 3  # the first points are left out, until their intervals are this many times those of the last
_STYLES = 8  # colours; then come dashes


@dataclass(frozen=True, slots=True)
class Line:
    """The history of a bot."""

    name: str
    """"name@version"."""
    bot: str
    """The bot."""
    style: int
    """Its colour, from 0; lines of later bots are dashed too."""
    dashed: bool
    """Whether it is dashed."""
    points: str
    """The line."""
    band: str
    """The band of its 95 % intervals, a polygon; "" if it has none."""
    end: float
    """Height of the last point."""
    label: float
    """Height of the name, near `end`."""
    provisional: bool
    """The rating is not reliable yet."""
    suspended: bool
    """The bot is suspended."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of a history."""

    height: float
    """Its height."""
    lines: Sequence[Line]
    """Best first."""
    across: Sequence[tuple[float, str]]
    """Ticks of the deals: position and label."""
    down: Sequence[tuple[float, str]]
    """Ticks of the ratings."""


def history_chart(standings: Sequence[Standing], history: Sequence[RatingSnapshot]) -> Chart | None:
    """Return the picture; None if there are not two points to draw a line between."""
    snapshots = _reliable([snapshot for snapshot in history if snapshot.deals])
    if len(snapshots) < 2:
        return None
    ranked = [standing for standing in standings if standing.rank]
    height = max(_MIN_HEIGHT, TOP + BOTTOM + _LINE * len(ranked))
    across = Scale(log2(snapshots[0].deals), log2(snapshots[-1].deals), LEFT, WIDTH - LABELS)
    values = [
        end for snapshot in snapshots for rating in snapshot.ratings for end in (rating.rating, *rating_ends(rating))
    ]
    down = rating_scale(values, height - BOTTOM, TOP)
    lines = [_line(standing, number, snapshots, across, down) for number, standing in enumerate(ranked)]
    found = [line for line in lines if line]
    return Chart(
        height,
        _spread(found, TOP + _LINE / 2, height - BOTTOM),
        [(across.at(log2(snapshot.deals)), f"{snapshot.deals:,}") for snapshot in _apart(snapshots, across)],
        [(down.at(tick), f"{tick:.0f}") for tick in down.ticks()],
    )


def _reliable(snapshots: Sequence[RatingSnapshot]) -> Sequence[RatingSnapshot]:
    """Leave out the first snapshots, whose intervals are so wide that nothing else could be seen."""
    if not snapshots:
        return snapshots
    limit = _NOISY * _width(snapshots[-1])
    first = next((number for number, snapshot in enumerate(snapshots) if 0 < _width(snapshot) <= limit), None)
    kept = snapshots[first:] if first is not None else snapshots
    return kept if len(kept) > 1 else snapshots[-2:]


def _width(snapshot: RatingSnapshot) -> float:
    """Return the median half width of the intervals; 0 if there are none."""
    widths = sorted(rating.interval for rating in snapshot.ratings if rating.HasField("interval") and rating.interval)
    return widths[len(widths) // 2] if widths else 0.0


def _apart(snapshots: Sequence[RatingSnapshot], across: Scale) -> Sequence[RatingSnapshot]:
    """Return those whose labels do not touch, the last among them."""
    kept: list[RatingSnapshot] = []
    for snapshot in reversed(snapshots):
        if not kept or across.at(log2(kept[-1].deals)) - across.at(log2(snapshot.deals)) > 56:
            kept.append(snapshot)
    return kept


def _line(
    standing: Standing, number: int, snapshots: Sequence[RatingSnapshot], across: Scale, down: Scale
) -> Line | None:
    past: list[tuple[float, PastRating]] = [
        (across.at(log2(snapshot.deals)), rating)
        for snapshot in snapshots
        for rating in snapshot.ratings
        if (rating.bot, rating.version) == (standing.bot, standing.version)
    ]
    if not past:
        return None
    upper, lower = [], []
    for x, rating in past:
        low, high = rating_ends(rating)
        if low is not None and high is not None:
            upper.append(f"{x},{down.at(high)}")
            lower.append(f"{x},{down.at(low)}")
    end = down.at(past[-1][1].rating)
    return Line(
        name=format_bot(standing.bot, standing.version),
        bot=standing.bot,
        style=number % _STYLES,
        dashed=number >= _STYLES,
        points=" ".join(f"{x},{down.at(rating.rating)}" for x, rating in past),
        band=" ".join([*upper, *reversed(lower)]) if len(upper) > 1 else "",
        end=end,
        label=end,
        provisional=standing.provisional,
        suspended=bool(standing.suspended),
    )


def _spread(lines: Sequence[Line], top: float, bottom: float) -> Sequence[Line]:
    """Move the names so far apart that each can be read."""
    order = sorted(range(len(lines)), key=lambda number: lines[number].end)
    heights: list[float] = []
    for number in order:  # down from the top
        heights.append(max(lines[number].end, heights[-1] + _LINE if heights else top))
    off = sum(height - lines[number].end for number, height in zip(order, heights, strict=True)) / max(len(order), 1)
    for place, height in enumerate(heights):  # names are above the ends of their lines as often as below
        heights[place] = max(height - off, heights[place - 1] + _LINE if place else top)
    for place in reversed(range(len(heights))):  # and up again from the bottom
        most = bottom if place == len(heights) - 1 else heights[place + 1] - _LINE
        heights[place] = min(heights[place], most)
    label = dict(zip(order, heights, strict=True))
    return [replace(line, label=round(label[number], 1)) for number, line in enumerate(lines)]
