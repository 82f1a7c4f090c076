"""`beanleague compare`: a sequential test of one bot against another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import grpc

from beanleague.cli.connection.completion import bots, games
from beanleague.cli.connection.following import follow, wait_until_stopped
from beanleague.cli.connection.options import clustered, connected, trusting
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.params.options import Count
from beanleague.cli.views.comparison import ComparisonView, verdict_line
from beanleague.cli.views.output import Output, console, with_output
from beanleague.cli.views.text import counted
from beanproto.v1.league_pb2 import MEASURE_DOLLARS, MEASURE_PLACES, VERDICT_OPEN, CompareRequest, ComparisonProgress

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_CONTINUE = "run the same command again to continue"


@click.command("compare")
@click.argument("a", metavar="A[@VERSION]", shell_complete=bots)
@click.argument("b", metavar="B[@VERSION]", shell_complete=bots)
@click.option(
    "--game", metavar="GAME", shell_complete=games, required=True, help="The game to play; see 'beanleague games'."
)
@click.option("--elo0", type=float, default=0.0, show_default=True, help="Elo lead that counts as not better.")
@click.option("--elo1", type=float, default=20.0, show_default=True, help="Elo lead that counts as better.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Risk of a wrong verdict 'better'.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Risk of a wrong verdict 'not better'.")
@click.option(
    "--by",
    type=click.Choice(["places", "dollars"]),
    default="places",
    show_default=True,
    help="What is compared: who is placed before whom, or by how many dollars one is ahead.",
)
@click.option("--seats", type=Count(min=2), help="Seats at the table. Default: 4, or the nearest number allowed.")
@click.option(
    "--filler",
    "fillers",
    multiple=True,
    metavar="BOT",
    shell_complete=bots,
    help="A third bot to take a seat; repeatable.",
)
@click.option("--workers", type=Count(min=1), help="Number of worker processes. Default: one per core.")
@click.option("--in-flight", type=Count(min=1), help="Matches each worker plays at once. Default: 16.")
@trusting
@with_output
@connected
@clustered
def compare(
    session: Session,
    a: str,
    b: str,
    game: str,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    by: str,
    seats: int | None,
    fillers: tuple[str, ...],
    workers: int | None,
    in_flight: int | None,
    out: Output,
) -> None:
    """Test whether bot A is better than bot B.

    Both play the same deals, sharing the seats of a table. The test stops by itself when the
    answer is known: after 30 deals or more, or earlier if it is obvious. Ctrl-C stops it; the same
    command continues it.
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
        by=MEASURE_DOLLARS if by == "dollars" else MEASURE_PLACES,
        workers=workers or 0,
        in_flight=in_flight or 0,
    )
    try:
        with session.league() as stub:
            last = _play(stub, request, ComparisonView(console(), to_stderr=out.as_json))
    except KeyboardInterrupt:  # before the call began; during the call the message says more
        raise Stopped(f"stopped; {_CONTINUE}") from None
    out.show(last, [verdict_line(last)])


def _play(stub: LeagueStub, request: CompareRequest, view: ComparisonView) -> ComparisonProgress:
    """Show the progress until the comparison is over; return the last report."""
    last = ComparisonProgress()

    def show(progress: ComparisonProgress) -> None:
        last.CopyFrom(progress)
        view.show(progress)

    def stopped(_: ComparisonProgress | None) -> Stopped:
        wait_until_stopped(stub, last.league)
        so_far = f" at {verdict_line(last)}" if last.deals else " before the first deal was finished"
        return Stopped(f"stopped{so_far}\n{_CONTINUE}")

    try:
        with view:
            follow(lambda: stub.Compare(request), show, stopped)
    except grpc.RpcError:
        if last.deals:
            click.echo(f"the deals played so far are kept; {_CONTINUE}", err=True)
        raise
    if last.verdict == VERDICT_OPEN:
        raise CliError(f"the comparison ended early after {counted(last.deals, 'deal')}; {_CONTINUE}")
    return last
