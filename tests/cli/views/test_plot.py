"""The picture of a league: ratings, their history and the matrices, for a few bots and for many."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from beanleague.cli.views.plot import write_plot
from beanleague.cli.views.plot.history import Point, settled, spread
from beanleague.cli.views.plot.looks import look
from beanproto.v1.league_pb2 import MatrixRow, PastRating, RatingSnapshot, RatingsResponse, Standing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEALS = [2**power for power in range(11)]


def rated(standings: list[Standing]) -> RatingsResponse:
    """A league whose ratings did not move while their intervals shrank; large ones have empty matrices."""
    bots = range(len(standings))
    small = len(standings) < 10  # hundreds of cells take a second to draw
    matrix = [
        MatrixRow(
            better=[1 / (1 + row) if small and row != column else -1 for column in bots],
            pair_score=[0.5 if small and row != column else -1 for column in bots],
        )
        for row in bots
    ]
    history = [RatingSnapshot(deals=deals, ratings=[past(bot, deals) for bot in standings]) for deals in DEALS]
    return RatingsResponse(league="spring", standings=standings, matrix=matrix, history=history)


def past(bot: Standing, deals: int) -> PastRating:
    rating = PastRating(bot=bot.bot, version=bot.version, rating=bot.rating)
    if bot.HasField("interval"):
        rating.interval = bot.interval * (DEALS[-1] / deals) ** 0.5
    if bot.HasField("least"):
        rating.least = bot.least
    if bot.HasField("most"):
        rating.most = bot.most
    return rating


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The pictures that were drawn and not saved."""
    from matplotlib.figure import Figure  # slow, and every process reads this file

    figures: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    return figures


def parts(drawn: list[Figure], standings: list[Standing]) -> tuple[Axes, Axes, Axes, Axes]:
    """The ratings, the history, and the two matrices of a league."""
    write_plot(rated(standings), Path("ratings.png"))
    ratings, history, better, won = drawn[-1].axes
    return ratings, history, better, won


ONE_SIDED = [
    Standing(rank=1, bot="best", version=1, rating=2340, least=1800),
    Standing(rank=2, bot="anchor", version=1, rating=1500, interval=0, anchor=True),
    Standing(rank=3, bot="good", version=1, rating=1400, interval=50),
    Standing(rank=4, bot="worst", version=1, rating=300, most=1000),
    Standing(rank=5, bot="alone", version=1, rating=1500),
]
"""Of a league in which one never lost and one never won, and one has met nobody."""


def test_bounds_have_arrows_and_no_point_of_the_prior(drawn: list[Figure]) -> None:
    bars, past, _, _ = parts(drawn, ONE_SIDED)
    points = {x for line in bars.lines for x in np.asarray(line.get_xdata()).tolist()}
    assert {1800, 1500, 1400, 1000} <= points
    assert not {2340, 300} & points
    assert set(np.asarray(past.lines[0].get_ydata()).tolist()) == {1800}


@pytest.mark.parametrize("bots", [1, 2, 30])
def test_every_line_of_the_history_has_its_name_beside_it(bots: int, drawn: list[Figure]) -> None:
    """Names do not overlap each other, the lines or the edge of the picture, and are in the order of the lines."""
    from matplotlib.text import Text  # slow, as Figure

    standings = [
        Standing(rank=n, bot=f"{n:-<32}", version=1, rating=1500 - n % 7, interval=30) for n in range(1, bots + 1)
    ]
    _, past, _, _ = parts(drawn, standings)
    (figure,) = drawn
    figure.draw_without_rendering()
    boxes = {label.get_text(): Text.get_window_extent(label) for label in past.texts}  # without its line
    assert set(boxes) == {f"{bot.bot}@1" for bot in standings}
    for box in boxes.values():
        assert past.get_window_extent().x1 < box.x0
        assert box.x1 <= figure.bbox.x1
        assert box.y0 >= 0
    assert not any(one.y0 < other.y1 and other.y0 < one.y1 for one, other in combinations(boxes.values(), 2))
    for one, other in combinations(standings, 2):
        if one.rating > other.rating:
            assert boxes[f"{one.bot}@1"].y0 > boxes[f"{other.bot}@1"].y0


def test_every_line_of_the_history_has_its_band(drawn: list[Figure]) -> None:
    _, past, _, _ = parts(drawn, [Standing(rank=1, bot="one", version=1, rating=1500, interval=20)])
    (band,) = past.collections
    edges = {round(y) for _, y in np.asarray(band.get_paths()[0].vertices).tolist()}
    assert {1480, 1520} <= edges


def test_provisional_and_suspended_bots_are_marked(drawn: list[Figure]) -> None:
    standings = [
        Standing(rank=1, bot="sure", version=1, rating=1600, interval=20),
        Standing(rank=2, bot="unsure", version=1, rating=1500, interval=70, provisional=True),
        Standing(rank=3, bot="out", version=1, rating=1400, interval=20, suspended="forfeited too often"),
    ]
    bars, past, better, _ = parts(drawn, standings)
    names = ["sure@1", "unsure@1 ?", "out@1 (suspended)"]
    assert [label.get_text() for label in bars.get_yticklabels()] == names
    assert [label.get_text() for label in past.texts] == names
    assert [label.get_text().split("  ")[0] for label in better.get_yticklabels()] == names
    sure, unsure, out = past.lines
    assert (sure.get_marker(), unsure.get_markerfacecolor(), out.get_marker()) == ("o", "white", "x")


def test_no_two_of_thirty_bots_look_alike() -> None:
    looks = [look(Standing(bot="b", version=1), number) for number in range(30)]
    assert len({(style.colour, style.dashes) for style in looks}) == 30


def test_matrices_are_heat_maps_with_empty_cells_where_nothing_is_known(drawn: list[Figure]) -> None:
    standings = [Standing(rank=n, bot=f"b{n}", version=1, rating=1500, interval=9) for n in (1, 2, 3)]
    _, _, better, won = parts(drawn, standings)
    values = better.images[0].get_array()
    assert values is not None
    cells = np.ma.getdata(values).tolist()
    assert [math.isnan(cells[n][n]) for n in range(3)] == [True] * 3
    assert cells[1][::2] == [0.5, 0.5]
    assert [text.get_text() for text in better.texts] == ["100", "100", "50", "50", "33", "33"]
    assert {text.get_text() for text in won.texts} == {"50"}


def points(*intervals: float | None) -> list[Point]:
    return [Point(2**power, 1500, interval) for power, interval in enumerate(intervals)]


@pytest.mark.parametrize(
    ("intervals", "first"),
    [
        ((90.0, 80.0, 40.0, 20.0), 1),
        ((None, None, 40.0, 20.0), 2),
        ((30.0, 90.0, 40.0, 20.0), 0),
        ((None,) * 6, 1),
        ((0.0, 0.0), 0),
    ],
)
def test_a_history_begins_where_its_ratings_say_something(intervals: tuple[float | None, ...], first: int) -> None:
    assert settled(points(*intervals)) == points(*intervals)[first:]


def test_a_bot_without_ratings_has_no_history() -> None:
    assert settled([]) == []


@pytest.mark.parametrize(
    ("at", "placed"),
    [
        ([0, 20, 40], [0, 20, 40]),
        ([0, 0], [-5, 5]),
        ([40, 0, 1], [40, -4.5, 5.5]),
        ([0, 1, 11], [-6, 4, 14]),
        ([], []),
    ],
)
def test_names_that_would_overlap_are_moved_apart(at: list[float], placed: list[float]) -> None:
    assert spread(at, 10) == pytest.approx(placed)
