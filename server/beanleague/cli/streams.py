"""The standard streams: closed ones, readers that have gone, and text in the encoding of the terminal, file or pipe."""

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
"""Errors of standard output, if they name no file."""


def open_missing_streams() -> None:
    """Put the null device in the place of a closed stdin or stderr, before a file or socket gets its number.

    Raises:
        OSError: standard output is closed. There is no use in a command then.
    """
    closed = sys.stdout is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open as long as this process
    if closed:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def discard_output() -> None:
    """Let standard output lead nowhere, so that what is still to be flushed cannot fail again."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())


def exit_broken_pipe() -> NoReturn:
    """Exit silently, as if by SIGPIPE: the reader of standard output, e.g. `head`, has gone."""
    discard_output()
    raise SystemExit(128 + signal.SIGPIPE)


def log_to_stderr(level: int) -> None:
    """Write what is logged to stderr, each line with the local time and its offset from UTC."""
    logging.basicConfig(
        level=level, format="%(asctime)s %(levelname)s %(message)s", datefmt="%Y-%m-%dT%H:%M:%S%z", stream=sys.stderr
    )


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a line of text on standard output, or on stderr with `err`, in the encoding of the stream.

    `click.echo` by itself writes UTF-8 to a stream that is said to be ASCII.
    """
    click.echo(text, file=sys.stderr if err else sys.stdout, nl=nl)  # noqa: TID251 - here only


def echo_json(text: str, *, nl: bool = True) -> None:
    """Print JSON on standard output, with escapes for letters that control a terminal or that it cannot show."""
    safe = escape_controls(text)
    echo(safe if is_unicode(sys.stdout) else escape_unicode(safe), nl=nl)


def echo_csv(text: str) -> None:
    """Print CSV on standard output, in UTF-8; see `echo_file`."""
    echo_file(replace_controls(text))


def echo_file(text: str) -> None:
    """Print what could be a file on standard output, always in UTF-8: it is for programs, which ask no terminal."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
