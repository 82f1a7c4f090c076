"""Long environments run in turn, and what they skip is allowed or red; CONTRIBUTING.md names what there is."""

import configparser
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until

ROOT = Path(__file__).parents[2]
SHORT = {"lint", "bench"}
"""Environments that `make test` runs, or that have no tests."""


@pytest.fixture(autouse=True)
def _own_logs(tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "LOGS", tmp_path)


def ended(tool: Any, *lines: str, status: int = 0, skips: dict[str, str] | None = None, tests: bool = True) -> Any:
    """Run an environment that prints these lines, and return its report."""
    program = f"print({chr(10).join(lines)!r}); raise SystemExit({status})"
    command = (sys.executable, "-c", program)
    return tool.run(
        tool.Environment("tried", command, "long", tests, (), skips or {}), time.monotonic() + tool.LEAST + 60
    )


def test_every_environment_of_tox_is_in_the_list(tool: Any) -> None:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", "utf-8")
    there = {name.removeprefix("testenv:") for name in tox.sections() if name.startswith("testenv:")}
    of_machines = {"tests", *(each.name for each in tool.of_kind("cell"))}
    assert set(tool.environments()) - of_machines == there - SHORT


def test_passed_and_skipped_tests_are_counted_over_all_commands(tool: Any) -> None:
    report = ended(
        tool,
        "SKIPPED [2] tests/a.py:3: there is no npm here",
        "=== 5 passed, 2 skipped, 1 deselected in 0.20s ===",
        "7 passed in 61.20s (0:01:01)",
        skips={"no npm": "why not"},
    )
    assert (report.passed, report.skipped, report.problems) == (12, 2, [])
    assert dict(report.allowed) == {("there is no npm here", "why not"): 2}


def test_an_error_of_pip_that_the_environment_outlives_is_none(tool: Any) -> None:
    report = ended(tool, "ERROR: Operation cancelled by user", "1 passed in 0.20s")
    assert report.problems == []


def test_coloured_output_is_read_like_any_other(tool: Any) -> None:
    report = ended(
        tool,
        "\x1b[33mSKIPPED\x1b[0m [2] tests/a.py:3: there is no npm here",
        "\x1b[31mFAILED\x1b[0m tests/a.py::\x1b[1mtest_a\x1b[0m - assert 1",
        "\x1b[31m=== \x1b[1m1 failed\x1b[0m, \x1b[32m5 passed\x1b[0m, 2 skipped\x1b[31m in 0.20s\x1b[0m",
        skips={"no npm": "why not"},
    )
    assert (report.passed, report.skipped, report.problems) == (5, 2, ["tests/a.py::test_a - assert 1"])


@pytest.mark.parametrize(
    ("lines", "status", "problem"),
    [
        (["SKIPPED [1] tests/a.py:3: there is no npm here", "1 passed, 1 skipped in 1.00s"], 0, "skipped tests/a.py: "),
        (["1 failed, 3 passed in 1.00s"], 1, "ended with status 1"),
        (["no tests ran in 1.00s"], 0, "no test passed"),
        (["FAILED tests/a.py::test_a - assert 1", "1 failed in 1.00s"], 1, "tests/a.py::test_a - assert 1"),
        (["lint: FAILED: ruff check"], 1, "ruff check"),
    ],
)
def test_other_skips_failures_and_nothing_tested_are_red(
    tool: Any, lines: list[str], status: int, problem: str
) -> None:
    report = ended(tool, *lines, status=status)
    assert [each for each in report.problems if each.startswith(problem)]
    assert any("tried: FAILED: " in line for line in tool.table([report]))


def test_a_required_environment_that_takes_too_long_is_killed_and_fails(
    tool: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "GRACE", 0.1)
    command = ("sh", "-c", "trap '' INT; sleep 1000 & echo $!; wait")
    report = tool.run(tool.Environment("tried", command, "required", False, (), {}), time.monotonic() + 0.5)
    assert report.problems == ["the time was up"]


