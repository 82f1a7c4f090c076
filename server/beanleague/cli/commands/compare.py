"""`beanleague compare`: a sequential test of one bot against another."""

from __future__ import annotations

import time
from contextlib import nullcontext

import click
import grpc
from rich.live import Live

from beanleague.cli.comparison import comparison_page, verdict_line
from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.options import as_json
from beanleague.cli.output import console, print_json
from beanleague.cli.session import Session, connected
from beanleague.cli.shapes import shape
from beanproto.v1.league_pb2 import VERDICT_OPEN, CompareRequest, ComparisonProgress

_EVERY = 5.0  # seconds between lines without a terminal


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
    last = _follow(session, request, live=not as_json)
    if as_json:
        print_json(shape(last))
    else:
        click.echo(verdict_line(last))


def _follow(session: Session, request: CompareRequest, *, live: bool) -> ComparisonProgress:
    """Show how it goes until it is over; return the last word."""
    screen = console()
    moving = live and screen.is_terminal and not screen.is_dumb_terminal
    last, told_at = ComparisonProgress(), 0.0
    with session.league() as stub:
        call = stub.Compare(request)
        try:
            with Live(console=screen, auto_refresh=False) if moving else nullcontext() as page:
                for last in call:
                    if page is not None:
                        page.update(comparison_page(last), refresh=True)
                    elif time.monotonic() - told_at >= _EVERY:
                        click.echo(verdict_line(last), err=not live)
                        told_at = time.monotonic()
        except KeyboardInterrupt:
            call.cancel()  # type: ignore[no-untyped-call]
            raise Stopped(f"stopped after {last.deals} deals; the same command goes on") from None
        except grpc.RpcError:
            if last.deals:
                click.echo(f"{last.deals} deals are kept; the same command goes on", err=True)
            raise
    if last.verdict == VERDICT_OPEN:
        raise CliError(f"the comparison ended early after {last.deals} deals; the same command goes on")
    return last
