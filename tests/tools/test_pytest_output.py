"""Lines of pytest's output are read as skips, failures and totals."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("line", "kind", "fields"),
    [
        ("SKIPPED [2] tests/a.py:3: there is no npm here", "Skip", (2, "tests/a.py", "there is no npm here")),
        ("SKIPPED [1] tests/a.py: root: yes", "Skip", (1, "tests/a.py", "root: yes")),
        ("FAILED tests/a.py::test_a - assert 1", "Failure", ("tests/a.py::test_a", "tests/a.py::test_a - assert 1")),
        ("FAILED tests/a.py::A::test_a[b - c]", "Failure", ("tests/a.py::A::test_a[b - c]",) * 2),
        ("FAILED tests/a.py::t[b c] - d[e]", "Failure", ("tests/a.py::t[b c]", "tests/a.py::t[b c] - d[e]")),
        ("ERROR tests/a.py", "Failure", ("tests/a.py", "tests/a.py")),
        ("=== 5 passed, 2 skipped, 1 deselected in 0.20s ===", "Totals", (5, 2)),
        ("7 failed in 61.20s (0:01:01)", "Totals", (0, 0)),
        ("\x1b[31m=== \x1b[1m1 failed\x1b[0m, \x1b[32m5 passed\x1b[0m in 0.20s ===\x1b[0m\n", "Totals", (5, 0)),
        ("\x1b[33mSKIPPED\x1b[0m [2] tests/a.py:3: no npm\n", "Skip", (2, "tests/a.py", "no npm")),
    ],
)
def test_a_line_of_the_summary_is_a_result(tool: Any, line: str, kind: str, fields: tuple[object, ...]) -> None:
    assert tool.result_in(line) == getattr(tool, kind)(*fields)


@pytest.mark.parametrize(
    "line", ["", "tests/a.py ..F", "ERROR: Operation cancelled by user", "lint: FAILED: ruff check", "ended in 3.20s"]
)
def test_any_other_line_is_none(tool: Any, line: str) -> None:
    assert tool.result_in(line) is None
