"""The matrices of a picture: heat maps of each bot against each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from beanleague.cli.views.plot.looks import Look
from beanproto.v1.league_pb2 import MatrixRow, RatingsResponse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = "PuOr"  # two colours that colour-blind people can tell apart, white between them at a half
_DARK = 0.3  # shares this far from a half have a dark background
_MAX_WRITTEN = 40  # bots; with more, the numbers do not fit their cells


def draw_matrix(
    axes: Axes,
    rated: RatingsResponse,
    values: Callable[[MatrixRow], Sequence[float]],
    title: str,
    looks: Sequence[Look],
) -> None:
    """Draw a matrix of shares from 0 to 1, the row's bot against the column's; unknown ones are empty.

    `looks`: of the bots in the order of the standings.
    """
    cells = [[share if share >= 0 else math.nan for share in values(row)] for row in rated.matrix]
    axes.imshow(cells, cmap=_COLOURS, vmin=0, vmax=1, aspect="equal")
    numbers = range(1, len(looks) + 1)
    axes.set_xticks(range(len(looks)), [str(number) for number in numbers], fontsize="x-small")
    axes.set_yticks(
        range(len(looks)), [f"{style.name}  {number}" for number, style in zip(numbers, looks, strict=True)]
    )
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    axes.set_title(title)
    if len(looks) <= _MAX_WRITTEN:
        for row, shares in enumerate(cells):
            for column, share in enumerate(shares):
                if not math.isnan(share):
                    colour = "white" if abs(share - 0.5) > _DARK else "black"
                    number = f"{100 * share:.0f}"
                    axes.text(column, row, number, color=colour, ha="center", va="center", fontsize=7, in_layout=False)
