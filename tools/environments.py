"""Runs environments of tests in turn, and says of each what passed, what was skipped, and whether that is allowed.

    python tools/environments.py nightly               # every long environment: make nightly
    python tools/environments.py tests docs ratings    # these
    python tools/environments.py tests docs --one-of COMMIT --minutes 45   # and a long one, by the commit's hash
    python tools/environments.py --one-of COMMIT --packages   # Debian's packages that it needs

`environments.toml` lists the environments with the skips that are allowed, and why. An environment fails if its command
does, if it skips anything else, if it passes no test, or if the time is up. Standard library only: `.ci/run` calls it
before anything is installed.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("environments.toml")
LOGS = ROOT / ".tox" / "logs"

STOPS = (signal.SIGINT, signal.SIGTERM)
"""What stops this program."""
SUMMARY = re.compile(r"^=* ?((?:\d+ \w+, )*\d+ \w+) in [\d.]+s\b.*$")
"""The last line of pytest, e.g. "=== 12 passed, 1 skipped in 3.20s ==="."""
SKIPPED = re.compile(r"^SKIPPED \[(?P<number>\d+)\] (?P<where>\S+?)(?::\d+)?: (?P<why>.*)$")
"""A line of pytest's list of skipped tests (-rs)."""
NO_PYTHON = re.compile(r"^(?:\S+: )?skipped because could not find python interpreter.*: *(?P<why>.*)$")
"""The line of tox for a Python that is not there."""


FAILED = re.compile(r"^(?:lint: )?(?:FAILED|ERROR):? (?P<what>.*)$")
"""A line that names what failed: pytest's (-ra), and that of tools/lint."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment as `environments.toml` describes it."""

    name: str
    """Its name."""
    command: tuple[str, ...]
    """What runs it."""
    long: bool
    """Whether it is one of those that run nightly."""
    tests: bool
    """Whether it runs tests, so that none passed is a failure."""
    packages: tuple[str, ...]
    """Packages of Debian that it needs, beside those of `.ci/run`."""
    skips: Mapping[str, str]
    """Why a skip is allowed, by a regular expression of its reason."""


@dataclass(slots=True)
class Report:
    """What became of an environment."""

    name: str
    passed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    allowed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Skipped tests by reason, and why that is allowed."""
    problems: list[str] = field(default_factory=list)
    """Why it failed; empty if it did not."""


def environments() -> dict[str, Environment]:
    """Read the list."""
    listed: dict[str, dict[str, Any]] = tomllib.loads(LIST.read_text("utf-8"))
    return {
        name: Environment(
            name,
            tuple(about.get("command", (".venv/bin/tox", "run", "-e", name))),
            about.get("long", True),
            about.get("tests", True),
            tuple(about.get("packages", ())),
            about.get("skips", {}),
        )
        for name, about in listed.items()
    }


def one_of(commit: str) -> str:
    """Return the long environment that is this commit's turn."""
    names = [each.name for each in environments().values() if each.long]
    return names[int(commit, 16) % len(names)]


def run(environment: Environment, deadline: float) -> Report:
    """Run an environment until it ends or `deadline`, on the clock of `time.monotonic`; show what it prints."""
    report = Report(environment.name)
    begin = time.monotonic()
    LOGS.mkdir(parents=True, exist_ok=True)
    # Whoever stops this between the start of the process and the `try` would leave it behind.
    waiting: list[int] = []
    handlers = {number: signal.signal(number, lambda got, _: waiting.append(got)) for number in STOPS}
    with (
        (LOGS / f"{environment.name}.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(
            environment.command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process,
    ):
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, max(deadline - begin, 0.001))
        try:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            for number in waiting:
                signal.raise_signal(number)
            for line in process.stdout or ():
                sys.stdout.write(line)
                log.write(line)
                read(line.rstrip("\n"), environment, report)
            status = process.wait()
        except (KeyboardInterrupt, SystemExit):  # by Ctrl-C, or SIGTERM
            os.killpg(process.pid, signal.SIGINT)
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    report.seconds = time.monotonic() - begin
    if status == -signal.SIGKILL and time.monotonic() >= deadline:
        report.problems.append("the time was up")
    elif status:
        report.problems.append(f"ended with status {status}")
    elif environment.tests and not report.passed:
        report.problems.append("no test passed")
    return report


def read(line: str, environment: Environment, report: Report) -> None:
    """Add what a line of output tells to a report."""
    if found := SUMMARY.match(line):
        counts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", found[1])}
        report.passed += counts.get("passed", 0)
        report.skipped += counts.get("skipped", 0)
    elif found := SKIPPED.match(line):
        why = found["why"]
        for pattern, reason in environment.skips.items():
            if re.search(pattern, why):
                report.allowed[why, reason] += int(found["number"])
                return
        report.problems.append(f"skipped {found['where']}: {why}")
    elif found := FAILED.match(line):
        report.problems.append(found["what"])
    elif found := NO_PYTHON.match(line):
        report.allowed[f"no Python {found['why']}", "make test uses those there are"] += 1


def table(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the lines that say what became of all of them."""
    rows = [("environment", "passed", "skipped", "time", "result")]
    for report in reports:
        minutes, seconds = divmod(round(report.seconds), 60)
        result = "FAILED" if report.problems else "ok"
        rows.append((report.name, str(report.passed), str(report.skipped), f"{minutes}:{seconds:02}", result))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells, result in rows:
        numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:-1], strict=True))
        yield "  ".join((name.ljust(widths[0]), *numbers, result))
    for report in reports:
        for (why, reason), number in report.allowed.items():
            yield f"{report.name}: {number} skipped: {why} (allowed: {reason})"
    for report in reports:
        for problem in report.problems:
            yield f"{report.name}: FAILED: {problem}"


def main() -> int:
    """Run what the command line names; return 1 if anything failed."""
    known = environments()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*known, "nightly", []], help="; ".join(known))
    parser.add_argument("--one-of", metavar="COMMIT", help="also the long environment whose turn this commit is")
    parser.add_argument("--minutes", type=float, default=24 * 60, help="for all together")
    parser.add_argument("--packages", action="store_true", help="list the packages of Debian that they need, and end")
    asked = parser.parse_args()
    names = [each.name for each in known.values() if each.long] if "nightly" in asked.names else list(asked.names)
    if asked.one_of:
        names.append(one_of(asked.one_of))
    if asked.packages:
        print(*sorted({package for name in names for package in known[name].packages}), sep="\n")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    deadline = time.monotonic() + 60 * asked.minutes
    reports = []
    for name in names:
        print(f"== {name}", flush=True)
        reports.append(run(known[name], deadline))
    print("", *table(reports), sep="\n", flush=True)
    return int(any(report.problems for report in reports))


if __name__ == "__main__":
    sys.exit(main())
