"""Matrices and bars of many bots with long names, at terminals of several widths."""

from __future__ import annotations

import pytest
from rich.console import Console

from beanleague.cli.ratings import matrix_tables, rating_bars
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
    """Cells are told apart: 10 and more for the row, the column's number beside it."""
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
