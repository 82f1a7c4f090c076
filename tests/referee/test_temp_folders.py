"""Folders with an owner: they go with it, or with the next one."""

import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.referee.temp_folders import MEMORY, PREFIX, TempFolder, sweep

KILLED = """
import os, signal
from beanleague.referee.temp_folders import TempFolder
folder = TempFolder()
(folder.path / "socket").touch()
print(folder.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Another temporary folder, with a short path."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(folder)


def test_a_folder_goes_with_all_that_is_in_it() -> None:
    with TempFolder() as folder:
        (folder.path / "0").mkdir()
        assert folder.path.stat().st_mode & 0o777 == 0o700
    assert not folder.path.exists()


@pytest.mark.parametrize(("length", "here"), [(60, True), (61, False)])
def test_paths_of_sockets_are_short_wherever_temporary_files_are(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, length: int, here: bool
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", f"{temporary}/{'x' * 60}"[:length])
    Path(tempfile.tempdir or "").mkdir()
    with TempFolder() as folder, socket.socket(socket.AF_UNIX) as opened:
        assert (folder.path.parent == Path(tempfile.tempdir or "")) is here
        (folder.path / "12345678").mkdir()
        opened.bind(str(folder.path / "12345678" / "referee"))


def test_a_folder_left_by_a_killed_process_is_removed_by_the_next() -> None:
    output = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, check=False).stdout
    left = Path(output.strip())
    assert (left / "socket").exists()
    with TempFolder():
        assert not left.exists()


def test_a_folder_in_memory_left_by_a_killed_process_is_removed_by_the_next_elsewhere() -> None:
    code = KILLED.replace("TempFolder()", "TempFolder(Path('/dev/shm'))").replace(
        "import os", "from pathlib import Path\nimport os"
    )
    left = Path(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout.strip()
    )
    assert left.parent == MEMORY
    with TempFolder():
        assert not left.exists()


def test_folders_of_the_living_and_those_of_others_stay(temporary: Path) -> None:
    notes = temporary / f"{PREFIX}notes"
    notes.mkdir()
    (notes / "important").touch()
    with TempFolder() as mine, TempFolder(MEMORY) as in_memory:
        sweep()
        assert mine.path.exists()
        assert in_memory.path.exists()
    assert (notes / "important").exists()


def test_a_folder_is_locked_as_soon_as_it_has_an_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others may sweep at any time, also while it is made."""
    rename = Path.rename

    def swept(file: Path, target: Path) -> Path:
        sweep()
        renamed = rename(file, target)
        sweep()
        return renamed

    monkeypatch.setattr(Path, "rename", swept)
    with TempFolder() as folder:
        assert folder.path.exists()
