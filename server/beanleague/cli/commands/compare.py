"""`beanleague compare`: a sequential test of one bot against another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import grpc

from beanleague.cli.connection.following import follow, when_stopped
from beanleague.cli.connection.session import Session, connected, trusting
from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.params.options import as_json
from beanleague.cli.views.amounts import counted
from beanleague.cli.views.comparison import ComparisonView, verdict_line
from beanleague.cli.views.output import console, print_json
from beanleague.cli.views.shapes import shape
from beanproto.v1.league_pb2 import VERDICT_OPEN, CompareRequest, ComparisonProgress

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub


@click.command("compare")
@click.argument("a", metavar="A[@VERSION]")
@click.argument("b", metavar="B[@VERSION]")
@click.option("--game", required=True, help="What is played; see 'beanleague games'.")
@click.option("--elo0", type=float, default=0.0, show_default=True, help="A is better by no more than this ...")
@click.option("--elo1", type=float, default=20.0, show_default=True, help="... or by this?")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="How often 'better' may be wrong.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="How often 'not better' may be wrong.")
@click.option("--seats", type=click.IntRange(min=2), help="Default: 4, or what the game allows.")
@click.option("--filler", "fillers", multiple=True, metavar="BOT", help="A third bot that takes a seat; repeat it.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes that play. Default: one a core.")
@click.option("--in-flight", type=click.IntRange(min=1), help="Matches at once in each of them. Default: 16.")
@trusting
@as_json
@connected
def compare(
    session: Session,
    a: str,
    b: str,
    game: str,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    seats: int | None,
    fillers: tuple[str, ...],
    workers: int | None,
    in_flight: int | None,
    as_json: bool,
) -> None:
    """Find out whether bot A is better than bot B.

    Both play the same deals, sharing the seats of a table. It stops by itself, after 30 deals or
    more, when the answer is known; Ctrl-C stops it earlier, and the same command goes on.
    """
    request = CompareRequest(
        a=a,
        b=b,
        ruleset=game,
        seats=seats or 0,
        fillers=fillers,
        elo0=elo0,
        elo1=elo1,
        alpha=alpha,
        beta=beta,
        workers=workers or 0,
        in_flight=in_flight or 0,
    )
    try:
        with session.league() as stub:
            last = _play(stub, request, ComparisonView(console(), to_stderr=as_json))
    except KeyboardInterrupt:  # before it began, which knows better what to say
        raise Stopped("stopped; the same command goes on") from None
    if as_json:
        print_json(shape(last))
    else:
        click.echo(verdict_line(last))


def _play(stub: LeagueStub, request: CompareRequest, view: ComparisonView) -> ComparisonProgress:
    """Show how it goes until it is over; return the last word."""
    last = ComparisonProgress()

    def show(progress: ComparisonProgress) -> None:
        last.CopyFrom(progress)
        view.show(progress)

    def stopped(_: ComparisonProgress | None) -> Stopped:
        when_stopped(stub, last.league)
        so_far = f" at {verdict_line(last)}" if last.deals else " before the first deal was over"
        return Stopped(f"stopped{so_far}\nthe same command goes on")

    try:
        with view:
            follow(lambda: stub.Compare(request), show, stopped)
    except grpc.RpcError:
        if last.deals:
            click.echo("the deals played are kept; the same command goes on", err=True)
        raise
    if last.verdict == VERDICT_OPEN:
        raise CliError(f"the comparison ended early after {counted(last.deals, 'deal')}; the same command goes on")
    return last
