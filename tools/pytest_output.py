"""Lines of pytest's output as values: skips, failures and totals, with or without the colours of a terminal.

Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_SKIP = re.compile(r"SKIPPED \[(?P<number>\d+)\] (?P<where>\S+?)(?::\d+)?: (?P<why>.*)")
_FAILURE = re.compile(r"(?:FAILED|ERROR) (?P<text>(?P<test>\S+?::[^\s\[]+(?:\[.*?\](?= - |$))?|\S+).*)")
_TOTALS = re.compile(r"=* ?((?:\d+ \w+, )*\d+ \w+) in [\d.]+s\b.*")


@dataclass(frozen=True, slots=True)
class Skip:
    """Tests of a file that were skipped for one reason (pytest -rs)."""

    number: int
    """Number of tests."""
    where: str
    """The file, e.g. "tests/a.py"."""
    why: str
    """The reason."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that failed, or could not be set up (pytest -ra)."""

    test: str
    """The test, with its parameters: "tests/a.py::test_a[1]"; or a file that could not be read."""
    text: str
    """The test and its error."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The last line, e.g. "=== 12 passed, 1 skipped in 3.20s ==="."""

    passed: int
    """Number of tests that passed."""
    skipped: int
    """Number of tests that were skipped."""


Result: TypeAlias = Skip | Failure | Totals


def plain(line: str) -> str:
    """Return a line of output without its end and colours; FORCE_COLOR colours pipes too."""
    return _COLOUR.sub("", line.rstrip("\n"))


def result_in(line: str) -> Result | None:
    """Return the result in a line of output, None if it has none. "ERROR:" is pip's, which goes on."""
    line = plain(line)
    if found := _TOTALS.fullmatch(line):
        counts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", found[1])}
        return Totals(counts.get("passed", 0), counts.get("skipped", 0))
    if found := _SKIP.fullmatch(line):
        return Skip(int(found["number"]), found["where"], found["why"])
    if found := _FAILURE.fullmatch(line):
        return Failure(found["test"], found["text"])
    return None
