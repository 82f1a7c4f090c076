"""The table of figures in docs/figures.md: a row for each figure, with the day and the conditions of its measurement.

A benchmark that runs again replaces its own rows and leaves those of others, so each figure keeps its date.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

from benchmarks.figures import Figure, short

BEGIN = "<!-- The table below is written by `make bench`: benchmarks/page.py. -->\n\n"
END = "\n<!-- Here it ends. -->\n"
_HEAD = "| benchmark | figure | median | least | most | unit | aim | measured |\n|---|---|---:|---:|---:|---|---|---|\n"


class PageError(Exception):
    """Error of a page without the table of figures, or with rows of another shape."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table, as it is written."""

    benchmark: str
    """Name of the benchmark, for the command line."""
    figure: str
    """Name of the figure."""
    median: str
    """Median of the runs."""
    least: str
    """Minimum of the runs."""
    most: str
    """Maximum of the runs."""
    unit: str
    """Unit of the three."""
    aim: str
    """The target; "" if none is set."""
    measured: str
    """Day and conditions, e.g. "2026-11-28: Python 3.11.2, 2 cores, load 0.3"."""


def rows_of(page: str) -> list[Row]:
    """Return the rows in the table of a page.

    Raises:
        PageError: if it has no table, or a row with other columns.
    """
    _, lines, _ = _parts(page)
    return [_row(line) for line in lines]


def with_rows(page: str, benchmark: str, figures: Iterable[Figure], measured: str) -> str:
    """Return a page in whose table the rows of `benchmark` are those of `figures`; benchmarks stand in order of names.

    Raises:
        PageError: see `rows_of`.
    """
    before, lines, after = _parts(page)
    rows = [row for row in map(_row, lines) if row.benchmark != benchmark]
    rows += [_of_figure(benchmark, figure, measured) for figure in figures]
    rows.sort(key=lambda row: row.benchmark)  # figures of a benchmark keep their order
    return before + BEGIN + _HEAD + "".join(map(_line, rows)) + END + after


def _parts(page: str) -> tuple[str, Sequence[str], str]:
    """Return the text before the table, the lines of its rows, and the text after it."""
    before, begin, rest = page.partition(BEGIN)
    table, end, after = rest.partition(END)
    if not (begin and end and table.startswith(_HEAD)):
        raise PageError(f"there is no table between {BEGIN.strip()} and {END.strip()}")
    return before, table.removeprefix(_HEAD).splitlines(), after


def _of_figure(benchmark: str, figure: Figure, measured: str) -> Row:
    return Row(
        benchmark=benchmark,
        figure=figure.what.removeprefix(f"{benchmark}: "),
        median=short(figure.median),
        least=short(min(figure.values)),
        most=short(max(figure.values)),
        unit=figure.unit,
        aim=figure.aim,
        measured=measured,
    )


def _row(line: str) -> Row:
    cells = [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
    if len(cells) != len(Row.__dataclass_fields__):
        raise PageError(f"this row of the table has {len(cells)} columns: {line}")
    return Row(*(cell.replace("&#124;", "|") for cell in cells))


def _line(row: Row) -> str:
    cells = (f" {cell} " if cell else " " for cell in astuple(row))
    return f"|{'|'.join(cell.replace('|', '&#124;') for cell in cells)}|\n"
