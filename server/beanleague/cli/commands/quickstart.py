"""`beanleague quickstart`: the house bots in a small league."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from beanleague.cli.commands.league import run_view
from beanleague.cli.connection.bundle import packed
from beanleague.cli.connection.running import play
from beanleague.cli.connection.session import Session, connected
from beanleague.cli.errors import CliError
from beanleague.cli.params.options import as_json
from beanleague.cli.views.output import print_json
from beanleague.cli.views.shapes import shape
from beanleague.games import UnknownRulesetError, ruleset
from beanleague.league.bots.house_bots import house_bots
from beanproto.v1.league_pb2 import (
    LEAGUE_STATE_DONE,
    CreateLeagueRequest,
    LeagueInfo,
    ListLeaguesRequest,
    RunLeagueRequest,
    SubmitBotRequest,
)

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_NAME = "quickstart"
_DEALS = 50


@click.command("quickstart")
@click.option("--game", default="bohnanza", show_default=True, help="What is played; see 'beanleague games'.")
@as_json
@connected
def quickstart(session: Session, game: str, as_json: bool) -> None:
    """Play a small league of the house bots and show how they stand.

    A quickstart league of the game that was stopped goes on; if all are done, another one is made.
    """
    try:
        ruleset(game)
    except UnknownRulesetError as unknown:
        raise CliError(str(unknown)) from None
    with session.league() as stub:
        name = _league(stub, game, _submit_house_bots(stub, game, quiet=as_json), quiet=as_json)
        last = play(session, stub, RunLeagueRequest(name=name), run_view(name, as_json=as_json))
    if as_json:
        print_json({"league": name, **shape(last)})
        return
    click.echo("\nWhat to do next:")
    for what, words in (
        ("see the standings again", f"standings {name}"),
        ("watch a match", f"match replay {name}/1.0"),
        ("check a bot of your own", "bot check FOLDER"),
        ("submit it", "bot submit FOLDER"),
        ("and let it play", f"league create mine --game {game}"),
    ):
        click.echo(f"  {what:24} {session.command(words)}")


def _submit_house_bots(stub: LeagueStub, game: str, *, quiet: bool) -> list[str]:
    """Submit the house bots that play `game` and return them as "name@version"."""
    try:
        folders = house_bots(game)
    except FileNotFoundError as error:
        raise CliError(str(error)) from None
    names = []
    for folder in folders:
        answer = stub.SubmitBot(SubmitBotRequest(bundle=packed(folder)))
        names.append(f"{answer.name}@{answer.version}")
        if not quiet:
            click.echo(f"{'submitted' if answer.created else 'there is'} {names[-1]}")
    return names


def _league(stub: LeagueStub, game: str, bots: list[str], *, quiet: bool) -> str:
    """Return the name of a quickstart league of `game` with something left to play, made if need be."""
    leagues: dict[str, LeagueInfo] = {info.name: info for info in stub.ListLeagues(ListLeaguesRequest()).leagues}
    number, name = 1, _NAME
    while name in leagues:
        if leagues[name].ruleset == game and leagues[name].state != LEAGUE_STATE_DONE:
            return name
        number += 1
        name = f"{_NAME}-{number}"
    made = stub.CreateLeague(CreateLeagueRequest(name=name, ruleset=game, bots=bots, deals=_DEALS))
    if not quiet:
        matches = made.matches_total // made.deals_total
        click.echo(f"created the league {name}: {_DEALS} deals of {game}, {matches} matches each\n")
    return name
