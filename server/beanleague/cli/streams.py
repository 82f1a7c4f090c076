"""The standard streams when something is wrong with them: closed, full, or without a reader."""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

_CANNOT_WRITE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


def open_missing_streams() -> None:
    """Put the null device in the place of a closed stdin or stderr, before a file or socket gets its number.

    Raises:
        OSError: standard output is closed. There is no use in a command then.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - open as long as this process
    closed = sys.stdout is None
    if closed:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if closed:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def why_not_written(error: OSError) -> str:
    """Return why standard output could not be written; "" if `error` is about something else."""
    if error.errno in _CANNOT_WRITE and error.filename is None:
        return f"cannot write to standard output: {error.strerror}"
    return ""


def discard_output() -> None:
    """Let standard output lead nowhere, so that what is still to be flushed cannot fail again."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())


def exit_broken_pipe() -> NoReturn:
    """Exit silently, as if by SIGPIPE: the reader of standard output, e.g. `head`, has gone."""
    discard_output()
    raise SystemExit(128 + signal.SIGPIPE)
