"""Output of commands: JSON for programs, text and tables for people; formats of counts, times and names."""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import NoReturn, Protocol

import click
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from beanleague import files
from beanleague.answers import Json, shape
from beanleague.cli.params import CliError, Command
from beanleague.cli.streams import echo, echo_file, echo_json, exit_broken_pipe
from beanleague.files import STANDARD, is_stream
from beanleague.names import format_bot, replace_controls
from beanleague.signs import fitted_ellipsis, is_unicode
from beanproto.v1.league_pb2 import Standing


class Versioned(Protocol):
    """Message that names a version of a bot; version 0 is the Bean Thief."""

    @property
    def bot(self) -> str: ...
    @property
    def version(self) -> int: ...


def bot_name(bot: Versioned) -> str:
    """Return a bot's name as on the command line, "name@version"; the Bean Thief has no version."""
    return format_bot(bot.bot, bot.version)


def rating_parts(standing: Standing) -> tuple[str, str]:
    """Return the rating of a bot with matches, and its interval after a space; "" without one.

    E.g. "1712" and " ±  23", "over 1979" for a bot that never lost, "1500" for the anchor.
    """
    if standing.HasField("least"):
        return f"over {standing.least:.0f}", ""
    if standing.HasField("most"):
        return f"under {standing.most:.0f}", ""
    if not standing.HasField("interval"):
        return "unknown", ""
    return f"{standing.rating:4.0f}", "" if standing.anchor else f" ± {standing.interval:3.0f}"


def quantity(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, e.g. "1 deal", "1,200 matches". `plural`: default is `noun` + s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def count_of(done: int, total: int, noun: str, plural: str = "") -> str:
    """Return a number out of a total with its noun, e.g. "1 of 1 deal", "30 of 1,200 deals"."""
    return f"{done:,} of {quantity(total, noun, plural)}"


def enumeration(names: Sequence[str]) -> str:
    """Return names as a list in a sentence, e.g. "ann, ben and cid"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def local_time(time: Timestamp) -> str:
    """Return a time in the reader's time zone, to the minute, with the zone; "-" if not set.

    E.g. "2026-05-01 14:30 +02:00", or "2026-05-01 12:30 UTC" where that is the reader's zone.
    """
    if not time.seconds:
        return "-"
    local = time.ToDatetime(UTC).astimezone()
    zone = local.isoformat(timespec="seconds")[len("2026-05-01T14:30:00") :] if local.utcoffset() else "UTC"
    return f"{local:%Y-%m-%d %H:%M} {zone}"


def duration(seconds: float) -> str:
    """Return a duration as minutes and seconds, or hours, e.g. "4:07" or "1:04:07"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def percent(share: float) -> str:
    """Return a share from 0 to 1 as a percentage."""
    return f"{100 * share:.1f}%"


_PIPE_WIDTH = 120
_LEAST_WIDTH = 20
_LEAST_HEIGHT = 10
_SIZES = ("COLUMNS", "LINES")
_SIZE = re.compile(r"0*[1-9][0-9]{0,3}")


class SafeConsole(Console):
    """Console that keeps untrusted text, e.g. a bot's error, from controlling the terminal.

    It is at least 20 columns wide and 10 lines high, since tables need some room.
    """

    @property
    def size(self) -> ConsoleDimensions:
        """Size to draw for, in columns and lines."""
        width, height = super().size
        return ConsoleDimensions(max(width, _LEAST_WIDTH), max(height, _LEAST_HEIGHT))

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size

    def fits(self) -> bool:
        """Return whether the terminal is at least as large as `size`."""
        return super().size == self.size

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments to write; only the console's own control codes pass unchanged."""
        in_unicode = is_unicode(self.file)
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                text = replace_controls(segment.text)
                yield Segment(text if in_unicode else fitted_ellipsis(text), segment.style)

    def on_broken_pipe(self) -> NoReturn:
        """Exit silently: the reader has exited."""
        exit_broken_pipe()


def console() -> SafeConsole:
    """Return the console on standard output: plain text of fixed width unless it is a terminal.

    NO_COLOR and TERM are respected, and COLUMNS and LINES if they are sizes: some job runners set them to 0.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _SIZES or _SIZE.fullmatch(value)}
    width = None if sys.stdout.isatty() or "COLUMNS" in kept else _PIPE_WIDTH
    return SafeConsole(highlight=False, markup=False, emoji=False, width=width, _environ=kept)


@dataclass(frozen=True, slots=True)
class Output:
    """Prints the result of a command in the form the user asked for."""

    as_json: bool
    """Whether `--json` was given; then only JSON may go to standard output."""

    def show(self, data: Message | dict[str, Json], page: Iterable[RenderableType]) -> None:
        """Print `data` as indented JSON, or `page` for people.

        `page` is iterated over only if it is printed. Its parts are fitted to the width of the console, except `str`: a
        line that is printed unchanged, e.g. a command to copy.
        """
        if self.as_json:
            echo_json(_json(data, indent=2))
            return
        screen = console()
        for part in page:
            if isinstance(part, str):
                echo(replace_controls(part))
            else:
                screen.print(part)

    def show_line(self, data: Message) -> None:
        """Print `data` as JSON on one line, for a stream of values."""
        echo_json(_json(data))


def hanging(text: Text, indent: int) -> Text:
    """Return `text` wrapped to the width of the screen, with a hanging indent."""
    screen = console()
    first, *rest = text.wrap(screen, screen.width)
    left = text.plain[len(first) :].lstrip()  # a full line passes its trailing space on to the next line
    more = text[len(text) - len(left) :].wrap(screen, max(screen.width - indent, 20)) if rest else ()
    return Text(f"\n{' ' * indent}").join([first, *more])


def check_new(file: Path | None, *, force: bool) -> None:
    """Check that a file does not exist, unless `force`; pipes and devices may exist.

    Raises:
        CliError: it exists.
    """
    if file and str(file) != STANDARD and file.exists() and not (force or is_stream(file)):
        raise CliError(f"{file} already exists; choose another file, or overwrite it with --force")


def check_place(target: Path | None) -> None:
    """Check that `target` can be written, before the work that produces its contents.

    Raises:
        CliError: it cannot.
    """
    if target is not None:
        with writing(target):
            files.check_place(target)


def save(target: Path, text: str) -> None:
    """Write a text to a file, as a whole or not at all, or to standard output for "-".

    Raises:
        CliError: it cannot be written; the file is then as it was.
    """
    if str(target) == STANDARD:
        echo_file(text)
        return
    with writing(target):
        files.write(target, text)


@contextmanager
def writing(target: Path, *, folder: bool = False) -> Iterator[None]:
    """Report a failed write of `target`, a file or a `folder`, as failure of the command; "-" is no folder."""
    if folder and str(target) == STANDARD:
        raise CliError("the output is a folder, not standard output (-); name a folder (./- for one called -)")
    try:
        yield
    except OSError as error:
        raise CliError(f"cannot write {(folder and error.filename) or target}: {error.strerror}") from None


def with_output(command: Command) -> Command:
    """Add the flag --json to a command, which is passed its `Output` as `out`."""
    flag = click.option(
        "--json", "out", is_flag=True, callback=lambda _, __, value: Output(value), help="Print JSON instead of text."
    )
    return flag(command)


def _json(data: Message | dict[str, Json], indent: int | None = None) -> str:
    values = shape(data) if isinstance(data, Message) else data
    return json.dumps(values, indent=indent, ensure_ascii=False)
