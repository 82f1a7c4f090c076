"""Tests are repeated beside busy loops, and go on where they were stopped."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.processes import is_alive
from tests.waiting import ending, until

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import repeat
with repeat.busy_loops(1) as loops:
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_busy_loops_end_with_a_program_that_is_killed(tool: Any) -> None:
    line = [sys.executable, "-c", PROGRAM, str(Path(tool.__file__).parent)]
    with ending(subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)) as killed:
        assert killed.stdout
        assert killed.stdout.readline() == b"begun\n"
        (loop,) = psutil.Process(killed.pid).children()
        killed.kill()
    until(lambda: not is_alive(loop))


@pytest.fixture
def runs_of(tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Repeats the tests of some folders, b of which fail, twice each in a project with one commit."""
    project = tmp_path / "project"
    project.mkdir()
    git = ("git", "-C", str(project), "-c", "user.name=ann", "-c", "user.email=ann@example.org")
    for words in (("init", "--quiet"), ("commit", "--quiet", "--allow-empty", "--message", "Begin")):
        subprocess.run([*git, *words], check=True)
    monkeypatch.setattr(tool, "ROOT", project)

    def runs(asked: list[tuple[str, int]], *folders: str, then: Callable[[], object] = int) -> list[Any]:
        def run(folder: str, number: int, busy: int, arguments: Sequence[str], _log: Path) -> Any:
            asked.append((folder, number))
            then()
            failed = ("tests/b.py::test_b",) * (folder == "b")
            return tool.Run(folder, number, busy, len(failed), 1.0, failed, tuple(arguments))

        monkeypatch.setattr(tool, "test", run)
        repeated: list[Any] = tool.repeat(folders, 2, 0, ["-x"], tool.committed(), tmp_path)
        return repeated

    return runs


def interrupt(asked: list[tuple[str, int]]) -> None:
    """Interrupt the third run."""
    if len(asked) == 3:
        raise KeyboardInterrupt


def test_finished_runs_are_kept_and_only_the_rest_is_run(tool: Any, runs_of: Callable[..., list[Any]]) -> None:
    asked: list[tuple[str, int]] = []
    with pytest.raises(KeyboardInterrupt):
        runs_of(asked, "a", "b", then=lambda: interrupt(asked))
    assert asked == [("a", 1), ("b", 1), ("a", 2)]
    asked.clear()
    runs = runs_of(asked, "a", "b")
    assert asked == [("a", 2), ("b", 2)]
    assert list(tool.table(runs))[-1] == "failed 2 times: tests/b.py::test_b"


def test_a_run_that_was_written_in_part_is_run_again(runs_of: Callable[..., list[Any]], tmp_path: Path) -> None:
    runs_of([], "a")
    (results,) = tmp_path.glob("*/runs.jsonl")
    whole = results.read_text("utf-8")
    results.write_text(whole[:-20], "utf-8")
    asked: list[tuple[str, int]] = []
    assert len(runs_of(asked, "a")) == 2
    assert asked == [("a", 2)]
    assert results.read_text("utf-8") == whole


def test_runs_of_files_that_are_not_committed_are_refused(
    tool: Any, runs_of: Callable[..., list[Any]], tmp_path: Path
) -> None:
    (tmp_path / "project" / "new.py").touch()
    with pytest.raises(tool.TreeError, match=r"commit or remove first:\n\?\? new.py"):
        runs_of([], "a")


def test_a_run_in_which_files_changed_is_not_kept(tool: Any, runs_of: Callable[..., list[Any]], tmp_path: Path) -> None:
    new = tmp_path / "project" / "new.py"
    with pytest.raises(tool.TreeError):
        runs_of([], "a", then=new.touch)
    new.unlink()
    asked: list[tuple[str, int]] = []
    runs_of(asked, "a")
    assert asked == [("a", 1), ("a", 2)]
