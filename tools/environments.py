"""Runs test environments in turn, and lists for each the passed, the skipped, and any skips that are not allowed.

    python tools/environments.py nightly               # every long environment: make nightly
    python tools/environments.py tests docs ratings    # these
    python tools/environments.py tests docs --one-of COMMIT --minutes 78   # and a long one, by the commit's hash
    python tools/environments.py tests --cells COMMIT         # and the cells, one of them whole, by the commit's hash
    python tools/environments.py --one-of COMMIT --packages   # Debian's packages that it needs

`environments.toml` lists the environments with the skips that are allowed, and why. An environment fails if its command
does, if it skips anything else, or if it passes no test. If the time is up, an environment that is required fails; of
others the table says that they were cut off or left out, so that a slow day does not turn a correct change red.
Standard library only: `.ci/run` calls it before anything is installed.
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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_output import Failure, Skip, Totals, plain, result_in

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("environments.toml")
LOGS = ROOT / ".tox" / "logs"

STOPS = (signal.SIGINT, signal.SIGTERM)
"""Signals that stop this program."""
LEAST = 60.0
"""Seconds that must be left for an environment to be begun, unless it is required."""
GRACE = 60.0
"""Seconds that an environment has to end after it was interrupted."""
PART_SKIPS = {"^there is no Chromium": "the part of the tests has no browser"}
"""Skips that are allowed in a cell that runs a part of the tests."""
NO_PYTHON = re.compile(r"^(?:\S+: )?skipped because could not find python interpreter.*: *(?P<why>.*)$")
"""The line of tox for a Python that is not there."""
FAILED_CHECK = "lint: FAILED: "
"""Beginning of a line of tools/lint that names a failed check."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment as `environments.toml` describes it."""

    name: str
    """Its name."""
    command: tuple[str, ...]
    """Command that runs it."""
    kind: str
    """"required", "cell" or "long"; see `environments.toml`."""
    tests: bool
    """Whether it runs tests, so that none passed is a failure."""
    packages: tuple[str, ...]
    """Packages of Debian that it needs in addition to those of `.ci/run`."""
    skips: Mapping[str, str]
    """Reason why a skip is allowed, by a regular expression of the skip's own reason."""


@dataclass(slots=True)
class Report:
    """Outcome of an environment."""

    name: str
    passed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    allowed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Skipped tests by reason, and why that is allowed."""
    problems: list[str] = field(default_factory=list)
    """Reasons of failure; empty if there was none."""
    unfinished: str = ""
    """A remark, if the time was up before it had ended."""


def environments() -> dict[str, Environment]:
    """Read the list."""
    listed: dict[str, dict[str, Any]] = tomllib.loads(LIST.read_text("utf-8"))
    return {
        name: Environment(
            name,
            tuple(about.get("command", (".venv/bin/tox", "run", "-e", name))),
            about.get("kind", "long"),
            about.get("tests", True),
            tuple(about.get("packages", ())),
            about.get("skips", {}),
        )
        for name, about in listed.items()
    }


def of_kind(kind: str) -> list[Environment]:
    """Return the environments of a kind, in the order of the list."""
    return [each for each in environments().values() if each.kind == kind]


def one_of(commit: str) -> str:
    """Return the name of the long environment that a commit's hash selects."""
    long = of_kind("long")
    return long[int(commit, 16) % len(long)].name


def cells(commit: str) -> list[Environment]:
    """Return the cells; the commit's hash selects one for all tests, the others run place-dependent ones."""
    every = of_kind("cell")
    whole = int(commit, 16) % len(every)
    return [
        each
        if number == whole
        else replace(
            each, name=f"{each.name}-part", command=(*each.command, "--part"), skips={**each.skips, **PART_SKIPS}
        )
        for number, each in enumerate(every)
    ]


