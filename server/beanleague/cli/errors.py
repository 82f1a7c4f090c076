"""Failures that users see as one or two lines on stderr, without a traceback."""

from __future__ import annotations

import click


class CliError(click.ClickException):
    """Raised when a command fails; the message says what is wrong, where, and what to do. Exit code 1."""

    exit_code = 1


class Stopped(click.ClickException):
    """Raised when the user stops a command; the message says how to continue. Exit code 130, as shells count SIGINT."""

    exit_code = 130
