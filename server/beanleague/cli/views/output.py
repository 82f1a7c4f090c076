"""What commands write to standard output."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterable
from typing import NoReturn

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from beanleague.cli.views.safe_text import harmless, harmless_json
from beanleague.cli.views.shapes import Json

_PIPE_WIDTH = 120


class HarmlessConsole(Console):
    """A console on which texts of others, e.g. why a bot failed, cannot steer the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is to be written; only the console's own codes are left as they are."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(harmless(segment.text), segment.style)

    def on_broken_pipe(self) -> NoReturn:
        """End: the reader has left."""
        end_unread()


def end_unread() -> NoReturn:
    """End without a word, since whoever read standard output has left, as `head` does; as if by SIGPIPE."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())  # what is still to be flushed goes there
    raise SystemExit(128 + signal.SIGPIPE)


def console() -> Console:
    """Return the console on standard output: plain text of a fixed width unless that is a terminal.

    NO_COLOR, TERM and COLUMNS are respected.
    """
    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _PIPE_WIDTH
    return HarmlessConsole(highlight=False, markup=False, emoji=False, width=width)


def print_json(value: Json) -> None:
    """Print `value` as JSON, indented."""
    click.echo(harmless_json(json.dumps(value, indent=2, ensure_ascii=False)))


def print_json_line(value: Json) -> None:
    """Print `value` as JSON on a line of its own, for a stream of values."""
    click.echo(harmless_json(json.dumps(value, ensure_ascii=False)))
