"""What of the host's files a bot may read: the system's programs and libraries, and the referee's interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/etc/ssl/openssl.cnf")
_SETTINGS_OF_JAVA = "java-*-openjdk"  # in /etc: where Debian keeps them
_ASK = "import json, sys; print(json.dumps([sys.prefix, sys.base_prefix, sys.executable, *sys.path]))"


def readable() -> tuple[str, ...]:
    """Return the files and folders that bots may read and run, besides their own; links are given as they are.

    The interpreter's are those that it finds by itself: without PYTHONPATH and the folder it was started in, which may
    hold anything.
    """
    answer = subprocess.run([sys.executable, "-I", "-c", _ASK], capture_output=True, check=True, env={})
    prefix, base, program, *paths = json.loads(answer.stdout)
    program_of_base = os.path.realpath(program)
    java = map(str, Path("/etc").glob(_SETTINGS_OF_JAVA))
    wanted = [*_SYSTEM, *_SETTINGS, *java, prefix, base, *_with_links(program), program_of_base, *paths]
    return tuple(_outermost(path for path in wanted if os.path.lexists(path)))


def readable_by(uid: int, paths: Iterable[str]) -> bool:
    """Return whether the user `uid`, who owns nothing, can read all of `paths` and the folders on the way to them."""
    del uid
    return all(_open_to_all(Path(path)) for path in paths)


def _open_to_all(path: Path) -> bool:
    resolved = path.resolve()
    return all(parent.stat().st_mode & 0o001 for parent in resolved.parents) and bool(resolved.stat().st_mode & 0o004)


def _with_links(program: str) -> Iterator[str]:
    """Yield every link on the way from `program` to a real file."""
    path = Path(program)
    for _ in range(40):  # as many as the kernel follows
        yield str(path)
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def _outermost(paths: Iterable[str]) -> list[str]:
    """Return the paths that are in no other of them, in the order of their names."""
    kept: list[str] = []
    for path in sorted({os.path.normpath(path) for path in paths}):
        if path != "/" and not any(Path(path).is_relative_to(other) for other in kept):
            kept.append(path)
    return kept
