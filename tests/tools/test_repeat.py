"""Tests are repeated beside busy loops, and go on where they were stopped."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.processes import is_alive
from tests.waiting import until

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
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as killed:
        assert killed.stdout
        assert killed.stdout.readline() == b"begun\n"
        (loop,) = psutil.Process(killed.pid).children()
        killed.kill()
    until(lambda: not is_alive(loop))


def test_finished_runs_are_kept_and_only_the_rest_is_run(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int]] = []

    def run(folder: str, number: int, busy: int, _log: Path) -> Any:
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append((folder, number))
        return tool.Run(folder, number, busy, int(folder == "b"), 1.0, ("tests/b.py::test_b",) * (folder == "b"))

    monkeypatch.setattr(tool, "test", run)
    with pytest.raises(KeyboardInterrupt):
        tool.repeat(["a", "b"], 2, 0, tmp_path)
    assert asked == [("a", 1), ("b", 1), ("a", 2)]
    asked.clear()
    runs = tool.repeat(["a", "b"], 2, 0, tmp_path)
    assert asked == [("b", 2)]
    assert list(tool.table(runs))[-1] == "failed 2 times: tests/b.py::test_b"
