"""Long environments run in turn, and what they skip is allowed or red; CONTRIBUTING.md names what there is."""

import configparser
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SHORT = {"lint", "bench"}
"""Environments that `make test` runs, or that have no tests."""


@pytest.fixture(autouse=True)
def _own_logs(tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "LOGS", tmp_path)


def ended(tool: Any, *lines: str, status: int = 0, skips: dict[str, str] | None = None, tests: bool = True) -> Any:
    """Run an environment that prints these lines, and return its report."""
    program = f"print({chr(10).join(lines)!r}); raise SystemExit({status})"
    return tool.run(
        tool.Environment("tried", (sys.executable, "-c", program), True, tests, (), skips or {}), time.monotonic() + 60
    )


def test_every_environment_of_tox_is_in_the_list() -> None:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", "utf-8")
    there = {name.removeprefix("testenv:") for name in tox.sections() if name.startswith("testenv:")}
    listed = re.findall(r"^\[(\w+)\]$", (ROOT / "tools" / "environments.toml").read_text("utf-8"), re.MULTILINE)
    assert set(listed) - {"tests"} == there - SHORT


def test_what_passed_and_was_skipped_is_counted_over_all_commands(tool: Any) -> None:
    report = ended(
        tool,
        "SKIPPED [2] tests/a.py:3: there is no npm here",
        "=== 5 passed, 2 skipped, 1 deselected in 0.20s ===",
        "7 passed in 61.20s (0:01:01)",
        skips={"no npm": "why not"},
    )
    assert (report.passed, report.skipped, report.problems) == (12, 2, [])
    assert dict(report.allowed) == {("there is no npm here", "why not"): 2}


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


def test_what_takes_too_long_is_killed_with_all_that_it_started(tool: Any) -> None:
    command = ("sh", "-c", "sleep 1000 & echo $!; wait")
    report = tool.run(tool.Environment("tried", command, True, False, (), {}), time.monotonic() + 0.5)
    assert report.problems == ["the time was up"]


def test_what_is_stopped_ends_what_it_started(tool: Any, tmp_path: Path) -> None:
    started = tmp_path / "pid"
    listed = tmp_path / "environments.toml"
    listed.write_text(f'[tried]\ncommand = ["sh", "-c", "echo $$ > {started}; exec sleep 1000"]\n')
    program = f"""
import runpy, sys
from pathlib import Path
tool = runpy.run_path({tool.__file__!r})
tool["main"].__globals__.update(LIST=Path({str(listed)!r}), LOGS=Path({str(tmp_path)!r}))
sys.argv[1:] = ["tried"]
tool["main"]()
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL) as stopped:
        while not (started.exists() and started.read_text().strip()):
            time.sleep(0.01)
        stopped.terminate()
    assert stopped.returncode == 143
    assert not Path(f"/proc/{started.read_text().strip()}").exists()


def test_each_commit_has_a_long_environment_and_all_have_their_turn(tool: Any) -> None:
    long = {each.name for each in tool.environments().values() if each.long}
    assert {tool.one_of(f"{number:040x}") for number in range(len(long))} == long


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
