"""Whoever waits in a test waits up to a deadline, and a test that hangs holds up no others."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests import waiting
from tests.waiting import TIMEOUT_S, ending, first_line, join

SILENT = [sys.executable, "-c", "import time; time.sleep(3600)"]
HANGING = """
import signal, threading

def test_that_waits():
    threading.Event().wait()

def test_after_that():
    pass

def test_that_cannot_be_interrupted():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    threading.Event().wait()
"""


def silent() -> subprocess.Popen[str]:
    return subprocess.Popen(SILENT, stdout=subprocess.PIPE, text=True)


def test_a_program_is_killed_when_its_block_fails() -> None:
    with pytest.raises(ValueError, match="a mistake"), ending(silent()) as program:
        raise ValueError("a mistake")
    assert program.returncode == -9


def test_reading_from_a_program_that_prints_nothing_ends() -> None:
    with ending(silent(), life_s=0.1) as program:
        assert program.stdout
        assert program.stdout.readline() == ""
    assert program.returncode == -9


def test_the_first_line_of_a_program_that_prints_nothing_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "TIMEOUT_S", 0.1)
    with ending(silent()) as program:
        assert first_line(program) == ""


def test_a_thread_that_does_not_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "TIMEOUT_S", 0.1)
    over = threading.Event()
    thread = threading.Thread(target=over.wait, name="endless", daemon=True)
    thread.start()
    with pytest.raises(AssertionError, match="endless"):
        join(thread)
    over.set()


def test_a_test_that_hangs_fails_and_else_its_process_ends_and_prints_where(tmp_path: Path) -> None:
    file = tmp_path / "test_hanging.py"
    file.write_text(HANGING)
    words = [sys.executable, "-m", "pytest", "-v", "-p", "tests.conftest", "-p", "no:xdist", "--limit=1.5", str(file)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    root = Path(__file__).parents[1]
    done = subprocess.run(words, cwd=root, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 1
    assert re.findall(r"::(\w+) (FAILED|PASSED)", done.stdout) == [
        ("test_that_waits", "FAILED"),
        ("test_after_that", "PASSED"),
    ]
    assert f'File "{file}", line 12 in test_that_cannot_be_interrupted' in done.stderr
