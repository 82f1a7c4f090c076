"""Ratings as bars, as matrices and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from beanleague.cli.tables import bot_name
from beanproto.v1.league_pb2 import MatrixRow, RatingsResponse, Standing

_CELLS = 48  # of a bar
_STANDING = (
    *("rank", "bot", "version", "rating", "interval", "best_rank", "worst_rank", "provisional", "deals", "matches"),
    *("mean_score", "wins", "win_share", "faults", "fault_share", "forfeits"),
)


def rating_bars(standings: Sequence[Standing]) -> RenderableType:
    """Return the ratings with their 95 % intervals, drawn to one scale."""
    rated = [standing for standing in standings if standing.rank]
    if not rated:
        return Text("Nothing was played yet.")
    least = min(standing.rating - standing.interval for standing in rated)
    most = max(standing.rating + standing.interval for standing in rated)
    scale = (_CELLS - 1) / max(most - least, 1.0)

    def cell(elo: float) -> int:
        return round((elo - least) * scale)

    table = Table.grid(padding=(0, 2, 0, 0))
    for standing in rated:
        low, high = (cell(standing.rating + side * standing.interval) for side in (-1, 1))
        line = [" "] * low + ["─"] * (high - low + 1)
        line[cell(standing.rating)] = "●"
        figures = f"{standing.rating:.0f} ± {standing.interval:.0f}"
        table.add_row(Text(bot_name(standing), "bold"), Text(figures), Text("".join(line), "cyan"))
    ends = f"{least:.0f}{most:>{_CELLS - len(f'{least:.0f}')}.0f}"
    table.add_row(Text(), Text("Elo, 95 %", "dim"), Text(ends, "dim"))
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


def _matrix(rated: RatingsResponse, figures: Callable[[MatrixRow], Sequence[float]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", justify="right")
    table.add_column("bot", no_wrap=True)
    for number in range(1, len(rated.standings) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for number, (standing, row) in enumerate(zip(rated.standings, rated.matrix, strict=True), 1):
        cells = [f"{100 * share:.0f}" if share >= 0 else "-" for share in figures(row)]
        table.add_row(str(number), Text(bot_name(standing), "bold"), *cells)
    return table


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
