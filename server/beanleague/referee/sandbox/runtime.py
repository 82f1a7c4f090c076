"""A copy in memory of the programs and libraries that bots need.

Bots that read files of a disk can tell by the time that takes whether others have read them before. A copy on a tmpfs
is always in memory.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from beanleague.referee.sandbox.layers import SandboxError

MEMORY = Path("/dev/shm")  # noqa: S108  # where Linux mounts a tmpfs for all users
"""Where a copy is to be made."""

_LEFT_OUT = ("site-packages", "dist-packages", "test", "idlelib", "tkinter", "turtledemo", "ensurepip")
_SHELL = "/bin/sh"
_LIST = "/usr/bin/ldd"
_PATHS = "import json, sys; print(json.dumps([sys.prefix, *filter(None, sys.path)]))"
_LIBRARIES_OF = 200  # files asked for their libraries at once


def copy_runtime(folder: Path, readable: Iterable[str], programs: Iterable[str]) -> int:
    """Copy the interpreter, its modules, a shell, `programs` and all their libraries below `folder`.

    Args:
        folder: empty, on a tmpfs, for `Sandbox.runtime`. What is at /usr/lib comes to FOLDER/usr/lib.
        readable: what bots may read, of which single files are copied as they are.
        programs: first words of the bots' commands. One that lies in a folder of its own, as a JVM does, comes with
            all of that.

    Returns:
        How many bytes were copied.

    Raises:
        SandboxError: if there is not enough memory, or a file cannot be read.
    """
    try:
        for path in readable:
            if Path(path).is_file():
                _copy(Path(path), folder)
        for tree in _modules():
            _copy_tree(tree, folder)
        binaries = [_copy_program(program, folder) for program in (sys.executable, _SHELL, *programs)]
        for library in _libraries([*binaries, *_extensions(folder)]):
            _copy(library, folder)
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    except (OSError, shutil.Error, subprocess.SubprocessError) as problem:
        raise SandboxError(f"the runtime of bots cannot be copied to {folder}: {problem}") from None


def _modules() -> Iterator[Path]:
    """Yield the folders that the interpreter imports from, by itself."""
    answer = subprocess.run([sys.executable, "-I", "-c", _PATHS], capture_output=True, check=True, env={})
    prefix, *paths = map(Path, json.loads(answer.stdout))
    yield from (path for path in paths if path.is_dir())
    if (prefix / "pyvenv.cfg").is_file():
        yield prefix / "pyvenv.cfg"


def _copy_program(program: str, folder: Path) -> Path:
    """Copy a program and the links that lead to it; return where it really is."""
    found = Path(shutil.which(program) or program)
    real = found.resolve()
    home = real.parent.parent
    if real.parent.name == "bin" and (home / "release").is_file():  # a JVM
        _copy_tree(home, folder)
    else:
        _copy(real, folder)
    if found != real:
        link = _below(folder, found)
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(real)
    return real


def _extensions(folder: Path) -> Iterator[Path]:
    """Yield what was copied and may need libraries of the system."""
    yield from (Path("/", path.relative_to(folder)) for path in folder.rglob("*.so*") if path.is_file())


def _libraries(binaries: list[Path]) -> set[Path]:
    """Return the libraries that the dynamic linker loads for `binaries`."""
    found = set()
    for first in range(0, len(binaries), _LIBRARIES_OF):
        some = map(str, binaries[first : first + _LIBRARIES_OF])
        listed = subprocess.run([_LIST, *some], capture_output=True, text=True, check=False).stdout
        for word in listed.split():
            if word.startswith("/") and not word.endswith(":"):
                found.add(Path(word))
    return found


def _copy_tree(tree: Path, folder: Path) -> None:
    if tree.is_file():
        _copy(tree, folder)
        return
    left_out = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(tree, _below(folder, tree), ignore=left_out, ignore_dangling_symlinks=True, dirs_exist_ok=True)


def _copy(file: Path, folder: Path) -> None:
    target = _below(folder, file)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def _below(folder: Path, path: Path) -> Path:
    """Return where `path` is copied to: without links on the way, of which bots see those at the top alone."""
    return folder / os.path.realpath(path.parent).lstrip("/") / path.name
