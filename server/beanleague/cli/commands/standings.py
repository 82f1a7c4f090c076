"""`beanleague standings`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from beanleague.cli.options import as_json
from beanleague.cli.output import console, print_json, print_json_line
from beanleague.cli.session import Session, connected
from beanleague.cli.shapes import enum_name, shape
from beanleague.cli.tables import standings_table
from beanproto.v1.league_pb2 import LEAGUE_STATE_DONE, LeagueState, StandingsRequest, StandingsResponse

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_EVERY = 2.0  # seconds between two looks


@click.command("standings")
@click.argument("name")
@click.option("--watch", is_flag=True, help="Stay, and show how they change until the league is done. Ctrl-C leaves.")
@as_json
@connected
def standings(session: Session, name: str, watch: bool, as_json: bool) -> None:
    """Show how the bots of the league NAME stand: rating with its 95 % interval, dollars, wins and faults."""
    with session.league() as stub:
        if not watch:
            found = stub.Standings(StandingsRequest(league=name))
            if as_json:
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
        f"  {found.ruleset}  {found.deals_done} of {found.deals_total} deals  ",
        (enum_name(LeagueState.DESCRIPTOR, found.state), "dim"),
    )
    return Group(heading, Text(), standings_table(found.standings))
