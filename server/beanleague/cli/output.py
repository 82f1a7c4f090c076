"""What commands write to standard output."""

from __future__ import annotations

import json
import os
import sys

import click
from rich.console import Console

from beanleague.cli.shapes import Json

_PIPE_WIDTH = 120


def console() -> Console:
    """Return the console on standard output: plain text of a fixed width unless that is a terminal.

    NO_COLOR, TERM and COLUMNS are respected.
    """
    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _PIPE_WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width)


def print_json(value: Json) -> None:
    """Print `value` as JSON, indented."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_json_line(value: Json) -> None:
    """Print `value` as JSON on a line of its own, for a stream of values."""
    click.echo(json.dumps(value, ensure_ascii=False))
