"""Where a command finds its data: a server, or one embedded in this process. The path through the code is the same."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from beanleague.cli.errors import CliError, rpc_failure

if TYPE_CHECKING:
    from beanleague.cli.connection.remote import Remote
    from beanproto.v1.league_pb2_grpc import LeagueStub

Command = TypeVar("Command", bound=Callable[..., Any])

_NAME = "beanleague"


@dataclass(frozen=True, slots=True)
class Session:
    """What was said about where the data is. `tls_ca`, `token_file`: files with whom to trust and the token.

    `given`: the names of what was said on the command line, to be said again in hints. `trust_bots`: run all bots here,
    even where they could do harm.
    """

    db: str | None = None
    server: str | None = None
    tls_ca: str | None = None
    token_file: str | None = None
    given: frozenset[str] = frozenset()
    trust_bots: bool = False

    @contextmanager
    def league(self) -> Iterator[LeagueStub]:
        """Connect, and tell failures of calls as people read them.

        Raises:
            CliError: the data cannot be opened, the server not be reached, or a call failed.
        """
        import grpc

        from beanproto.v1.league_pb2_grpc import LeagueStub

        remote = self._remote()
        try:
            with self._channel(remote) as channel:
                yield LeagueStub(channel)
        except grpc.RpcError as error:
            raise rpc_failure(error, remote) from None

    @contextmanager
    def _channel(self, remote: Remote | None) -> Iterator[Any]:
        if remote:
            if self.trust_bots:
                raise CliError("a server decides itself whom it trusts: start it with serve --trust-bots")
            with remote.channel() as channel:
                yield channel
        else:
            url = self.store_url()
            from beanleague.service import ServiceError, embedded

            try:
                with embedded(url, trust_bots=self.trust_bots) as channel:
                    yield channel
            except ServiceError as error:
                raise CliError(str(error)) from None

    def _remote(self) -> Remote | None:
        """Return the server to ask, if there is one."""
        if not self.server:
            return None
        from beanleague.cli.connection.remote import Remote

        return Remote(self.server, Path(self.tls_ca).expanduser() if self.tls_ca else None, self._token())

    def _token(self) -> str:
        """Return the token to show to a server, "" if there is none.

        Raises:
            CliError: its file cannot be read, or there is something else in it.
        """
        where, token = "BEANLEAGUE_TOKEN", os.environ.get("BEANLEAGUE_TOKEN", "")
        if self.token_file:
            where = self.token_file
            try:
                token = Path(self.token_file).expanduser().read_text("utf-8")
            except OSError as error:
                raise CliError(f"cannot read the token in {where}: {error.strerror}") from None
            except UnicodeDecodeError:
                raise CliError(f"there is no token in {where}") from None
        token = token.strip()
        if not (token.isascii() and token.isprintable()) or " " in token or (self.token_file and not token):
            raise CliError(f"there is no token in {where}; it is one word, as 'token new' told it")
        return token

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
        options = ((_flag(name), shlex.quote(str(getattr(self, name)))) for name in _OPTIONS if name in self.given)
        return " ".join([_program(), words, *(word for option in options for word in option)])


def _program() -> str:
    """Return what to type for this program: its name, or the way to it if the shell does not find it by name."""
    started = Path(sys.argv[0])
    found = shutil.which(_NAME)
    if started.name == _NAME and not (found and started.resolve() == Path(found).resolve()):
        return shlex.quote(str(started))
    return _NAME


def chosen(context: click.Context) -> Session:
    """Return the session for the global options; one given on the command line beats one from the environment.

    Raises:
        click.UsageError: a database and a server were given on the command line.
    """
    options = {name: context.params[name] for name in _OPTIONS}
    commandline = click.core.ParameterSource.COMMANDLINE
    given = frozenset(name for name in _OPTIONS if context.get_parameter_source(name) is commandline)
    if given >= _EXCLUSIVE:
        raise click.UsageError("--db and --server exclude each other: a server has a database of its own", context)
    if "db" in given:
        options["server"] = None
    return Session(**options, given=given)


def connected(command: Command) -> Command:
    """Let a command take the global options about its data too, and hand it its `Session` as first argument."""

    def choose(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            name = str(parameter.name)
            before: Session = context.obj
            others = _EXCLUSIVE - {name} if name in _EXCLUSIVE else frozenset()
            changed: dict[str, Any] = {**dict.fromkeys(others), name: value}
            context.obj = replace(before, given=before.given - others | {name}, **changed)

    for name, (what, told) in reversed(_OPTIONS.items()):
        command = click.option(
            _flag(name),
            metavar=what,
            callback=choose,
            expose_value=False,
            hidden=name not in _EXCLUSIVE,
            help=f"As before the command: {told}.",
        )(command)
    return click.pass_obj(command)  # type: ignore[return-value]


def trusting(command: Command) -> Command:
    """Let a command take --trust-bots, which its `Session` then has."""

    def choose(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        del parameter
        if value:
            context.obj = replace(context.obj, trust_bots=True)

    return click.option(
        "--trust-bots",
        is_flag=True,
        callback=choose,
        expose_value=False,
        help="Run bots even where they could do harm; see 'beanleague doctor'.",
    )(command)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


_OPTIONS = {
    "db": ("FILE|URL", "where the data is"),
    "server": ("ADDRESS", "the server to ask"),
    "tls_ca": ("FILE", "whom to trust"),
    "token_file": ("FILE", "where the token is"),
}
_EXCLUSIVE = frozenset({"db", "server"})