@pytest.mark.parametrize("kind", ["long", "cell"])
def test_an_environment_that_is_not_required_is_cut_off_without_failing(
    tool: Any, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(tool, "LEAST", 0.0)
    report = tool.run(tool.Environment("tried", ("sleep", "1000"), kind, True, (), {}), time.monotonic() + 0.2)
    assert report.problems == []
    assert [line for line in tool.table([report]) if line.endswith("cut off: the time was up")]


def test_a_failure_seen_before_the_time_was_up_is_one(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "LEAST", 0.0)
    command = ("sh", "-c", "trap 'echo FAILED tests/a.py::test_a; exit 2' INT; while :; do sleep 0.01; done")
    report = tool.run(tool.Environment("tried", command, "long", True, (), {}), time.monotonic() + 0.5)
    assert report.problems == ["tests/a.py::test_a"]


def test_an_environment_without_time_left_is_left_out(tool: Any) -> None:
    report = tool.run(tool.Environment("tried", ("false",), "long", True, (), {}), time.monotonic() + tool.LEAST / 2)
    assert (report.problems, report.unfinished) == ([], "left out: no time was left")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("trap", ["", "trap '' INT; "])
def test_a_stopped_run_ends_its_command_and_shows_the_table(
    tool: Any, tmp_path: Path, number: signal.Signals, status: int, trap: str
) -> None:
    started = tmp_path / "pid"
    listed = tmp_path / "environments.toml"
    listed.write_text(f"""
[first]
command = ["echo", "3 passed in 1.00s"]
[second]
command = ["sh", "-c", "{trap}echo $$ > {started}; exec sleep 1000"]
""")
    program = f"""
import runpy, sys
from pathlib import Path
sys.path.insert(0, {str(Path(tool.__file__).parent)!r})
tool = runpy.run_path({tool.__file__!r})
tool["main"].__globals__.update(LIST=Path({str(listed)!r}), LOGS=Path({str(tmp_path)!r}), GRACE=0.2)
sys.argv[1:] = ["first", "second"]
sys.exit(tool["main"]())
"""
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen([sys.executable, "-c", program], text=True, **both) as stopped:  # type: ignore[call-overload]
        until(lambda: (started.exists() and started.read_text().strip()) or stopped.poll() is not None)
        stopped.send_signal(number)
        said, _ = stopped.communicate(timeout=60)
    assert stopped.returncode == status
    assert not Path(f"/proc/{started.read_text().strip()}").exists()
    assert re.search(r"^first +3 +0 .* ok$", said, re.MULTILINE)
    assert "Traceback" not in said


def test_the_list_has_known_settings_and_kinds_only() -> None:
    listed = tomllib.loads((ROOT / "tools" / "environments.toml").read_text("utf-8"))
    assert {key for about in listed.values() for key in about} <= {"command", "kind", "tests", "packages", "skips"}
    assert {about.get("kind", "long") for about in listed.values()} == {"required", "cell", "long"}


def test_ci_runs_every_required_environment(tool: Any) -> None:
    run = (ROOT / ".ci" / "run").read_text("utf-8")
    (names,) = re.findall(r"environments\.py ((?:\w+ )+)--cells", run)
    assert set(names.split()) == {each.name for each in tool.of_kind("required")}


def test_each_commit_has_a_long_environment_and_all_have_their_turn(tool: Any) -> None:
    long = {each.name for each in tool.of_kind("long")}
    assert {tool.one_of(f"{number:040x}") for number in range(len(long))} == long


def test_each_commit_runs_every_cell_and_one_of_them_whole(tool: Any) -> None:
    names = {each.name for each in tool.of_kind("cell")}
    turns = [tool.cells(f"{number:040x}") for number in range(len(names))]
    whole = [[each.name for each in cells if "--part" not in each.command] for cells in turns]
    assert [len(each) for each in whole] == [1] * len(names)
    assert {name for (name,) in whole} == names
    assert all({each.name.removesuffix("-part") for each in cells} == names for cells in turns)


def test_the_command_line_names_packages_and_refuses_what_there_is_not() -> None:
    words = [sys.executable, str(ROOT / "tools" / "environments.py")]
    packages = subprocess.run([*words, "languages", "--packages"], capture_output=True, text=True, check=True)
    assert "libgrpc++-dev" in packages.stdout.split()
    assert subprocess.run([*words, "nonsense"], capture_output=True, check=False).returncode == 2


PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def environments() -> set[str]:
    """Return the names of the environments that tox.ini has a section for."""
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", "utf-8")
    return {name.removeprefix("testenv:") for name in tox.sections() if name.startswith("testenv:")}


def test_every_target_that_is_named_is_in_the_makefile() -> None:
    named = set(re.findall(r"(?:`|^)make ([\w-]+)", PAGE, re.MULTILINE))
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert {"dev", "lint", "fmt", "test"} <= named <= set(phony.split())


def test_the_makefile_starts_with_a_line_for_each_target() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert re.findall(r"^# make ([\w-]+) ", MAKEFILE, re.MULTILINE) == phony.split()


def test_the_table_holds_every_environment() -> None:
    rows = set(re.findall(r"^\| `([\w-]+)`", PAGE, re.MULTILINE))
    assert {name for name in rows if not re.match(r"py\d", name)} == environments()


@pytest.mark.parametrize("folder", sorted(set(re.findall(r"pytest (?:[^`\n#]* )?(tests/[a-z/]+)", PAGE))))
def test_a_folder_of_tests_that_is_named_is_there(folder: str) -> None:
    assert (ROOT / folder).is_dir()
