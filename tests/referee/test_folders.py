"""Folders with an owner: they go with it, or with the next one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from beanleague.referee.folders import PREFIX, OwnFolder, sweep

KILLED = """
import os, signal
from beanleague.referee.folders import OwnFolder
folder = OwnFolder()
(folder.path / "socket").touch()
print(folder.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def _another_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def age(folder: Path) -> None:
    os.utime(folder, (time.time() - 3600,) * 2)


def test_a_folder_goes_with_all_that_is_in_it() -> None:
    with OwnFolder() as folder:
        (folder.path / "0").mkdir()
        assert folder.path.stat().st_mode & 0o777 == 0o700
    assert not folder.path.exists()


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    told = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, check=False).stdout
    left = Path(told.strip())
    assert (left / "socket").exists()
    age(left)
    with OwnFolder():
        assert not left.exists()


def test_folders_of_the_living_and_young_ones_and_those_of_others_stay(tmp_path: Path) -> None:
    notes = tmp_path / f"{PREFIX}notes"
    notes.mkdir()
    (notes / "important").touch()
    age(notes)
    with OwnFolder() as mine:
        age(mine.path)
        sweep()
        assert mine.path.exists()
    young = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, check=False).stdout
    sweep()
    assert Path(young.strip()).exists()
    assert (notes / "important").exists()
