"""Runtime for isolated leagues, in which bots and all files that they read are in memory.

The time to read a file from disk reveals whether another bot has read it before. A copy on a tmpfs is always in memory.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from beanleague.interpreter import PROGRAM
from beanleague.referee.messages import BotSpec, Limits
from beanleague.referee.sandbox.launch import Sandbox
from beanleague.referee.sandbox.layers import Layer, SandboxError
from beanleague.referee.sandbox.probe import examine
from beanleague.referee.sandbox.surroundings import interpreter_paths
from beanleague.referee.temp_folders import MEMORY, TempFolder

_MIN_MIB = 512  # minimum size, since an interpreter with a few packages takes 300 MiB

_SETTINGS = Path("/etc")
_LINKS = Path("/etc/alternatives")
"""Links to programs, of which only a few are copied."""
_LEFT_OUT = ("site-packages", "dist-packages", "test", "idlelib", "tkinter", "turtledemo", "ensurepip", "config-3*")
_SHELL = "/bin/sh"
_LDD = "/usr/bin/ldd"
_MAX_LDD_FILES = 200  # number of files per call of ldd


def why_not_isolated(limits: Limits) -> str:
    """Return the reason why leagues cannot be isolated on this machine, "" if they can."""
    if why := examine(Layer.BUBBLEWRAP, limits).why_not:
        return f"{Layer.BUBBLEWRAP} does not work: {why}"
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text("utf-8", "surrogateescape").splitlines()]
    if not any(words[1:3] == [str(MEMORY), "tmpfs"] for words in mounts):
        return f"no tmpfs is mounted at {MEMORY}"
    if (free := _free_mib()) < _MIN_MIB:
        return (
            f"a copy of all files that bots read takes at least {_MIN_MIB} MiB of memory, and {MEMORY} has {free} "
            "MiB left; free memory, or make it larger (with Docker: --shm-size 2g)"
        )
    return ""


@contextmanager
def held_in_memory(bots: Sequence[BotSpec], limits: Limits) -> Iterator[tuple[Sandbox, tuple[BotSpec, ...]]]:
    """Yield a sandbox with a runtime in memory, and the bots with copies of their bundles.

    The copies are removed at the end, or by the next `TempFolder` if this process is killed.

    Raises:
        SandboxError: this machine cannot isolate; the message gives the reason.
    """
    sandbox = examine(Layer.BUBBLEWRAP, limits).sandbox
    why = why_not_isolated(limits)
    if why or sandbox is None:
        raise SandboxError(f"this league is isolated, which is not possible here: {why}. See 'beanleague doctor'")
    with TempFolder(MEMORY) as folder:
        runtime = folder.path / "runtime"
        runtime.mkdir()
        installed = sorted({bot.packages for bot in bots} - {""})
        programs = {bot.command[0] for bot in bots} - {"python"}
        copy_runtime(runtime, sandbox.readable, programs, map(Path, installed))
        copies = [_copy_bundle(Path(bot.folder), folder.path / f"bot{bot.number}") for bot in bots]
        packages = {
            name: str(_copy_bundle(Path(name), folder.path / f"packages{number}"))
            for number, name in enumerate(installed)
        }
        yield (
            replace(sandbox, runtime=runtime),
            tuple(
                replace(bot, folder=str(copy), packages=packages.get(bot.packages, ""))
                for bot, copy in zip(bots, copies, strict=True)
            ),
        )


def _free_mib() -> int:
    """Return the MiB that fit into `MEMORY`, and into the machine's memory."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    available = next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), 0) // 2**10
    return min(shutil.disk_usage(MEMORY).free // 2**20, available)


def copy_runtime(folder: Path, readable: Iterable[str], programs: Iterable[str], packages: Iterable[Path] = ()) -> None:
    """Copy the interpreter, its modules, a shell, `programs` and all their libraries below `folder`.

    Args:
        folder: empty folder on a tmpfs, for `Sandbox.runtime`. The copy of /usr/lib is FOLDER/usr/lib.
        readable: paths that bots may read; single files and folders of settings among them are copied whole.
        programs: first words of the bots' commands; readable programs are copied. A program in its own folder, such as
            a JVM, is copied with that folder.
        packages: folders elsewhere with extension modules, whose libraries are copied, too.

    Raises:
        SandboxError: if there is not enough memory, or a file cannot be read.
    """
    try:
        for path in readable:
            if Path(path).is_file() or _SETTINGS in Path(path).parents:
                _copy_tree(Path(path), folder)
        for tree in _modules():
            _copy_tree(tree, folder)
        found = filter(None, map(_program_path, programs))
        others = [program for program in found if any(program.resolve().is_relative_to(path) for path in readable)]
        binaries = [_copy_program(program, folder) for program in (Path(PROGRAM), Path(_SHELL), *others)]
        copied = (Path("/", path.relative_to(folder)) for path in _shared_objects([folder]))
        for library in _libraries([*binaries, *copied, *_shared_objects(packages)]):
            _copy(library, folder)
    except (OSError, subprocess.SubprocessError) as problem:
        raise _failure(folder, problem) from None


def _copy_bundle(bundle: Path, folder: Path) -> Path:
    """Copy the unpacked bundle of a bot to the new `folder`; return it.

    Raises:
        SandboxError: if there is not enough memory, or a file cannot be read.
    """
    try:
        shutil.copytree(bundle, folder)
        _make_removable(folder)
    except OSError as problem:
        raise _failure(folder, problem) from None
    return folder


def _failure(folder: Path, problem: Exception) -> SandboxError:
    if shutil.disk_usage(folder.parent).free < 2**20:
        return SandboxError(
            f"the files that bots read do not fit into {MEMORY}; make it larger (with Docker: --shm-size 2g)"
        )
    return SandboxError(f"the files that bots read cannot be copied to {folder}: {problem!s:.300}")


def _modules() -> Iterator[Path]:
    """Yield the default import folders of the interpreter."""
    prefix, _, _, *paths = map(Path, interpreter_paths())
    yield from (path for path in paths if path.is_dir())
    if (prefix / "pyvenv.cfg").is_file():
        yield prefix / "pyvenv.cfg"


def _program_path(program: str) -> Path | None:
    """Return the path of a system program; None if it is missing, or part of the bot's bundle."""
    path = shutil.which(program) if program.startswith("/") or "/" not in program else None
    return Path(path) if path else None


def _copy_program(found: Path, folder: Path) -> Path:
    """Copy a program and the links to it; return its real path."""
    real = found.resolve()
    home = real.parent.parent
    if real.parent.name == "bin" and (home / "release").is_file():  # a Java installation is copied as a whole
        _copy_tree(home, folder)
    else:
        _copy(real, folder)
    if found != real:
        link = _below(folder, found)
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(real)
    return real


def _shared_objects(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield shared objects, which may need system libraries."""
    return (path for folder in folders for path in folder.rglob("*.so*") if path.is_file())


def _libraries(binaries: list[Path]) -> set[Path]:
    """Return the libraries loaded by the dynamic linker for `binaries`."""
    found = set()
    for first in range(0, len(binaries), _MAX_LDD_FILES):
        some = map(str, binaries[first : first + _MAX_LDD_FILES])
        listed = subprocess.run(
            [_LDD, *some], capture_output=True, encoding="utf-8", errors="surrogateescape", check=False
        ).stdout
        for word in listed.split():
            if word.startswith("/") and not word.endswith(":"):
                found.add(Path(word))
    return found


def _copy_tree(tree: Path, folder: Path) -> None:
    if tree.is_file():
        _copy(tree, folder)
        return
    left_out = shutil.ignore_patterns(*_LEFT_OUT)
    target = _below(folder, tree)
    links = tree == _LINKS
    shutil.copytree(tree, target, links, left_out, ignore_dangling_symlinks=True, dirs_exist_ok=True)
    _make_removable(target)


def _make_removable(folder: Path) -> None:
    """Make copies of read-only folders removable by their owner."""
    for name, _, _ in os.walk(folder):
        Path(name).chmod(Path(name).stat().st_mode & 0o777 | 0o700)


def _copy(file: Path, folder: Path) -> None:
    target = _below(folder, file)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def _below(folder: Path, path: Path) -> Path:
    """Return the destination of `path` without intermediate links, since bots see only top-level links."""
    return folder / os.path.realpath(path.parent).lstrip("/") / path.name
