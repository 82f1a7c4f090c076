"""Display of ratings as bars and matrices, and of gifts between bots."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from beanleague.answers import rating_ends
from beanleague.cli.views.output import bot_name, quantity, rating_parts
from beanleague.cli.views.tables import HEAD_LINE, TableColumn, TableOf, marked_name, table_of
from beanproto.v1.league_pb2 import IntegrityResponse, MatrixRow, PairFlow, RatingsResponse, Standing

_MAX_DEALS = 6  # maximum deals listed per pair

_MAX_BAR_CELLS = 48
_MIN_BAR_CELLS = 16
_MIN_MATRIX_COLUMNS = 4
_COLUMN_GAP = 2
_SCALE_LABEL = "Elo, 95 %"


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Renderable that draws itself for the width of the console."""

    draw: Callable[[int], RenderableType]
    """Renders for a given width in cells."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.draw(options.max_width)


def rating_bars(standings: Sequence[Standing]) -> RenderableType:
    """Return the ratings with their 95 % intervals on a common scale; unbounded ones have arrows."""
    rated = [standing for standing in standings if standing.rank]
    if not rated:
        return Text("No deals have been played yet.")
    return _Fitted(lambda width: _bars(rated, width))


def _bars(rated: Sequence[Standing], width: int) -> RenderableType:
    labels = ["".join(rating_parts(standing)) + (" ?" if standing.provisional else "") for standing in rated]
    names = [marked_name(standing) for standing in rated]
    room = width - max(map(len, names)) - max(map(len, (*labels, _SCALE_LABEL))) - 4
    cells = max(min(room, _MAX_BAR_CELLS), _MIN_BAR_CELLS)
    ends = [end for standing in rated for end in rating_ends(standing) if end is not None] or [0.0]
    low_end, high_end = min(ends), max(ends)
    scale = (cells - 1) / max(high_end - low_end, 1.0)

    def cell(elo: float) -> int:
        return round((elo - low_end) * scale)

    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    for standing, name, label in zip(rated, names, labels, strict=True):
        table.add_row(name, Text(label), Text(_bar(standing, cell, cells), "cyan"))
    scale_ends = f"{low_end:.0f}{high_end:>{cells - len(f'{low_end:.0f}')}.0f}"
    table.add_row(Text(), Text(_SCALE_LABEL, "dim"), Text(scale_ends, "dim"))
    return table


def _bar(standing: Standing, cell: Callable[[float], int], cells: int) -> str:
    """Return the interval of a rating as a line of `cells` cells. `cell`: position of a rating."""
    low, high = rating_ends(standing)
    if low is None and high is None:
        return ""
    first, last = 0 if low is None else cell(low), cells - 1 if high is None else cell(high)
    line = [" "] * first + ["─"] * (last - first + 1)
    if low is None:
        line[first] = "◀"
    elif high is None:
        line[last] = "▶"
    else:
        line[cell(standing.rating)] = "●"
    return "".join(line)


def matrix_tables(rated: RatingsResponse) -> RenderableType:
    """Return two matrices: the probability that the row's bot is better, and its share of pairs won."""
    return Group(
        Text("Probability (%) that the row's bot is better than the column's", "bold"),
        _matrix(rated, lambda row: row.better),
        Text(),
        Text("Share (%) of their pairs that the row's bot won, ties half", "bold"),
        _matrix(rated, lambda row: row.pair_score),
    )


def _matrix(rated: RatingsResponse, values: Callable[[MatrixRow], Sequence[float]]) -> RenderableType:
    """Return one matrix; columns that do not fit follow in further blocks."""
    names = [bot_name(standing) for standing in rated.standings]
    rows = [[f"{100 * share:.0f}" if share >= 0 else "-" for share in values(row)] for row in rated.matrix]
    numbers = [str(number) for number in range(1, len(names) + 1)]
    widest = max(len(text) for texts in (numbers, *rows) for text in texts)

    def draw(width: int) -> RenderableType:
        room = width - len(numbers[-1]) - max(map(len, names)) - _COLUMN_GAP
        columns = max(room // (widest + _COLUMN_GAP), _MIN_MATRIX_COLUMNS)
        blocks: list[RenderableType] = []
        for start in range(0, len(names), columns):
            shown = slice(start, start + columns)
            table = Table(box=HEAD_LINE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
            table.add_column("", justify="right")
            table.add_column("bot", no_wrap=True)
            for number in numbers[shown]:
                table.add_column(number, justify="right", no_wrap=True)
            for number, name, row in zip(numbers, names, rows, strict=True):
                table.add_row(number, Text(name, "bold"), *row[shown])
            blocks += [Text(), table] if blocks else [table]
        return Group(*blocks)

    return _Fitted(draw)


def integrity_page(answer: IntegrityResponse, *, show_all: bool) -> Iterator[RenderableType]:
    """Yield the flagged pairs, or all, and a legend of the columns."""
    pairs = [pair for pair in answer.pairs if pair.found or show_all]
    found = sum(pair.found for pair in answer.pairs)
    yield Text.assemble(
        (answer.league, "bold"),
        f"  {quantity(answer.deals, 'deal')} with trades, {quantity(len(answer.pairs), 'pair')} compared, ",
        f"{found} found",
    )
    if not answer.pairs:
        yield Text("No pair can be compared with others: each of the two must also have traded with two others.")
    for night in answer.nights:
        found_then = ", ".join(
            f"{bot_name(pair.giver)} to {bot_name(pair.receiver)} (${pair.excess:.2f})" for pair in night.pairs
        )
        if found_then:
            yield Text(f"when day {night.day} began, of the newest {quantity(night.deals, 'deal')}: {found_then}")
    if not pairs:
        return
    yield Text()
    yield pairs_table(pairs)
    yield Text(
        "excess: value per match, in dollars, that went from giver to receiver and did not come back, beyond the "
        "amount expected from their trades with others; odd deals: deals with a large excess\nA flagged pair (!) "
        "is a reason to look at its matches, not a proof: 'beanleague match list --deal', 'match show'.",
        "dim",
    )


def _deals(pair: PairFlow) -> str:
    more = ", ..." if len(pair.conspicuous) > _MAX_DEALS else ""
    return ", ".join(map(str, pair.conspicuous[:_MAX_DEALS])) + more


pairs_table: TableOf[PairFlow] = table_of(
    TableColumn("", lambda p: Text("!" if p.found else "", "red")),
    TableColumn("giver", lambda p: Text(bot_name(p.giver), "bold")),
    TableColumn("receiver", lambda p: Text(bot_name(p.receiver), "bold")),
    TableColumn(
        "excess $", lambda p: f"{p.excess:.2f}" + (f" ± {p.interval:.2f}" if p.HasField("interval") else ""), right=True
    ),
    TableColumn("given $", lambda p: f"{p.given.dollars:.2f}", right=True, lesser=2),
    TableColumn("back $", lambda p: f"{p.received.dollars:.2f}", right=True, lesser=2),
    TableColumn("cards", lambda p: f"{p.given.cards}:{p.received.cards}", right=True, lesser=4),
    TableColumn("gifts", lambda p: f"{p.given.gifts}:{p.received.gifts}", right=True, lesser=5),
    TableColumn("trades", lambda p: str(p.trades), right=True, lesser=6),
    TableColumn("odd deals", lambda p: f"{len(p.conspicuous)} of {p.deals}", right=True),
    TableColumn("look at", _deals, lesser=3),
)
