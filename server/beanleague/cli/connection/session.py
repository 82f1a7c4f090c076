"""Data source of a command: a server, or a database served by this process; both answer the same calls."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote_to_bytes

import click

from beanleague.cli.params import ADDRESS_VARIABLE, CliError, Command, cluster_folder, failing
from beanleague.files import GZIP, STANDARD, FileError, first, read
from beanleague.names import hide_password
from beanleague.user_folders import NoHomeError, data_folder, expand_home

if TYPE_CHECKING:
    import grpc

    from beanleague.cli.connection.remote import Remote
    from beanleague.referee.messages import StartPool
    from beanleague.service.access import Role
    from beanproto.v1.league_pb2_grpc import LeagueStub

OPTIONS = {
    "db": ("FILE|URL", "The database: a file, or an SQLAlchemy URL. Default: a file in your user data folder."),
    "server": ("ADDRESS", "Use this server instead of a local database: host:port, or https://host:port with TLS."),
    "tls_ca": ("FILE", "Certificate authorities to trust (PEM). Default: the well-known ones."),
    "token_file": ("FILE", "File with the token for the server. Default: the token in BEANLEAGUE_TOKEN."),
}
"""Global options, which are fields of `Session`: argument and help text of each."""

Answer = TypeVar("Answer")

_PROGRAM = "beanleague"
_TYPED = click.core.ParameterSource.COMMANDLINE
_MAX_TOKEN_BYTES = 10_000
_LIKE_URLS = ("postgres:", "postgresql:", "postgresql+", "sqlite:")


@dataclass(frozen=True, slots=True)
class Session:
    """Values of the global options, and the connection that they imply."""

    db: str | None = None
    """Database: a file or an SQLAlchemy URL; None for the default file."""
    server: str | None = None
    """Address of a server to use instead of a database."""
    tls_ca: str | None = None
    """PEM file of the certificate authorities to trust."""
    token_file: str | None = None
    """File with the token for the server; None if the token is in BEANLEAGUE_TOKEN."""
    given: frozenset[str] = frozenset()
    """Names of the options given on the command line. Hints repeat these options."""
    trust_bots: bool = False
    """Whether to run bots even without a working sandbox."""
    cluster: str | None = None
    """Address of the cluster's scheduler for runs; None to play on this machine."""
    cluster_tls: Path | None = None
    """Folder with the certificate for the cluster."""

    @contextmanager
    def league(self, *, guest: "Role | None" = None) -> "Iterator[LeagueStub]":
        """Connect to the league service; see `service`."""
        from beanproto.v1.league_pb2_grpc import LeagueStub

        with self.service(guest=guest) as channel:
            yield LeagueStub(channel)

    def call(self, ask: "Callable[[LeagueStub], Answer]") -> Answer:
        """Connect for a single call and return its answer; see `service`."""
        with self.league() as stub:
            return ask(stub)

    @contextmanager
    def service(self, *, guest: "Role | None" = None, patient: bool = True) -> "Iterator[grpc.Channel]":
        """Connect to the service; failed calls become error messages.

        `guest`: for a database, the role of calls without a token; None ignores tokens. `patient`: for a server,
        whether rate-limited calls wait; otherwise they fail.

        Raises:
            CliError: the database cannot be opened, the server cannot be reached, or a call failed.
        """
        import grpc

        remote = self._remote()
        try:
            with remote.channel(patient=patient) if remote else self._embed(guest) as channel:
                yield channel
        except grpc.RpcError as error:
            failure = _rpc_failure(error, remote)
            if not remote and isinstance(error, grpc.Call) and error.code() is grpc.StatusCode.NOT_FOUND:
                failure = f"{failure}\n{self.looked_in()}"  # the object may be in another database
            raise CliError(failure) from None

    @contextmanager
    def _embed(self, guest: "Role | None") -> "Iterator[grpc.Channel]":
        """Serve the database in this process, for this command."""
        url = self.store_url()
        from beanleague.service.endpoint import ServiceError
        from beanleague.service.server import embedded

        with (
            failing(ServiceError),
            embedded(url, run_pool=self.run_pool(), trust_bots=self.trust_bots, guest=guest) as channel,
        ):
            yield channel

    def run_pool(self) -> "StartPool | None":
        """Return the function that starts pools on the cluster; None without a cluster.

        Raises:
            CliError: there are certificates without a cluster.
            ServiceError: the address or the certificates cannot be used, or packages are missing.
        """
        if not self.cluster:
            if "cluster_tls" in self.given:
                raise CliError("--cluster-tls needs a cluster; name its scheduler with --cluster tls://HOST:PORT")
            return None
        from beanleague.service.server import cluster_pools

        return cluster_pools(self.cluster, self.cluster_tls)

    def looked_in(self) -> str:
        """Return a sentence that names the database, for errors about missing data; "" for a server."""
        return "" if self.server else f"Looked in {self.place()}; --db FILE names another database."

    def place(self) -> str:
        """Return the name of the data source: a server, a file, or a URL without its password."""
        return self.server or hide_password(_file_name(self.store_url(create=False).removeprefix("sqlite:///")))

    def _remote(self) -> "Remote | None":
        """Return the server to use; None for a database.

        Raises:
            CliError: its token cannot be read, or an option is given that only the start of the server can set.
        """
        if not self.server:
            return None
        from beanleague.cli.connection.remote import Remote

        for name, there in {"trust_bots": "--trust-bots", "cluster": "--cluster ADDRESS"}.items():
            if name in self.given:
                raise CliError(
                    f"{flag(name)} cannot be used with --server; start the server with 'beanleague serve {there}'"
                )
        return Remote(self.server, expand_home(self.tls_ca) if self.tls_ca else None, self._token())

    def _token(self) -> str:
        """Return the token for the server, "" if none is set.

        Raises:
            CliError: the file cannot be read, or is malformed.
        """
        where, token = "BEANLEAGUE_TOKEN", os.environ.get("BEANLEAGUE_TOKEN", "")
        if self.token_file:
            where = self.token_file
            try:
                file = self.token_file if self.token_file == STANDARD else expand_home(self.token_file)
                token = read(file, _MAX_TOKEN_BYTES).decode()
            except OSError as error:
                raise CliError(f"cannot read the token in {where}: {error.strerror}") from None
            except (FileError, UnicodeDecodeError):
                raise CliError(_no_token(where)) from None
        token = token.strip()
        if not (token.isascii() and token.isprintable()) or " " in token or (self.token_file and not token):
            raise CliError(_no_token(where))
        return token

    def store_url(self, *, create: bool = True) -> str:
        """Return the SQLAlchemy URL of the database; with `create`, the default folder is created if necessary.

        Raises:
            CliError: the folder of the file does not exist or cannot be created, or the path is not UTF-8.
        """
        if self.db and "://" in self.db:
            return self.db
        if self.db and self.db.lower().startswith(_LIKE_URLS):
            raise CliError("--db looks like a URL but is not one; write it as postgresql://user@host/database")
        if self.db:
            path = expand_home(self.db).absolute()
            if not path.parent.is_dir():
                raise CliError(
                    f"the folder {path.parent} of the database does not exist; create it, or choose another --db"
                )
            _check_database(path)
        else:
            with failing(NoHomeError):
                path = data_folder() / "beanleague.db"
            try:
                if create:
                    path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise CliError(
                    f"cannot create the folder {path.parent}: {error.strerror}; choose a file with --db"
                ) from None
        try:
            return f"sqlite:///{quote(os.fsencode(path).decode())}"
        except UnicodeError:
            raise CliError(f"{str(path)!r}: the path of a database must be UTF-8; choose another file") from None

    def command(self, words: str, *operands: object, options: Iterable[str] = OPTIONS) -> str:
        """Return the command line that runs `words` on the same data, for hints; passwords are hidden.

        `operands`: names and paths after the words; they are quoted for a shell. Old names may begin with "-": the
        first operand is then put at the end, after "--".
        """
        given = [name for name in options if name in self.given]
        values = [f"{flag(name)} {shlex.quote(hide_password(str(getattr(self, name))))}" for name in given]
        quoted = [shlex.quote(str(each)) for each in operands]
        first = quoted[:1]
        if first and first[0].startswith("-"):
            return " ".join([program(), words, *quoted[1:], *values, "--", *first])
        return " ".join([program(), words, *quoted, *values])

    def run_command(self, league: str, words: str = "league run") -> str:
        """Return the command line that continues the run of a league on the same machines, for hints."""
        return self.command(words, league, options=[*OPTIONS, "cluster", "cluster_tls"])


