"""Matrices and bars of many bots with long names, at terminals of several widths."""

from __future__ import annotations

import pytest
from rich.console import Console

from beanleague.cli.views.ratings import matrix_tables, rating_bars
from beanproto.v1.league_pb2 import MatrixRow, RatingsResponse, Standing

BOTS = 20
NAMES = [f"a-bot-with-a-long-name-{number}" for number in range(BOTS)]
STANDINGS = [
    Standing(rank=number + 1, bot=name, version=12, rating=1700 - 20 * number, interval=33.0)
    for number, name in enumerate(NAMES)
]


def shown(drawn: object, width: int) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(drawn)
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_matrix_shows_every_cell_at_any_width(width: int) -> None:
    """Cells can be distinguished: 10 and more for the row, the column's number beside it."""
    rows = [
        MatrixRow(better=[0.01 * (10 + row + column) for column in range(BOTS)], pair_score=[0.5] * BOTS)
        for row in range(BOTS)
    ]
    lines = shown(matrix_tables(RatingsResponse(standings=STANDINGS, matrix=rows)), width)
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    better = lines[1 : next(number for number, line in enumerate(lines) if line.startswith("Share"))]
    columns = [number for line in better if line.split()[:1] == ["bot"] for number in line.split()[1:]]
    assert columns == [str(number) for number in range(1, BOTS + 1)]
    for row, name in enumerate(NAMES):
        cells = [cell for line in better if f" {name}@12 " in line for cell in line.split()[2:]]
        assert cells == [str(10 + row + column) for column in range(BOTS)]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_bars_are_drawn_whole_at_any_width(width: int) -> None:
    lines = shown(rating_bars(STANDINGS), width)
    assert len(lines) == BOTS + 1
    assert max(map(len, lines)) <= width
    assert all("─●─" in line for line in lines[:BOTS])
    starts = [line.index("─") for line in lines[:BOTS]]
    assert starts == sorted(starts, reverse=True)
    assert lines[BOTS].split() == ["Elo,", "95", "%", "1287", "1733"]


ONE_SIDED = [
    Standing(rank=1, bot="best", version=1, rating=2340, least=1800),
    Standing(rank=2, bot="anchor", version=1, rating=1500, interval=0, anchor=True),
    Standing(rank=3, bot="good", version=1, rating=1400, interval=50),
    Standing(rank=4, bot="worst", version=1, rating=300, most=1000),
    Standing(rank=5, bot="alone", version=1, rating=1500),
]
"""Of a league in which one never lost and one never won, and one has met nobody."""


def test_bars_of_bounds_have_one_end() -> None:
    best, anchor, good, worst, alone, scale = shown(rating_bars(ONE_SIDED), 100)
    assert best.split()[:4] == ["best@1", "over", "1800", "▶"]
    assert worst.split()[:3] == ["worst@1", "under", "1000"]
    assert worst.split()[3].startswith("◀")
    assert (anchor.split(), good.count("●")) == (["anchor@1", "1500", "●"], 1)
    assert alone.split() == ["alone@1", "unknown"]
    assert scale.split()[-2:] == ["1000", "1800"]


def test_bars_name_provisional_ratings_and_suspended_bots() -> None:
    out, unsure, _ = shown(
        rating_bars(
            [
                Standing(rank=1, bot="out", version=1, rating=1520, interval=20, suspended="forfeited too often"),
                Standing(rank=2, bot="unsure", version=1, rating=1500, interval=80, provisional=True),
            ]
        ),
        100,
    )
    assert out.split()[:5] == ["out@1", "suspended", "1520", "±", "20"]
    assert unsure.split()[:5] == ["unsure@1", "1500", "±", "80", "?"]
