"""`beanleague standings`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from beanleague.cli.connection.session import Session, connected
from beanleague.cli.params.options import as_json
from beanleague.cli.views.amounts import part
from beanleague.cli.views.output import console, print_json, print_json_line
from beanleague.cli.views.ratings import matrix_csv, matrix_tables, rating_bars, standings_csv
from beanleague.cli.views.shapes import enum_name, shape
from beanleague.cli.views.tables import standings_table
from beanproto.v1.league_pb2 import (
    LEAGUE_STATE_DONE,
    LeagueState,
    RatingsRequest,
    RatingsResponse,
    StandingsRequest,
    StandingsResponse,
)

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_EVERY = 2.0  # seconds between two looks
_HERE = "-"  # a plot in the terminal only


class _League(click.Argument):
    """The league; when it is missing because --plot took it, the error says so."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:  # noqa: ANN401 - click's own
        """Return the name."""
        try:
            return super().process_value(ctx, value)
        except click.MissingParameter:
            plot = ctx.params.get("plot")
            if plot in {None, _HERE}:
                raise
            raise click.UsageError(
                f"--plot takes {plot!r} as its file, and no league is named; name it before: standings NAME --plot", ctx
            ) from None


@click.command("standings")
@click.argument("name", cls=_League)
@click.option("--watch", is_flag=True, help="Stay, and show how they change until the league is done. Ctrl-C leaves.")
@click.option("--matrix", "as_matrix", is_flag=True, help="Show each bot against each: who is better, who won.")
@click.option(
    "--plot",
    is_flag=False,
    flag_value=_HERE,
    metavar="[FILE.png|svg]",
    help="Draw ratings with their 95 % intervals; with a file, write that and their history as a picture too.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print the standings as CSV (with --matrix: the matrix).")
@as_json
@connected
def standings(
    session: Session,
    name: str,
    watch: bool,
    as_matrix: bool,
    plot: str | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Show how the bots of the league NAME stand: rating with its 95 % interval, dollars, wins and faults."""
    if watch and (as_matrix or plot or as_csv):
        raise click.UsageError("--watch shows the table of standings only", click.get_current_context())
    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude each other", click.get_current_context())
    if as_matrix or plot:
        with session.league() as stub:
            rated = stub.Ratings(RatingsRequest(league=name))
        _show_ratings(rated, as_matrix=as_matrix, plot=plot, as_csv=as_csv, as_json=as_json)
        return
    with session.league() as stub:
        if not watch:
            found = stub.Standings(StandingsRequest(league=name))
            if as_csv:
                click.echo(standings_csv(found.standings), nl=False)
            elif as_json:
                print_json(shape(found))
            else:
                console().print(standings_page(found))
            return
        screen = console()
        try:
            if as_json:
                for found in _changes(stub, name):
                    print_json_line(shape(found))
            elif screen.is_terminal:
                _watch(screen, stub, name)
            else:
                for found in _changes(stub, name):
                    screen.print(standings_page(found), end="\n\n")
        except KeyboardInterrupt:
            pass  # that is how one leaves


def _show_ratings(rated: RatingsResponse, *, as_matrix: bool, plot: str | None, as_csv: bool, as_json: bool) -> None:
    if plot and plot != _HERE:
        from beanleague.cli.views.plot import write_plot

        write_plot(rated, Path(plot))
        click.echo(f"Wrote {plot}", err=True)
    if as_json:
        print_json(shape(rated))
        return
    if as_csv:
        click.echo(matrix_csv(rated) if as_matrix else standings_csv(rated.standings), nl=False)
        return
    if plot:
        console().print(rating_bars(rated.standings))
    if as_matrix:
        console().print(matrix_tables(rated))


def _watch(screen: Console, stub: LeagueStub, name: str) -> None:
    with Live(console=screen, auto_refresh=False) as live:
        for found in _changes(stub, name):
            live.update(standings_page(found), refresh=True)


def _changes(stub: LeagueStub, name: str) -> Iterator[StandingsResponse]:
    """Yield the standings whenever they changed, until the league is done."""
    before: StandingsResponse | None = None
    while True:
        found = stub.Standings(StandingsRequest(league=name))
        if found != before:
            yield found
        if found.state == LEAGUE_STATE_DONE:
            return
        before = found
        time.sleep(_EVERY)


def standings_page(found: StandingsResponse) -> RenderableType:
    """Return the standings with a heading."""
    heading = Text.assemble(
        (found.league, "bold"),
        f"  {found.ruleset}  {part(found.deals_done, found.deals_total, 'deal')}  ",
        (enum_name(LeagueState.DESCRIPTOR, found.state), "dim"),
    )
    return Group(heading, Text(), standings_table(found.standings))
