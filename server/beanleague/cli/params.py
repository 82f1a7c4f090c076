"""Building blocks of commands: groups, option types, names of bots, and errors without tracebacks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import click

from beanleague.answers import DECK
from beanleague.files import FileError, read
from beanleague.games.core.game import suggestion
from beanleague.model import MAX_SECRET_BYTES, MIN_SECRET_BYTES
from beanleague.names import NameFormatError, parse_bot
from beanproto.v1.league_pb2 import OptionValue

Command = TypeVar("Command", bound=Callable[..., Any])


class CliError(click.ClickException):
    """Raised when a command fails; the message gives the mistake, its place and the remedy. Exit code 1."""

    exit_code = 1


class Stopped(click.ClickException):
    """Raised when the user stops a command; the message says how to continue. Exit code 130, as shells count SIGINT."""

    exit_code = 130


@contextmanager
def stopping(why: str) -> Iterator[None]:
    """Raise `Stopped(why)` for a Ctrl-C before the call begins; during the call, its own message is used."""
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(why) from None


@contextmanager
def failing(*kinds: type[Exception]) -> Iterator[None]:
    """Turn exceptions of these kinds into failures of the command, with their messages."""
    try:
        yield
    except kinds as error:
        raise CliError(str(error)) from None


_MAX_COUNT = 2**32 - 1  # largest number in a message


class Count(click.IntRange):
    """Option type: a whole number that fits into a message. The server checks narrower ranges."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401 - click's own
        """Convert the text to a number."""
        count = int(super().convert(value, param, ctx))
        if count > _MAX_COUNT:
            self.fail(f"{count} is too large.", param, ctx)
        return count


class Speed(click.FloatRange):
    """Option type: a finite number above 0."""

    name = "number"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401 - click's own
        """Convert the text to a number."""
        speed = float(super().convert(value, param, ctx))
        if not isfinite(speed):
            self.fail(f"{value} is not a valid speed.", param, ctx)
        return speed


class Secret(click.ParamType[bytes]):
    """Option type: a master secret in hexadecimal."""

    name = "HEX"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """Convert the text to bytes."""
        if isinstance(value, bytes):
            return value
        try:
            secret = bytes.fromhex(str(value))
        except ValueError:
            self.fail("the secret must consist of hexadecimal digits", param, ctx)
        if not MIN_SECRET_BYTES <= len(secret) <= MAX_SECRET_BYTES:
            self.fail(
                f"the secret must have {2 * MIN_SECRET_BYTES} to {2 * MAX_SECRET_BYTES} hexadecimal digits", param, ctx
            )
        return secret


class OneOf(click.Choice[str]):
    """Option type: a choice whose values are listed in one line if none is given."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return the values to choose from."""
        del param, ctx
        return f"Choose from {', '.join(self.choices)}."


Size = Literal["memory_bytes", "processes", "scratch_bytes", "stderr_bytes", "message_bytes"]
SIZES: tuple[Size, ...] = get_args(Size)
"""Size limits of bots: fields of `Limits` in league.proto."""

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


class SizeLimit(click.ParamType[tuple[str, int]]):
    """Option type: a resource limit, e.g. "memory_bytes=512M", as name and number."""

    name = "NAME=NUMBER"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        """Return the name and the number; K, M and G are multipliers."""
        name, _, number = str(value).partition("=")
        if name not in SIZES:
            self.fail(f"{name!r} is not a limit; {suggestion(name, SIZES)}", param, ctx)
        digits = number.rstrip("KMG")
        unit = number[len(digits) :]
        if unit not in _UNITS or not (digits.isascii() and digits.isdecimal() and len(digits) <= 10):
            self.fail(f"{value!r} is not NAME=NUMBER, e.g. memory_bytes=512M", param, ctx)
        return name, int(digits) * _UNITS[unit]


def each_once(ctx: click.Context, param: click.Parameter, limits: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Return limits by name, refusing duplicates; a click callback."""
    names = [name for name, _ in limits]
    for name in names:
        if names.count(name) > 1:
            raise click.BadParameter(f"{name} is given twice; give it once", ctx, param)
    return dict(limits)


_MAX_DECK_BYTES = 400_000  # more than any deck, so that a large file given by mistake is not read


class GameOption(click.ParamType[OptionValue]):
    """Option type: a game option, "name=value". Integers become numbers; the value of a deck is a file to read."""

    name = "NAME=VALUE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> OptionValue:
        """Convert the text to a name and a value."""
        if isinstance(value, OptionValue):
            return value
        name, equals, text = str(value).partition("=")
        if not (name and equals and text):
            self.fail(f"{value!r} must be NAME=VALUE, e.g. max_rounds=6", param, ctx)
        if name == DECK:
            return OptionValue(name=name, text=self._deck(text, param, ctx))
        try:
            return OptionValue(name=name, number=int(text))
        except ValueError:
            return OptionValue(name=name, text=text)

    def _deck(self, file: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return read(file, _MAX_DECK_BYTES).decode()
        except FileError as error:
            self.fail(f"the deck {file} {error}", param, ctx)
        except OSError as error:
            self.fail(f"cannot read the deck {file}: {error.strerror}", param, ctx)
        except UnicodeDecodeError:
            self.fail(f"the deck {file} is not UTF-8 text", param, ctx)


def split_version(name: str) -> tuple[str, int]:
    """Return the name and the version of "name@version"; 0 stands for the newest version.

    Raises:
        click.UsageError: the text has another form.
    """
    try:
        bare, version = parse_bot(name)
    except NameFormatError as error:
        raise click.UsageError(str(error)) from None
    return bare, version or 0


class Group(click.Group):
    """A group of commands."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the command named in `args`; if the name is unknown, the error suggests a similar one."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"no command {name!r}; {suggestion(name, known)}", ctx)
        return super().resolve_command(ctx, args)


def listening(default: str, meaning: str) -> Callable[[Command], Command]:
    """Return the option --listen."""
    return click.option("--listen", default=default, show_default=True, metavar="HOST:PORT", help=meaning)


ADDRESS_VARIABLE = "BEANLEAGUE_CLUSTER"
PATH = click.Path(path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
cluster_folder = partial(
    click.option,
    "--cluster-tls",
    type=PATH,
    envvar="BEANLEAGUE_CLUSTER_TLS",
    show_envvar=True,
    metavar="DIR",
    help="Folder with ca.pem, cert.pem and key.pem, created by 'beanleague cluster certs'.",
)
"""Returns the decorator for the option with the folder of a cluster's certificate; takes further settings of click."""
