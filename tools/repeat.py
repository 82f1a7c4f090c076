"""Runs tests repeatedly, with busy loops on request, to find tests that fail by chance or under load.

    python tools/repeat.py                                  # all tests, three times
    python tools/repeat.py --times 10 --busy 6 referee cli  # these folders of tests/, beside six busy loops
    python tools/repeat.py hostile -- --all-layers          # with this argument of pytest

Runs of a commit are kept in build/repeat/, so the same command goes on where it was stopped. Files that are not
committed, or another commit in the middle, end it: they would count for the wrong commit. Ends with a table of the
folders and every test that failed; the exit status is 1 if any did, 2 if it could not go on. `make dev` first.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytest_output import Failure, result_in

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "repeat"
PYTEST = (".venv/bin/pytest", "--quiet", "--numprocesses=4", "--dist=loadfile", "--no-loadscope-reorder")
NO_TESTS = 5
"""Exit status of pytest where a folder has no tests, e.g. of slow ones only."""


class TreeError(Exception):
    """Raised when the files differ from the commit whose runs are counted; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the tests of a folder."""

    folder: str
    """Below tests/."""
    number: int
    """Number from 1 among the runs of this folder with these arguments under this load."""
    busy: int
    """Busy loops beside it."""
    status: int
    """Exit status of pytest."""
    seconds: float
    """Duration."""
    failed: tuple[str, ...]
    """Tests that failed."""
    arguments: tuple[str, ...] = ()
    """More arguments of pytest."""


def folders() -> list[str]:
    """Return the folders and files in tests/ that hold tests."""
    return sorted({file.relative_to(ROOT / "tests").parts[0] for file in (ROOT / "tests").glob("**/test_*.py")})


@contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """Keep CPUs busy with this many processes, which end with this one however it ends."""
    endless = f"import os\nwhile os.getppid() == {os.getpid()}: pass"
    loops = [subprocess.Popen([sys.executable, "-c", endless]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def committed() -> str:
    """Return the short hash of the commit, whose files must be unchanged.

    Raises:
        TreeError: if there are changes or new files.
    """
    git = ["git", "-C", str(ROOT)]
    changes = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True).stdout
    if changes:
        raise TreeError(f"runs are counted by commit: commit or remove first:\n{changes.rstrip()}")
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    return head.stdout.strip()


def test(folder: str, number: int, busy: int, arguments: Sequence[str], log: Path) -> Run:
    """Run the tests of a folder once, and keep their output."""
    begin = time.monotonic()
    with log.open("w", encoding="utf-8") as output:
        done = subprocess.run(
            [*PYTEST, *arguments, f"tests/{folder}"], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    lines = log.read_text("utf-8", errors="replace").splitlines()
    failed = tuple(result.test for line in lines if isinstance(result := result_in(line), Failure))
    status = 0 if done.returncode == NO_TESTS else done.returncode
    return Run(folder, number, busy, status, round(time.monotonic() - begin, 1), failed, tuple(arguments))


def runs_in(results: Path) -> list[Run]:
    """Read the runs in a file, and cut off a last line that was not written to its end."""
    if not results.exists():
        return []
    whole, end, _ = results.read_bytes().rpartition(b"\n")
    os.truncate(results, len(whole) + len(end))
    kept: list[dict[str, Any]] = [json.loads(line) for line in whole.splitlines()]
    return [Run(**{**run, "failed": tuple(run["failed"]), "arguments": tuple(run["arguments"])}) for run in kept]


def repeat(
    wanted: Sequence[str], times: int, busy: int, arguments: Sequence[str], commit: str, kept: Path
) -> list[Run]:
    """Run each folder `times` times; return all runs of the same load and arguments, stored ones included.

    Raises:
        TreeError: if the files are not those of the commit, before or after a run; such a run is not kept.
    """
    folder_of_commit = kept / commit
    folder_of_commit.mkdir(parents=True, exist_ok=True)
    results = folder_of_commit / "runs.jsonl"
    runs = [
        run
        for run in runs_in(results)
        if (run.busy, run.arguments) == (busy, tuple(arguments)) and run.folder in wanted and run.number <= times
    ]
    done = {(run.folder, run.number) for run in runs}
    with busy_loops(busy):
        for number, folder in itertools.product(range(1, times + 1), wanted):
            if (folder, number) in done:
                continue
            log = folder_of_commit / f"{folder.replace('/', '-')}-{number}-busy{busy}.log"
            run = test(folder, number, busy, arguments, log)
            if committed() != commit:
                raise TreeError(f"another commit was checked out during a run of {commit}, which is not counted")
            runs.append(run)
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(run)) + "\n")
            became = ", ".join(run.failed) or ("failed" if run.status else "passed")
            print(f"{folder} {number} of {times}: {run.seconds:.0f} s, {became}", flush=True)
    return runs


def table(runs: Sequence[Run]) -> Iterator[str]:
    """Yield a line for each folder, and one for each test that failed with how often."""
    of_folder = defaultdict[str, list[Run]](list)
    for run in runs:
        of_folder[run.folder].append(run)
    for folder, each in of_folder.items():
        bad = sum(run.status != 0 for run in each)
        seconds = sorted(run.seconds for run in each)
        yield f"{folder:<12} {len(each):>3} runs  {bad:>3} failed  {seconds[0]:.0f} to {seconds[-1]:.0f} s"
    for test_name, number in Counter(name for run in runs for name in run.failed).most_common():
        yield f"failed {number} times: {test_name}"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="below tests/ (all)")
    parser.add_argument("--times", type=int, default=3, help="of each folder (3)")
    parser.add_argument("--busy", type=int, default=0, help="busy loops beside the tests (0)")
    parser.add_argument("--kept", type=Path, default=KEPT, metavar="FOLDER", help="of the runs (build/repeat)")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    asked = parser.parse_args(words[:end])
    os.environ.pop("CI", None)
    try:
        runs = repeat(asked.folders or folders(), asked.times, asked.busy, words[end + 1 :], committed(), asked.kept)
    except TreeError as error:
        print(f"repeat: {error}", file=sys.stderr)
        return 2
    print("", *table(runs), sep="\n")
    return int(any(run.status for run in runs))


if __name__ == "__main__":
    sys.exit(main())
