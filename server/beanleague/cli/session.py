"""Where a command finds its data: a server, or one embedded in this process. The path through the code is the same."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from beanleague.cli.errors import CliError, rpc_failure

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

Command = TypeVar("Command", bound=Callable[..., Any])

_NAME = "beanleague"
_LARGEST_MESSAGE = 64 * 1024 * 1024  # bytes; records and logs are far smaller


@dataclass(frozen=True, slots=True)
class Session:
    """What was said about where the data is. `flags`: as options of a command line, to show in hints."""

    db: str | None = None
    server: str | None = None
    flags: tuple[str, ...] = ()

    @contextmanager
    def league(self) -> Iterator[LeagueStub]:
        """Connect, and tell failures of calls as people read them.

        Raises:
            CliError: the data cannot be opened, the server not be reached, or a call failed.
        """
        import grpc

        from beanproto.v1.league_pb2_grpc import LeagueStub

        try:
            with self._channel() as channel:
                yield LeagueStub(channel)
        except grpc.RpcError as error:
            raise rpc_failure(error, self.server) from None

    @contextmanager
    def _channel(self) -> Iterator[Any]:
        if self.server:
            import grpc

            options = [("grpc.max_receive_message_length", _LARGEST_MESSAGE)]
            with grpc.insecure_channel(self.server, options=options) as channel:
                yield channel
        else:
            url = self.store_url()
            from beanleague.service import ServiceError, embedded

            try:
                with embedded(url) as channel:
                    yield channel
            except ServiceError as error:
                raise CliError(str(error)) from None

    def store_url(self) -> str:
        """Return the SQLAlchemy URL of the data; the default folder is made if need be.

        Raises:
            CliError: the folder of the file does not exist or cannot be made, or the path is none that a URL can hold.
        """
        if self.db and "://" in self.db:
            return self.db
        if self.db:
            path = Path(self.db).expanduser().absolute()
            if "?" in str(path):
                raise CliError(f"{path}: the way to a database may have no '?' in it; choose another file")
            if not path.parent.is_dir():
                raise CliError(
                    f"there is no folder {path.parent} to keep the database in; make it, or choose another --db"
                )
        else:
            from platformdirs import user_data_path

            path = user_data_path("beanleague", appauthor=False) / "beanleague.db"
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise CliError(
                    f"cannot make the folder {path.parent}: {error.strerror}; choose a file with --db"
                ) from None
        return f"sqlite:///{path}"

    def command(self, words: str) -> str:
        """Return the command line that runs `words` on the same data, for hints."""
        return " ".join([_program(), words, *map(shlex.quote, self.flags)])


def _program() -> str:
    """Return what to type for this program: its name, or the way to it if the shell does not find it by name."""
    started = Path(sys.argv[0])
    found = shutil.which(_NAME)
    if started.name == _NAME and not (found and started.resolve() == Path(found).resolve()):
        return shlex.quote(str(started))
    return _NAME


def chosen(db: str | None, server: str | None, context: click.Context) -> Session:
    """Return the session for the global options; one given on the command line beats one from the environment.

    Raises:
        click.UsageError: both were given on the command line.
    """
    given = click.core.ParameterSource.COMMANDLINE
    db_given = context.get_parameter_source("db") is given
    server_given = context.get_parameter_source("server") is given
    if db_given and server_given:
        raise click.UsageError("--db and --server exclude each other: a server has a database of its own", context)
    flags = tuple(
        word
        for name, value, was_given in (("--db", db, db_given), ("--server", server, server_given))
        for word in ((name, str(value)) if was_given else ())
    )
    return Session(db, None if db_given else server, flags)


def connected(command: Command) -> Command:
    """Let a command take the global options --db and --server too, and hand it its `Session` as first argument."""

    def choose(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            flags = (f"--{parameter.name}", value)
            context.obj = Session(value, None, flags) if parameter.name == "db" else Session(None, value, flags)

    for name, what in (("--server", "HOST:PORT"), ("--db", "FILE|URL")):
        command = click.option(
            name, metavar=what, callback=choose, expose_value=False, help=f"As before the command: {_HELP[name]}."
        )(command)
    return click.pass_obj(command)  # type: ignore[return-value]


_HELP = {"--db": "where the data is", "--server": "the server to ask"}
