"""Files that belong to somebody else: root gives them away and does without its rights over files of others."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_NOBODY = 65534
_VERSION = 0x20080522
_OVERRIDE = 0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
_CAPBSET_DROP = 24
_Sets = ctypes.c_uint32 * 6


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


@contextmanager
def write_protected(folder: Path, mode: int = 0o444) -> Iterator[None]:
    """Let a folder and its files be readable alone, for this thread and those that it starts. `mode`: of its files."""
    files = list(folder.iterdir())
    for file in files:
        file.chmod(mode)
    folder.chmod(0o555)
    try:
        if os.geteuid() == 0:
            for path in (folder, *files):
                os.chown(path, _NOBODY, _NOBODY)
            with _without_override():
                yield
        else:
            yield
    finally:
        folder.chmod(0o755)


@contextmanager
def _without_override() -> Iterator[None]:
    """Take from this thread the rights of root over files of others."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION, 0), _Sets()
    assert libc.capget(ctypes.byref(header), sets) == 0
    before = sets[0]
    sets[0] = before & ~_OVERRIDE
    assert libc.capset(ctypes.byref(header), sets) == 0
    try:
        yield
    finally:
        sets[0] = before
        assert libc.capset(ctypes.byref(header), sets) == 0


def give_up_override() -> None:
    """Take the same rights from a program that is started: between fork and exec."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for right in (1, 2):
            assert libc.prctl(_CAPBSET_DROP, right, 0, 0, 0) == 0


@contextmanager
def mounted(place: Path, *options: str) -> Iterator[Path]:
    """Mount a file system at a new folder; skip the test where that is not possible."""
    place.mkdir()
    done = subprocess.run(["mount", *options, str(place)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"file systems cannot be mounted here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextmanager
def read_only_media(place: Path, *files: Path) -> Iterator[Path]:
    """Mount a file system with copies of some files that nobody can write."""
    with mounted(place, "-t", "tmpfs", "none"):
        for file in files:
            shutil.copy(file, place)
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        yield place


@contextmanager
def read_only_view(place: Path, folder: Path) -> Iterator[Path]:
    """Mount a folder at another place, where it is read-only."""
    with mounted(place, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(place)], check=True)
        yield place
