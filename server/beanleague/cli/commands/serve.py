"""`beanleague serve`."""

from __future__ import annotations

import click

from beanleague.cli.errors import CliError
from beanleague.cli.session import Session, connected

_LISTEN = "127.0.0.1:7411"


@click.command("serve")
@click.option(
    "--listen",
    default=_LISTEN,
    show_default=True,
    metavar="HOST:PORT",
    help="Where to take calls: a loopback address (port 0: any that is free), or unix:/path.",
)
@connected
def serve(session: Session, listen: str) -> None:
    """Serve the database to other commands, until Ctrl-C.

    They find the server by --server or BEANLEAGUE_SERVER.
    """
    if session.server:
        raise click.UsageError("serve opens a database of its own; leave out --server (and BEANLEAGUE_SERVER)")
    url = session.store_url()
    from beanleague.service import ServiceError
    from beanleague.service import serve as serve_until_interrupted

    def tell(address: str) -> None:
        click.echo(f"Serving at {address}; Ctrl-C stops.\nUse it with: beanleague --server {address} COMMAND")

    try:
        serve_until_interrupted(listen, url, ready=tell)
    except ServiceError as error:
        raise CliError(str(error)) from None
    click.echo("Stopped.")
