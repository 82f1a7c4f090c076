"""How commands fail: in one or two lines on stderr, without a traceback, also when a standard stream is the reason."""

import errno
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

import click


class CliError(click.ClickException):
    """Raised when a command fails; the message says what is wrong, where, and what to do. Exit code 1."""

    exit_code = 1


class Stopped(click.ClickException):
    """Raised when the user stops a command; the message says how to continue. Exit code 130, as shells count SIGINT."""

    exit_code = 130


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
