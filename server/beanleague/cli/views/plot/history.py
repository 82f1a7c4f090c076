"""The history of the ratings in a picture: a line with its band for each bot, named at its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import TYPE_CHECKING

from beanleague.cli.views.plot.bars import known
from beanleague.cli.views.plot.looks import Look
from beanleague.cli.views.text import bot_name
from beanproto.v1.league_pb2 import RatingsResponse, Standing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

_NOISE = 4.0  # a bot's first ratings with an interval over this many times its last one are left out,
_FIRST = 1 / 16  # and those of this share of its deals: an interval shrinks by half in four times the deals
_LABEL_POINTS = 8.0
_LINE_HEIGHT = 1.35  # of a label, in heights of its letters
_LABEL_X = 1.03  # of the width of the axes


@dataclass(frozen=True, slots=True)
class Point:
    """A rating of a bot after a number of deals."""

    deals: int
    """Deals of the league."""
    elo: float
    """The rating, or its bound."""
    interval: float | None
    """Half width of its 95 % confidence interval; None for a bound."""


def draw_history(axes: Axes, rated: RatingsResponse, bots: Sequence[Standing], looks: Sequence[Look]) -> None:
    """Draw a line for each of `bots`, with the band of its 95 % interval, and its name where the line ends."""
    labels: list[Annotation] = []
    for standing, style in zip(bots, looks, strict=True):
        points = settled(_points(rated, standing))
        deals, elos = [point.deals for point in points], [point.elo for point in points]
        axes.plot(
            deals,
            elos,
            marker=style.marker,
            markersize=3,
            color=style.colour,
            linestyle=style.dashes,
            markerfacecolor=style.filling,
        )
        margins = [point.interval or 0.0 for point in points]
        low = [elo - margin for elo, margin in zip(elos, margins, strict=True)]
        high = [elo + margin for elo, margin in zip(elos, margins, strict=True)]
        axes.fill_between(deals, low, high, color=style.colour, alpha=0.08, linewidth=0)
        if points:
            labels.append(_label(axes, points[-1], style))
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.set_title("History")
    axes.set_xlabel("deals")
    axes.set_ylabel("Elo, or its bound")
    axes.grid(alpha=0.3)
    _spread_labels(axes, labels)


def _points(rated: RatingsResponse, standing: Standing) -> list[Point]:
    name = bot_name(standing)
    return [
        Point(snapshot.deals, elo, rating.interval if rating.HasField("interval") else None)
        for snapshot in rated.history
        for rating in snapshot.ratings
        if bot_name(rating) == name and snapshot.deals and (elo := known(rating)) is not None
    ]


def settled(points: Sequence[Point]) -> list[Point]:
    """Return the ratings of a bot from where they say something: not the first ones, of very few deals."""
    if not points:
        return []
    last = points[-1]

    def is_noise(point: Point) -> bool:
        if last.interval is None:
            return point.deals < _FIRST * last.deals
        return point.interval is None or point.interval > _NOISE * last.interval

    return list(dropwhile(is_noise, points))


def _label(axes: Axes, end: Point, style: Look) -> Annotation:
    return axes.annotate(
        style.name,
        (end.deals, end.elo),
        (_LABEL_X, end.elo),
        xycoords="data",
        textcoords=axes.get_yaxis_transform(),
        fontsize=_LABEL_POINTS,
        color=style.colour,
        verticalalignment="center",
        arrowprops={"arrowstyle": "-", "color": style.colour, "linewidth": 0.5, "relpos": (0.0, 0.5)},
        annotation_clip=False,
    )


def _spread_labels(axes: Axes, labels: Sequence[Annotation]) -> None:
    """Move the labels apart, as little as that takes. The figure must have its final size."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # lays the axes out
    to_pixels = axes.transData
    gap = _LABEL_POINTS * _LINE_HEIGHT * figure.dpi / 72
    at = [float(to_pixels.transform((1.0, label.xyann[1]))[1]) for label in labels]
    for label, pixel in zip(labels, spread(at, gap), strict=True):
        label.xyann = (_LABEL_X, float(to_pixels.inverted().transform((1.0, pixel))[1]))


def spread(at: Iterable[float], gap: float) -> list[float]:
    """Return positions near `at`, in the same order, of which no two are nearer than `gap`.

    Positions that are too near each other are gathered into groups, each centred on where its members would be.
    """
    wanted = list(at)
    groups: list[list[int]] = []
    for member in sorted(range(len(wanted)), key=wanted.__getitem__):
        groups.append([member])
        while len(groups) > 1 and _start(groups[-1], wanted, gap) < _end(groups[-2], wanted, gap) + gap:
            last = groups.pop()
            groups[-1] += last
    placed = dict.fromkeys(range(len(wanted)), 0.0)
    for group in groups:
        for index, member in enumerate(group):
            placed[member] = _start(group, wanted, gap) + index * gap
    return [placed[member] for member in range(len(wanted))]


def _start(group: Sequence[int], wanted: Sequence[float], gap: float) -> float:
    return sum(wanted[member] for member in group) / len(group) - gap * (len(group) - 1) / 2


def _end(group: Sequence[int], wanted: Sequence[float], gap: float) -> float:
    return _start(group, wanted, gap) + gap * (len(group) - 1)
