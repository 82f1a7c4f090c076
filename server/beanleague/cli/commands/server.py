"""`beanleague serve`, `token` and `backup`: a database for others, who may use it, and a copy of it."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from beanleague.cli.commands.web import Place, require_extra, served_site, web_options
from beanleague.cli.connection.session import Session, clustered, connected, trusting
from beanleague.cli.errors import CliError
from beanleague.cli.params import Count, Group, OneOf
from beanleague.cli.views.output import Output, with_output
from beanleague.cli.views.tables import tokens_table
from beanproto.v1.league_pb2 import BackupRequest, ListTokensRequest, NewTokenRequest, RevokeTokenRequest, Role

if TYPE_CHECKING:
    from beanleague.service.server import Serving
    from beanproto.v1.league_pb2 import BackupPart

_FILE = click.Path(path_type=Path)
_ALL_INTERFACES = frozenset({"0.0.0.0", "[::]"})  # noqa: S104 - compared with, not listened on
_DEFAULT_ADDRESS = "127.0.0.1:7411"


@click.command("serve")
@click.option(
    "--listen",
    default=_DEFAULT_ADDRESS,
    show_default=True,
    metavar="HOST:PORT",
    help="Address to listen on: HOST:PORT (port 0: any free port), or unix:/path.",
)
@click.option("--tls-cert", type=_FILE, metavar="FILE", help="Certificate of the server (PEM), for TLS.")
@click.option("--tls-key", type=_FILE, metavar="FILE", help="Private key of the certificate (PEM).")
@click.option("--web", metavar="HOST:PORT", help="Also show leagues in a browser, at this address.")
@web_options
@click.option("--require-tokens", is_flag=True, help="Require tokens even if only this machine can reach the server.")
@trusting
@connected
@clustered
def serve(
    session: Session,
    listen: str,
    tls_cert: Path | None,
    tls_key: Path | None,
    web: str | None,
    behind_proxy: bool,
    names: tuple[str, ...],
    contact: str,
    require_tokens: bool,
) -> None:
    """Serve the database to other commands until Ctrl-C.

    They use the server with --server or BEANLEAGUE_SERVER. At an address that other machines can
    reach, the server needs a certificate and requires tokens; see 'beanleague token'. With --web it
    also has a site, with the same certificate; see 'beanleague web'.
    """
    if session.server:
        raise click.UsageError("serve opens its own database; leave out --server (and unset BEANLEAGUE_SERVER)")
    if (tls_cert is None) is not (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key must be used together", click.get_current_context())
    place = Place(web, names, behind_proxy, tls_cert, tls_key, contact) if web else None
    if place is None and (names or behind_proxy or contact):
        raise click.UsageError("--name, --behind-proxy and --contact need --web", click.get_current_context())
    if place:
        require_extra()
    run_pool = session.run_pool()
    url = session.store_url()
    from beanleague.service.endpoint import Certificate, ServiceError
    from beanleague.service.server import serve as serve_until_interrupted

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")  # to stderr
    logging.getLogger("alembic").setLevel(logging.WARNING)  # how a database is upgraded is not for people
    certificate = Certificate(tls_cert, tls_key) if tls_cert and tls_key else None

    @contextmanager
    def during(serving: Serving) -> Iterator[None]:
        _print_usage(session, serving)
        with _site(serving, place) if place else nullcontext():
            yield

    try:
        if place:
            place.check()
        serve_until_interrupted(
            listen,
            url,
            during=during,
            certificate=certificate,
            require_tokens=require_tokens,
            run_pool=run_pool,
            trust_bots=session.trust_bots,
        )
    except ServiceError as error:
        raise CliError(str(error)) from None
    click.echo("Stopped.")


@contextmanager
def _site(serving: Serving, place: Place) -> Iterator[None]:
    """Serve the site at `place`, beside the server."""
    from beanleague.service.access import Role

    guest = Role.VIEWER if serving.tokens else place.guest  # visitors may do what callers without a token may
    with serving.for_guests(guest) as channel, served_site(channel, place) as url:
        click.echo(f"Open {url} in a browser.")
        yield


def _print_usage(session: Session, serving: Serving) -> None:
    """Print how to use the server."""
    click.echo(f"Serving at {serving.address}{' with TLS' if serving.tls else ''}; Ctrl-C stops.")
    host, _, port = serving.address.rpartition(":")
    address = f"NAME-OF-THIS-MACHINE:{port}" if host in _ALL_INTERFACES else serving.address
    click.echo(f"Use it with: beanleague --server {'https://' if serving.tls else ''}{address} COMMAND")
    if serving.tokens and serving.without_tokens:
        command = session.command("token new NAME --role organiser")
        click.echo(f"No tokens exist yet; create one with: {command}")
    elif serving.tokens:
        click.echo("Every call needs a token.")


_ROLES = tuple(name.removeprefix("ROLE_").lower() for name in Role.keys() if name != "ROLE_UNSPECIFIED")  # noqa: SIM118


@click.group("token", cls=Group)
def token() -> None:
    """Create, list and revoke access tokens.

    A server that other machines can reach ('beanleague serve') requires a token with every call.
    A viewer may read everything, an author may also submit bots, an organiser may do everything.
    """


@token.command("new")
@click.argument("name")
@click.option("--role", type=OneOf(_ROLES), required=True, help="What the holder of the token may do.")
@click.option("--days", type=Count(min=1), help="Days until the token expires. Default: it never expires.")
@with_output
@connected
def new(session: Session, name: str, role: str, days: int | None, out: Output) -> None:
    """Create a token for NAME and print it. It is not stored and cannot be shown again.

    The bots of an author belong to NAME, and still do when NAME gets another token.
    """
    request = NewTokenRequest(name=name, role=Role.Value(f"ROLE_{role.upper()}"), days=days or 0)
    with session.league() as stub:
        answer = stub.NewToken(request)
    if not out.as_json:
        click.echo(f"Token of {name} ({role}). Send it in secret; {name} sets BEANLEAGUE_TOKEN to it.", err=True)
    out.show(answer, [answer.token])


@token.command("list")
@with_output
@connected
def list_tokens(session: Session, out: Output) -> None:
    """List all tokens, including revoked and expired ones, newest first."""
    with session.league() as stub:
        answer = stub.ListTokens(ListTokensRequest())
    hint = f"No tokens yet; create one with: {session.command('token new NAME --role viewer')}"
    out.show(answer, [tokens_table(answer.tokens, time.time()) if answer.tokens else hint])


@token.command("revoke")
@click.argument("name")
@with_output
@connected
def revoke(session: Session, name: str, out: Output) -> None:
    """Revoke the token of NAME, at once and for good. The bots of NAME stay."""
    with session.league() as stub:
        answer = stub.RevokeToken(RevokeTokenRequest(name=name))
    out.show(answer, [f"The token of {name} is revoked."])


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@with_output
@connected
def backup(session: Session, file: Path, force: bool, out: Output) -> None:
    """Copy the whole database to FILE, also while leagues are run, and verify the copy.

    With --server this needs an organiser's token. FILE contains the secrets of leagues and is
    readable by you alone. To restore it, use it with --db.
    """
    if file.exists() and not force:
        raise CliError(f"{file} already exists; choose another file, or overwrite it with --force")
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with session.league() as stub:
            size, digest = _receive(stub.Backup(BackupRequest()), part)
        _check(part)
        part.replace(file)
    except OSError as error:
        raise CliError(f"cannot write {file}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    out.show({"file": str(file), "bytes": size, "sha256": digest}, [f"Wrote {file}: {size:,} bytes, verified."])


def _receive(parts: Iterable[BackupPart], file: Path) -> tuple[int, str]:
    """Write a backup to a new file; return its size and SHA-256.

    Raises:
        CliError: a part is missing or was changed on the way.
    """
    digest, size, sent = hashlib.sha256(), 0, ""
    number = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(number, "wb") as opened:
        for part in parts:
            opened.write(part.data)
            digest.update(part.data)
            size += len(part.data)
            sent = part.sha256
        opened.flush()
        os.fsync(opened.fileno())
    if sent != digest.hexdigest():
        raise CliError("the backup did not arrive whole; try again")
    return size, sent


def _check(file: Path) -> None:
    from beanleague.service.backend import check_backup
    from beanleague.service.endpoint import ServiceError

    try:
        check_backup(file, "what the server sent")
    except ServiceError as error:
        raise CliError(str(error)) from None
