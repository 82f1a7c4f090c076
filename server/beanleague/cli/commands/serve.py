"""`beanleague serve`."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from beanleague.cli.connection.session import Session, connected, trusting
from beanleague.cli.errors import CliError

if TYPE_CHECKING:
    from beanleague.service import Serving

_FILE = click.Path(path_type=Path)
_EVERYWHERE = frozenset({"0.0.0.0", "[::]"})  # noqa: S104 - seen, not listened at
_LISTEN = "127.0.0.1:7411"


@click.command("serve")
@click.option(
    "--listen",
    default=_LISTEN,
    show_default=True,
    metavar="HOST:PORT",
    help="Where to take calls: an address and a port (0: any that is free), or unix:/path.",
)
@click.option("--tls-cert", type=_FILE, metavar="FILE", help="The certificate of the server, for TLS (PEM).")
@click.option("--tls-key", type=_FILE, metavar="FILE", help="Its private key (PEM).")
@click.option("--require-tokens", is_flag=True, help="Demand tokens, even where only this machine reaches the server.")
@trusting
@connected
def serve(session: Session, listen: str, tls_cert: Path | None, tls_key: Path | None, require_tokens: bool) -> None:
    """Serve the database to other commands, until Ctrl-C.

    They find the server by --server or BEANLEAGUE_SERVER. At an address that others can reach it
    needs a certificate, and demands tokens; see 'beanleague token'.
    """
    if session.server:
        raise click.UsageError("serve opens a database of its own; leave out --server (and BEANLEAGUE_SERVER)")
    if (tls_cert is None) is not (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together", click.get_current_context())
    url = session.store_url()
    from beanleague.service import Certificate, ServiceError
    from beanleague.service import serve as serve_until_interrupted

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")  # to stderr
    certificate = Certificate(tls_cert, tls_key) if tls_cert and tls_key else None

    def tell(serving: Serving) -> None:
        _tell(session, serving)

    try:
        serve_until_interrupted(
            listen,
            url,
            ready=tell,
            certificate=certificate,
            demand_tokens=require_tokens,
            trust_bots=session.trust_bots,
        )
    except ServiceError as error:
        raise CliError(str(error)) from None
    click.echo("Stopped.")


def _tell(session: Session, serving: Serving) -> None:
    """Say how to use the server."""
    click.echo(f"Serving at {serving.address}{' with TLS' if serving.tls else ''}; Ctrl-C stops.")
    host, _, port = serving.address.rpartition(":")
    address = f"NAME-OF-THIS-MACHINE:{port}" if host in _EVERYWHERE else serving.address
    click.echo(f"Use it with: beanleague --server {'https://' if serving.tls else ''}{address} COMMAND")
    if serving.tokens and serving.keyless:
        words = session.command("token new NAME --role organiser")
        click.echo(f"Nobody has a token yet; make one with: {words}")
    elif serving.tokens:
        click.echo("It demands a token with every call.")