def run(environment: Environment, deadline: float) -> Report:
    """Run an environment until it ends or `deadline`, on the clock of `time.monotonic`; show its output."""
    report = Report(environment.name)
    begin = time.monotonic()
    if deadline - begin < LEAST and environment.kind != "required":
        report.unfinished = "left out: no time was left"
        return report
    status = None
    try:
        status = show(environment, deadline, report)
    except TimeoutError:
        if environment.kind == "required":
            report.problems.append("the time was up")
        else:
            report.unfinished = "cut off: the time was up"
    report.seconds = time.monotonic() - begin
    if status:
        report.problems.append(f"ended with status {status}")
    elif status == 0 and environment.tests and not report.passed:
        report.problems.append("no test passed")
    return report


def show(environment: Environment, deadline: float, report: Report) -> int:
    """Run the command of an environment, show and keep its output, and read the report in it.

    Returns:
        Its exit status; negative for a signal.

    Raises:
        TimeoutError: if it had not ended at `deadline`; then it was interrupted, and killed if that did not end it.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    late = False
    # A signal between the start of the process and the `try` would leave the process behind.
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

        def stop(*_: object) -> None:
            """Interrupt the process; if that was done before, kill it."""
            nonlocal late
            if late:
                os.killpg(process.pid, signal.SIGKILL)
                raise TimeoutError  # something that it started may hold its output open
            late = True
            os.killpg(process.pid, signal.SIGINT)
            signal.setitimer(signal.ITIMER_REAL, GRACE)

        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), 0.001))
        try:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            for number in waiting:
                signal.raise_signal(number)
            for line in process.stdout or ():
                sys.stdout.write(line)
                log.write(line)
                read(plain(line), environment, report)
            status = process.wait()
        except (KeyboardInterrupt, SystemExit):  # by Ctrl-C, or SIGTERM
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.communicate(timeout=GRACE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    if late:
        raise TimeoutError
    return status


def read(line: str, environment: Environment, report: Report) -> None:
    """Add a line of output to a report."""
    match result_in(line):
        case Totals(passed, skipped):
            report.passed += passed
            report.skipped += skipped
        case Skip(number, where, why):
            for pattern, reason in environment.skips.items():
                if re.search(pattern, why):
                    report.allowed[why, reason] += number
                    return
            report.problems.append(f"skipped {where}: {why}")
        case Failure(text=text):
            report.problems.append(text)
        case None:
            if line.startswith(FAILED_CHECK):
                report.problems.append(line.removeprefix(FAILED_CHECK))
            elif found := NO_PYTHON.match(line):
                report.allowed[f"no Python {found['why']}", "make test uses those there are"] += 1


def table(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the lines of the final table."""
    rows = [("environment", "passed", "skipped", "time", "result")]
    for report in reports:
        minutes, seconds = divmod(round(report.seconds), 60)
        result = "FAILED" if report.problems else report.unfinished or "ok"
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
    """Run the environments that the command line names; return 1 if anything failed."""
    known = environments()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*known, "nightly", []], help="; ".join(known))
    parser.add_argument("--cells", metavar="COMMIT", help="also the cells, one of them whole, by this commit")
    parser.add_argument("--one-of", metavar="COMMIT", help="also the long environment whose turn this commit is")
    parser.add_argument("--minutes", type=float, default=24 * 60, help="for all together")
    parser.add_argument("--packages", action="store_true", help="list the packages of Debian that they need, and end")
    asked = parser.parse_args()
    chosen = of_kind("long") if "nightly" in asked.names else [known[name] for name in asked.names]
    if asked.cells:
        chosen += cells(asked.cells)
    if asked.one_of:
        chosen.append(known[one_of(asked.one_of)])
    if asked.packages:
        print(*sorted({package for each in chosen for package in each.packages}), sep="\n")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    deadline = time.monotonic() + 60 * asked.minutes
    reports: list[Report] = []
    try:
        for each in chosen:
            print(f"== {each.name}", flush=True)
            reports.append(run(each, deadline))
    except KeyboardInterrupt:
        return 130
    finally:  # hours of results are not lost if the last environment is stopped
        print("", *table(reports), sep="\n", flush=True)
    return int(any(report.problems for report in reports))


if __name__ == "__main__":
    sys.exit(main())
