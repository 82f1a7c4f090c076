"""`beanleague league integrity`: do bots play into each other's hands?"""

from __future__ import annotations

import click

from beanleague.cli.connection.completion import leagues
from beanleague.cli.connection.options import connected
from beanleague.cli.connection.session import Session
from beanleague.cli.views.output import Output, with_output
from beanproto.v1.league_pb2 import IntegrityRequest


@click.command("integrity")
@click.argument("name", shell_complete=leagues)
@click.option("--all", "show_all", is_flag=True, help="Show all pairs of bots, not only those found.")
@with_output
@connected
def integrity(session: Session, name: str, show_all: bool, out: Output) -> None:
    """Find pairs of bots in the league NAME of which one gives the other far more in trades than the rest do."""
    from beanleague.cli.views.integrity import integrity_page

    with session.league() as stub:
        answer = stub.Integrity(IntegrityRequest(league=name))
    out.show(answer, integrity_page(answer, show_all=show_all))
