"""Environment of bots: readable files of the host, and environment variables."""

import compileall
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from beanleague.interpreter import PROGRAM, python
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.layers import Layer

_SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/etc/ssl/openssl.cnf")
_SETTINGS_OF_JAVA = "java-*-openjdk"  # folders in /etc where Debian keeps Java's settings
_ASK = "import json, sys; print(json.dumps([sys.prefix, sys.base_prefix, sys.executable, *sys.path]))"

_JAVA_HEAP_SHARE = 2  # divisor of the memory limit; the rest is for classes, compiled code, threads and the JVM itself

SOCKET = "/run/referee"
"""Path of the referee's socket, as seen by a bot under bubblewrap."""


def compile_library() -> None:
    """Compile the bots' library where compiled files are missing or outdated, if they can be written.

    Bots cannot write them, the referee does not import the library, and not every installer compiles: each start would
    take 15 ms more.
    """
    library = find_spec("beanbot")
    if library and library.origin and not sys.dont_write_bytecode:
        compileall.compile_dir(Path(library.origin).parent, quiet=2)


def readable_files() -> tuple[str, ...]:
    """Return the host's files and folders that bots may read and execute, besides their own; links stay links."""
    prefix, base, program, *paths = interpreter_paths()
    program_of_base = os.path.realpath(program)
    java = map(str, Path("/etc").glob(_SETTINGS_OF_JAVA))
    wanted = [*_SYSTEM_FOLDERS, *_SETTINGS, *java, prefix, base, *_with_links(program), program_of_base, *paths]
    kept: list[str] = []
    for path in sorted({os.path.normpath(path) for path in wanted if os.path.lexists(path)}):
        # not inside another folder of the list
        if path != "/" and not any(Path(path).is_relative_to(other) for other in kept):
            kept.append(path)
    return tuple(kept)


def interpreter_paths() -> list[str]:
    """Return prefix, base prefix and program of the interpreter, then its import path.

    The import path excludes PYTHONPATH and the working directory, which may contain anything.
    """
    answer = subprocess.run(python("-I", "-c", _ASK), capture_output=True, check=True, env={})
    prefix, base, program, *paths = json.loads(answer.stdout)
    return [prefix, base, program, *filter(None, paths)]


def open_to_all(path: str) -> bool:
    """Return whether a user without any rights can read a path and the folders above it."""
    resolved = Path(path).resolve()
    return all(parent.stat().st_mode & 0o001 for parent in resolved.parents) and bool(resolved.stat().st_mode & 0o004)


def _with_links(program: str) -> Iterator[str]:
    """Yield every link on the way from `program` to a real file."""
    path = Path(program)
    for _ in range(40):  # maximum number of links that the kernel follows
        yield str(path)
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def path_for(layer: Layer) -> str:
    """Return the folders in which bots under `layer` find programs, as in PATH."""
    if layer is Layer.PLAIN:
        return os.environ.get("PATH", os.defpath)
    return f"{Path(PROGRAM).parent}:/usr/local/bin:/usr/bin:/bin"


def environment_inside(limits: Limits) -> dict[str, str]:
    """Return the environment variables of a bot under bubblewrap, which has its own /tmp."""
    return environment(f"unix:{SOCKET}", "/tmp", path_for(Layer.BUBBLEWRAP), limits)  # noqa: S108


def environment(target: str, home: str, path: str, limits: Limits) -> dict[str, str]:
    """Return the environment variables of a bot.

    `target`: its socket, as gRPC calls it; `home`, `path`: HOME and PATH.
    """
    return {
        "BEANLEAGUE_SOCKET": target,
        "PATH": path,
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",  # so that a bot that iterates over a set of names plays the same way every time
        "PYTHONUNBUFFERED": "1",
        "GRPC_VERBOSITY": "NONE",
        "MALLOC_ARENA_MAX": "2",  # each arena takes 64 MiB of address space
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "JDK_JAVA_OPTIONS": " ".join(
            (
                "-XX:+UseSerialGC",  # other collectors have a thread for each CPU
                f"-Xmx{limits.memory_bytes // _JAVA_HEAP_SHARE >> 20}m",
                # address space of classes; the default of 1 GiB is all that a bot has
                "-XX:CompressedClassSpaceSize=64m",
                "-XX:ReservedCodeCacheSize=64m",
                "-XX:-UsePerfData",  # no statistics in a file, which other processes could read
            )
        ),
    }
