"""`beanleague league pair`: two bots of a league against each other."""

from __future__ import annotations

import click

from beanleague.cli.connection.completion import bots, leagues
from beanleague.cli.connection.options import connected
from beanleague.cli.connection.session import Session
from beanleague.cli.params.options import Count
from beanleague.cli.views.output import Output, with_output
from beanproto.v1.league_pb2 import MEASURE_DOLLARS, MEASURE_PLACES, MEASURE_UNSPECIFIED, ShowPairRequest


@click.command("pair")
@click.argument("name", shell_complete=leagues)
@click.argument("a", metavar="A[@VERSION]", shell_complete=bots)
@click.argument("b", metavar="B[@VERSION]", shell_complete=bots)
@click.option("--by", type=click.Choice(["places", "dollars"]), help="What the test compares. Default: places.")
@click.option("--limit", type=Count(1, 100), default=5, show_default=True, help="Maximum number of deals on each side.")
@with_output
@connected
def pair(session: Session, name: str, a: str, b: str, by: str | None, limit: int, out: Output) -> None:
    """Show how bot A did against bot B in the league NAME, and the deals in which they differ most.

    Nothing is played: the sequential test of 'beanleague compare' is made over the deals that both
    played.
    """
    from beanleague.cli.views.pair import pair_page

    measures = {"places": MEASURE_PLACES, "dollars": MEASURE_DOLLARS}
    request = ShowPairRequest(league=name, a=a, b=b, by=measures[by] if by else MEASURE_UNSPECIFIED, limit=limit)
    with session.league() as stub:
        answer = stub.ShowPair(request)
    out.show(answer, pair_page(answer))
