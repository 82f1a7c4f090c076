"""Ratings as bars, as matrices and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from beanleague.cli.views.tables import bot_name
from beanproto.v1.league_pb2 import MatrixRow, RatingsResponse, Standing

_CELLS = 48  # of a bar, where there is room
_LEAST_CELLS = 16
_LEAST_COLUMNS = 4  # of a matrix
_GAP = 2  # between its columns
_BARS = "Elo, 95 %"
_STANDING = (
    *("rank", "bot", "version", "rating", "interval", "best_rank", "worst_rank", "provisional", "deals", "matches"),
    *("mean_score", "wins", "win_share", "faults", "fault_share", "forfeits"),
)


@dataclass(frozen=True, slots=True)
class _Fitted:
    """What is drawn to fit the screen. `draw`: given its width."""

    draw: Callable[[int], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.draw(options.max_width)


def rating_bars(standings: Sequence[Standing]) -> RenderableType:
    """Return the ratings with their 95 % intervals, drawn to one scale."""
    rated = [standing for standing in standings if standing.rank]
    if not rated:
        return Text("Nothing was played yet.")
    return _Fitted(lambda width: _bars(rated, width))


def _bars(rated: Sequence[Standing], width: int) -> RenderableType:
    figures = [f"{standing.rating:.0f} ± {standing.interval:.0f}" for standing in rated]
    room = width - max(len(bot_name(standing)) for standing in rated) - max(map(len, (*figures, _BARS))) - 4
    cells = max(min(room, _CELLS), _LEAST_CELLS)
    least = min(standing.rating - standing.interval for standing in rated)
    most = max(standing.rating + standing.interval for standing in rated)
    scale = (cells - 1) / max(most - least, 1.0)

    def cell(elo: float) -> int:
        return round((elo - least) * scale)

    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    for standing, figure in zip(rated, figures, strict=True):
        low, high = (cell(standing.rating + side * standing.interval) for side in (-1, 1))
        line = [" "] * low + ["─"] * (high - low + 1)
        line[cell(standing.rating)] = "●"
        table.add_row(Text(bot_name(standing), "bold"), Text(figure), Text("".join(line), "cyan"))
    ends = f"{least:.0f}{most:>{cells - len(f'{least:.0f}')}.0f}"
    table.add_row(Text(), Text(_BARS, "dim"), Text(ends, "dim"))
    return table


def matrix_tables(rated: RatingsResponse) -> RenderableType:
    """Return two matrices: how probably the row's bot is the better one, and the share of their pairs that it won."""
    return Group(
        Text("Probability (%) that the row's bot is better than the column's", "bold"),
        _matrix(rated, lambda row: row.better),
        Text(),
        Text("Share (%) of their pairs that the row's bot won, ties half", "bold"),
        _matrix(rated, lambda row: row.pair_score),
    )


def _matrix(rated: RatingsResponse, figures: Callable[[MatrixRow], Sequence[float]]) -> RenderableType:
    """Return a matrix; of more bots than there is room for, some columns below the others."""
    names = [bot_name(standing) for standing in rated.standings]
    rows = [[f"{100 * share:.0f}" if share >= 0 else "-" for share in figures(row)] for row in rated.matrix]
    numbers = [str(number) for number in range(1, len(names) + 1)]
    widest = max(len(text) for texts in (numbers, *rows) for text in texts)

    def draw(width: int) -> RenderableType:
        room = width - len(numbers[-1]) - max(map(len, names)) - _GAP
        columns = max(room // (widest + _GAP), _LEAST_COLUMNS)
        blocks: list[RenderableType] = []
        for start in range(0, len(names), columns):
            shown = slice(start, start + columns)
            table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
            table.add_column("", justify="right")
            table.add_column("bot", no_wrap=True)
            for number in numbers[shown]:
                table.add_column(number, justify="right", no_wrap=True)
            for number, name, row in zip(numbers, names, rows, strict=True):
                table.add_row(number, Text(name, "bold"), *row[shown])
            blocks += [Text(), table] if blocks else [table]
        return Group(*blocks)

    return _Fitted(draw)


def standings_csv(standings: Sequence[Standing]) -> str:
    """Return the standings as CSV; what is not known is empty."""
    rows = []
    for standing in standings:
        win_share = standing.wins / standing.matches if standing.matches else ""
        own = {"win_share": win_share, "interval": standing.interval if standing.HasField("interval") else ""}
        rows.append([own[name] if name in own else getattr(standing, name) for name in _STANDING])
    return _csv([_STANDING, *rows])


def matrix_csv(rated: RatingsResponse) -> str:
    """Return both matrices as CSV, a line for each two bots; what is not known is empty."""
    names = [bot_name(standing) for standing in rated.standings]
    rows: list[Sequence[object]] = [("bot", "opponent", "better", "pair_score")]
    for name, row in zip(names, rated.matrix, strict=True):
        for opponent, better, score in zip(names, row.better, row.pair_score, strict=True):
            if name != opponent:
                rows.append((name, opponent, better if better >= 0 else "", score if score >= 0 else ""))
    return _csv(rows)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