def flag(option: str) -> str:
    """Return a global option as typed, e.g. "--tls-ca"."""
    return f"--{option.replace('_', '-')}"


def _rpc_failure(error: "grpc.RpcError", remote: "Remote | None") -> str:
    """Return the error message of a failed call. `remote`: the server called, None for the embedded one."""
    import grpc

    if not isinstance(error, grpc.Call):
        return f"the call failed: {error}"
    details = error.details() or "no reason was given"
    match error.code():
        case grpc.StatusCode.UNAVAILABLE if remote:
            return remote.why_unreachable(details)
        # gRPC's own message, not the service's
        case grpc.StatusCode.RESOURCE_EXHAUSTED if remote and "Concurrent RPC" in details:
            return f"the server at {remote.server} is overloaded; try again in a moment"
        case grpc.StatusCode.INTERNAL | grpc.StatusCode.UNKNOWN:
            where = f"the server at {remote.server}" if remote else "beanleague"
            return f"{where} failed: {details}"
        case grpc.StatusCode.UNIMPLEMENTED if remote:
            return f"the server at {remote.server} does not support this call; it may run a different version"
        case _:
            return details


def _file_name(quoted: str) -> str:
    """Return a file name from a URL, decoded as Python does in this locale."""
    return os.fsdecode(unquote_to_bytes(quoted))


