"""Ratings as a picture in a file, drawn by matplotlib (the extra `plot`)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from beanleague.cli.errors import CliError
from beanleague.cli.views.ratings import rating_range
from beanleague.cli.views.text import bot_name
from beanproto.v1.league_pb2 import PastRating, RatingsResponse, Standing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KINDS = (".png", ".svg")
_LETTER_INCHES = 0.07  # the width of a letter of a name
_MIN_WIDTH_ELO = 20.0
_ARROW_SHARE = 0.15  # of the width of all ratings, for those without an end
_MAX_LABELLED = 12  # lines of the history with a label; beyond that colours repeat


def write_plot(rated: RatingsResponse, path: Path) -> None:
    """Write the ratings with their 95 % intervals, and their history, as PNG or SVG.

    Raises:
        CliError: the format is unknown, nothing was played, matplotlib is not installed, or the file cannot be written.
    """
    if path.suffix.lower() not in _KINDS:
        raise CliError(f"{path} must end in {' or '.join(_KINDS)}, which selects the format of the picture")
    if not any(standing.rank for standing in rated.standings):
        raise CliError(f"no deals of {rated.league} have been played yet, so there is nothing to draw")
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise CliError("pictures need matplotlib; install it with: pip install 'beanleague[plot]'") from None
    longest = max(len(bot_name(standing)) for standing in rated.standings)
    width = 9 + longest * _LETTER_INCHES * (1 + (len(rated.standings) <= _MAX_LABELLED))
    figure = Figure(figsize=(width, 2.5 + 0.28 * len(rated.standings)), layout="constrained")
    ratings, history = figure.subplots(1, 2)
    figure.suptitle(rated.league)
    _draw_ratings(ratings, rated)
    _draw_history(history, rated)
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise CliError(f"cannot write {path}: {error.strerror}") from None


def _draw_ratings(axes: Axes, rated: RatingsResponse) -> None:
    bots = [standing for standing in reversed(rated.standings) if standing.rank]
    ranges = [rating_range(standing) for standing in bots]
    ends = [end for both in ranges for end in both if end is not None] or [0.0]
    arrow = max(max(ends) - min(ends), _MIN_WIDTH_ELO) * _ARROW_SHARE
    at = [_known(standing) for standing in bots]
    axes.errorbar(
        [math.nan if elo is None else elo for elo in at],
        range(len(bots)),
        xerr=[standing.interval if standing.HasField("interval") else arrow for standing in bots],
        xlolims=[low is not None and high is None for low, high in ranges],
        xuplims=[low is None and high is not None for low, high in ranges],
        fmt="o",
        capsize=3,
    )
    axes.set_yticks(range(len(bots)), [bot_name(standing) for standing in bots])
    axes.set_xlabel("rating (Elo) with 95 % interval or bound")
    axes.grid(axis="x", alpha=0.3)


def _draw_history(axes: Axes, rated: RatingsResponse) -> None:
    for standing in rated.standings:
        if standing.rank:
            name = bot_name(standing)
            points = [
                (snapshot.deals, known)
                for snapshot in rated.history
                for rating in snapshot.ratings
                if bot_name(rating) == name and snapshot.deals and (known := _known(rating)) is not None
            ]
            axes.plot([deals for deals, _ in points], [elo for _, elo in points], marker=".", label=name)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.set_xlabel("deals")
    axes.set_ylabel("rating (Elo), or its bound")
    axes.grid(alpha=0.3)
    if len(rated.standings) <= _MAX_LABELLED:
        axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1), frameon=False)


def _known(rating: Standing | PastRating) -> float | None:
    """Return a rating, or the bound of one that has only that; None if nothing is known."""
    if rating.HasField("least"):
        return rating.least
    if rating.HasField("most"):
        return rating.most
    return rating.rating if rating.HasField("interval") else None
