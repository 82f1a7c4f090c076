"""The table of figures in the documentation is written by benchmarks, row by row."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.__main__ import NAMES
from benchmarks.figures import Figure
from benchmarks.page import BEGIN, END, PageError, Row, rows_of, with_rows

DOCS = Path(__file__).parents[2] / "docs"
HEAD = "| benchmark | figure | median | least | most | unit | aim | measured |\n|---|---|---:|---:|---:|---|---|---|\n"
EMPTY = f"# Figures\n\n{BEGIN}{HEAD}{END}More.\n"
VIEW, COPY = Figure("engine: view", "us", (4.0, 3.0, 5.5), "<= 10"), Figure("engine: a | b", "us", (1234.5,))


def test_a_figure_becomes_a_row_with_its_date_and_conditions() -> None:
    page = with_rows(EMPTY, "engine", [VIEW], "2026-11-28: idle")
    assert rows_of(page) == [Row("engine", "view", "4", "3", "5.5", "us", "<= 10", "2026-11-28: idle")]


def test_the_text_around_the_table_stays() -> None:
    page = with_rows(EMPTY, "engine", [VIEW], "today")
    assert page.startswith("# Figures\n\n<!--")
    assert page.endswith("-->\nMore.\n")
    assert with_rows(page, "engine", [], "today") == EMPTY


def test_a_benchmark_replaces_its_own_rows_and_keeps_the_dates_of_others() -> None:
    page = with_rows(EMPTY, "store", [replace(VIEW, what="store: commits")], "Monday")
    page = with_rows(page, "engine", [VIEW, COPY], "Monday")
    page = with_rows(page, "engine", [COPY], "Tuesday")
    rows = [(row.benchmark, row.figure, row.measured) for row in rows_of(page)]
    assert rows == [("engine", "a | b", "Tuesday"), ("store", "commits", "Monday")]


@pytest.mark.parametrize("page", ["", BEGIN + END, EMPTY.replace(END, ""), EMPTY.replace("figure", "what")])
def test_a_page_without_the_table_is_refused(page: str) -> None:
    with pytest.raises(PageError, match=r"^there is no table between <!-- .* -->$"):
        with_rows(page, "engine", [VIEW], "today")


def test_a_row_with_other_columns_is_refused_with_the_row() -> None:
    with pytest.raises(PageError, match=r"has 2 columns: \| engine \| view \|$"):
        rows_of(EMPTY.replace(END, "| engine | view |\n" + END))


def test_the_page_of_figures_has_a_date_for_each_figure_of_a_benchmark_that_there_is() -> None:
    rows = rows_of((DOCS / "figures.md").read_text("utf-8"))
    assert {row.benchmark for row in rows} <= set(NAMES)
    assert all(row.measured.startswith("20") and row.median and row.unit for row in rows)
    assert len({(row.benchmark, row.figure) for row in rows}) == len(rows) > 0
