"""Standard streams: missing ones, broken pipes, and text encoding."""

import errno
import logging
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

import click

from beanleague.names import escape_controls, escape_unicode, replace_controls
from beanleague.signs import is_unicode

CANNOT_WRITE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""Error numbers of a failed write to standard output, unless the error names a file."""


def open_missing_streams() -> None:
    """Replace a closed stdin or stderr by the null device, before a file or socket gets its descriptor.

    Raises:
        OSError: standard output is closed, so that a command would be useless.
    """
    closed = sys.stdout is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open as long as this process
    if closed:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def discard_output() -> None:
    """Redirect standard output to the null device, so that pending data cannot fail again."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())


def exit_broken_pipe() -> NoReturn:
    """Exit silently, like after SIGPIPE: the reader of standard output, e.g. `head`, has exited."""
    discard_output()
    raise SystemExit(128 + signal.SIGPIPE)


def log_to_stderr(level: int) -> None:
    """Write log messages to stderr, each line with the local time and its offset from UTC."""
    logging.basicConfig(
        level=level, format="%(asctime)s %(levelname)s %(message)s", datefmt="%Y-%m-%dT%H:%M:%S%z", stream=sys.stderr
    )


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a line of text on standard output, or on stderr with `err`, in the encoding of the stream.

    `click.echo` writes UTF-8 even to an ASCII stream.
    """
    click.echo(text, file=sys.stderr if err else sys.stdout, nl=nl)  # noqa: TID251 - here only


def echo_json(text: str, *, nl: bool = True) -> None:
    """Print JSON on standard output, with escapes for control characters and unencodable ones."""
    safe = escape_controls(text)
    echo(safe if is_unicode(sys.stdout) else escape_unicode(safe), nl=nl)


def echo_csv(text: str) -> None:
    """Print CSV on standard output, in UTF-8; see `echo_file`."""
    echo_file(replace_controls(text))


def echo_file(text: str) -> None:
    """Print file contents on standard output, always in UTF-8: they are for programs, not for a terminal."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
