"""Starting a bot's command so that it dies with the referee.

This file is also what is run, by the referee's interpreter, between the referee and the bot: it asks the kernel to
kill the process when the thread that started it ends, then becomes the bot. Standard library only, and little of it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1


def start(command: tuple[str, ...], folder: Path, target: str, home: Path) -> subprocess.Popen[bytes]:
    """Start `command` in `folder` in a session of its own, told to dial the gRPC `target`.

    The first word "python" is the referee's own interpreter. Standard error is a pipe; standard output is thrown away.
    `home` is the home and scratch folder.

    Raises:
        OSError: the command cannot be started.
    """
    first, *rest = command
    words = [sys.executable if first == "python" else first, *rest]
    environment = {
        "BEANLEAGUE_SOCKET": target,
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",  # so that a bot that iterates over a set of names plays alike every time
        "PYTHONUNBUFFERED": "1",
        "GRPC_VERBOSITY": "NONE",
    }
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, str(os.getpid()), *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def kill_group(pid: int) -> None:
    """Kill every process of the group that `pid` leads, if there is any left."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _become(parent: int, words: list[str]) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before it was asked
        return
    try:
        os.execvp(words[0], words)
    except OSError as problem:
        sys.exit(f"{words[0]}: {problem.strerror}")


if __name__ == "__main__":
    _become(int(sys.argv[1]), sys.argv[2:])
