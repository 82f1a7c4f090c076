"""`beanleague serve`: serve a database to other commands."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from beanleague.cli.commands.web import Place, require_extra, site, web_options
from beanleague.cli.connection.options import clustered, connected, trusting
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError

if TYPE_CHECKING:
    from beanleague.service.server import Serving

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
    place = Place(web, names, behind_proxy, tls_cert, tls_key) if web else None
    if place is None and (names or behind_proxy):
        raise click.UsageError("--name and --behind-proxy need --web", click.get_current_context())
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
    with serving.for_guests(guest) as channel, site(channel, place) as url:
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
