"""`beanleague quickstart`: the house bots in a small league."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from beanleague.answers.shapes import shape
from beanleague.cli.commands.bot import packed, tried
from beanleague.cli.connection.completion import games
from beanleague.cli.connection.options import connected
from beanleague.cli.connection.running import play
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError
from beanleague.cli.views.output import Output, with_output
from beanleague.cli.views.progress import run_view
from beanleague.cli.views.text import counted
from beanleague.games import UnknownRulesetError, ruleset
from beanleague.league.bots.house_bots import house_bots
from beanleague.names import format_bot
from beanproto.v1.league_pb2 import (
    LEAGUE_STATE_DONE,
    CreateLeagueRequest,
    LeagueInfo,
    ListLeaguesRequest,
    RunLeagueRequest,
)

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_NAME = "quickstart"
_DEALS = 50
_MAX_BOTS = 4
_BOTS = (
    *("trader", "merchant", "haggler", "farmer"),
    *("gardener", "duelist", "dicer", "surveyor", "journeyman", "apprentice", "pupil", "novice", "random"),
)
"""House bots that take part, best first, as far as they play the game: neighbours in strength, so that each sometimes
wins, and all of them quick."""


@click.command("quickstart")
@click.option(
    "--game",
    metavar="GAME",
    shell_complete=games,
    default="bohnanza",
    show_default=True,
    help="The game to play; see 'beanleague games'.",
)
@with_output
@connected
def quickstart(session: Session, game: str, out: Output) -> None:
    """Play a small league of the house bots and show the standings.

    A quickstart league of the game that was stopped is continued; otherwise a new one is created.
    """
    try:
        ruleset(game)
    except UnknownRulesetError as unknown:
        raise CliError(str(unknown)) from None
    with session.league() as stub:
        name = _league(stub, game, _submit_house_bots(stub, game, quiet=out.as_json), quiet=out.as_json)
        last = play(session, stub, RunLeagueRequest(name=name), run_view(name, out))
    out.show({"league": name, **shape(last)}, _next_steps(session, name, game))


def _next_steps(session: Session, league: str, game: str) -> Iterator[str]:
    yield "\nWhat to do next:"
    for step, words in (
        ("see the standings again", f"standings {league}"),
        ("watch a match", f"match replay {league}/1.0"),
        ("check a bot of your own", "bot check FOLDER"),
        ("submit it", "bot submit FOLDER"),
        ("and let it play", f"league create mine --game {game}"),
    ):
        yield f"  {step:24} {session.command(words)}"


def _submit_house_bots(stub: LeagueStub, game: str, *, quiet: bool) -> list[str]:
    """Submit the first of `_BOTS` that play `game` and return them as "name@version"."""
    try:
        known = {folder.name: folder for folder in house_bots(game)}
    except FileNotFoundError as error:
        raise CliError(str(error)) from None
    folders = [known[name] for name in _BOTS if name in known][:_MAX_BOTS]
    names = []
    for folder in folders:
        answer = tried(stub, packed(folder), submit=True).submitted
        names.append(format_bot(answer.name, answer.version))
        if not quiet:
            click.echo(f"{'submitted' if answer.created else 'already submitted:'} {names[-1]}")
    return names


def _league(stub: LeagueStub, game: str, bots: list[str], *, quiet: bool) -> str:
    """Return the name of a quickstart league of `game` that is not done; create one if all are done."""
    leagues: dict[str, LeagueInfo] = {
        info.name: info for info in stub.ListLeagues(ListLeaguesRequest(all=True)).leagues
    }
    number, name = 1, _NAME
    while name in leagues:
        if leagues[name].ruleset == game and leagues[name].state != LEAGUE_STATE_DONE:
            return name
        number += 1
        name = f"{_NAME}-{number}"
    created = stub.CreateLeague(CreateLeagueRequest(name=name, ruleset=game, bots=bots, deals=_DEALS))
    if not quiet:
        matches = counted(created.matches_total // created.deals_total, "match", "matches")
        click.echo(f"created the league {name}: {counted(_DEALS, 'deal')} of {game}, {matches} each\n")
    return name