def _no_token(where: str) -> str:
    return f"{where} contains no token; a token is one word, as printed by 'token new'"


def program(name: str = _PROGRAM) -> str:
    """Return the command for a program installed with this one: `name`, or its path if it is not in PATH."""
    started = Path(sys.argv[0])
    found = shutil.which(_PROGRAM)
    if started.name == _PROGRAM and not (found and started.resolve() == Path(found).resolve()):
        return shlex.quote(str(started.with_name(name)))
    return name


_EXCLUSIVE = frozenset({"db", "server"})


def session_from(context: click.Context) -> Session:
    """Return the session for the global options; the command line takes precedence over the environment.

    Raises:
        click.UsageError: both a database and a server were given on the command line.
    """
    options = {name: context.params[name] for name in OPTIONS}
    given = frozenset(name for name in OPTIONS if context.get_parameter_source(name) is _TYPED)
    if given >= _EXCLUSIVE:
        raise click.UsageError("--db and --server cannot be used together: a server has its own database")
    if "db" in given:
        options["server"] = None
    return Session(**options, given=given)


def _keep(context: click.Context, parameter: click.Parameter, value: str | bool | Path | None) -> None:
    """Store the value of a global option in the session; of --db and --server the last one counts."""
    if value is not None:
        name, before = str(parameter.name), context.obj
        others = _EXCLUSIVE - {name} if name in _EXCLUSIVE else frozenset()
        changed: dict[str, Any] = {**dict.fromkeys(others), name: value}
        given = {name} if context.get_parameter_source(name) is _TYPED else set()
        context.obj = replace(before, given=before.given - others | given, **changed)


def connected(command: Command) -> Command:
    """Accept the global options after a command, too, and pass it its `Session` as first argument."""
    for name, (metavar, _) in reversed(OPTIONS.items()):
        command = click.option(
            flag(name),
            metavar=metavar,
            callback=_keep,
            expose_value=False,
            hidden=name not in _EXCLUSIVE,
            help="See 'beanleague --help'.",
        )(command)
    return click.pass_obj(command)  # type: ignore[return-value]


def trusting(command: Command) -> Command:
    """Add the flag --trust-bots to a command and its `Session`."""
    return click.option(
        "--trust-bots",
        is_flag=True,
        default=None,
        callback=_keep,
        expose_value=False,
        help="If no sandbox works here, run bots without one; see 'beanleague doctor'.",
    )(command)


def clustered(command: Command) -> Command:
    """Add the options --cluster and --cluster-tls to a command and its `Session`.

    With --server, cluster variables of the environment are ignored: they are for runs on this machine.
    """

    @wraps(command)
    def run(session: Session, *args: Any, **others: Any) -> Any:  # noqa: ANN401
        if session.cluster and others.get("workers"):
            raise click.UsageError(
                "--workers cannot be used with --cluster: each node has its own number ('beanleague node --workers')"
            )
        return command(session, *args, **others)

    for option in (
        cluster_folder(callback=_keep, expose_value=False),
        click.option(
            "--cluster",
            callback=_keep,
            expose_value=False,
            metavar="ADDRESS",
            envvar=ADDRESS_VARIABLE,
            show_envvar=True,
            help="Play on the nodes of this scheduler, tls://HOST:PORT; see 'beanleague cluster'.",
        ),
    ):
        run = option(run)
    return run  # type: ignore[return-value]


def _check_database(path: Path) -> None:
    """Check by file type and first bytes that a path can be a database.

    Raises:
        CliError: it cannot; the message names the kind of file.
    """
    if path.is_dir():
        raise CliError(f"{path} is a folder; name a database in it, e.g. --db {path / 'leagues.db'}")
    if path.exists() and not path.is_file():
        raise CliError(f"{path} is a pipe, device or socket; a database is a file: choose another --db")
    try:
        packed = path.is_file() and first(path, len(GZIP)) == GZIP
    except OSError:  # opening the file will report the reason
        return
    if packed:
        raise CliError(f"{path} is compressed with gzip; decompress it, e.g. with: gunzip {shlex.quote(str(path))}")
