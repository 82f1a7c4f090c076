"""What commands write to standard output: `--json` for programs, text and tables for people."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import click
from google.protobuf.message import Message
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from beanleague.answers.shapes import Json, shape
from beanleague.cli.errors import exit_broken_pipe
from beanleague.safe_text import escape_controls, replace_controls

Command = TypeVar("Command", bound=Callable[..., Any])

_PIPE_WIDTH = 120


class SafeConsole(Console):
    """A console on which texts of others, e.g. why a bot failed, cannot control the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is to be written; only the console's own control codes pass unchanged."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(replace_controls(segment.text), segment.style)

    def on_broken_pipe(self) -> NoReturn:
        """Exit: the reader has gone."""
        exit_broken_pipe()


def console() -> Console:
    """Return the console on standard output: plain text of a fixed width unless that is a terminal.

    NO_COLOR, TERM and COLUMNS are respected.
    """
    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _PIPE_WIDTH
    return SafeConsole(highlight=False, markup=False, emoji=False, width=width)


@dataclass(frozen=True, slots=True)
class Output:
    """Prints the result of a command in the form the user asked for."""

    as_json: bool
    """Whether `--json` was given. Then nothing but JSON may go to standard output."""

    def show(self, data: Message | dict[str, Json], page: Iterable[RenderableType]) -> None:
        """Print `data` as indented JSON, or `page` for people.

        `page` is only iterated over if it is printed. Its parts are fitted to the width of the console, except for
        `str`: a line that is printed as it is, e.g. a command to copy.
        """
        if self.as_json:
            click.echo(_json(data, indent=2))
            return
        screen = console()
        for part in page:
            if isinstance(part, str):
                click.echo(replace_controls(part))
            else:
                screen.print(part)

    def show_line(self, data: Message) -> None:
        """Print `data` as JSON on one line, for a stream of values."""
        click.echo(_json(data))


def with_output(command: Command) -> Command:
    """Give a command the flag --json, and pass it as `out` the `Output` that obeys the flag."""

    def choose(context: click.Context, parameter: click.Parameter, value: bool) -> Output:
        del context, parameter
        return Output(as_json=value)

    return click.option("--json", "out", is_flag=True, callback=choose, help="Print JSON instead of text.")(command)


def _json(data: Message | dict[str, Json], indent: int | None = None) -> str:
    values = shape(data) if isinstance(data, Message) else data
    return escape_controls(json.dumps(values, indent=indent, ensure_ascii=False))
