"""`beanleague league hide` and `beanleague bot hide`: put away what nobody needs to see."""

from __future__ import annotations

import click

from beanleague.cli.connection.completion import bots, leagues
from beanleague.cli.connection.options import connected
from beanleague.cli.connection.session import Session
from beanleague.cli.views.output import Output, with_output
from beanproto.v1.league_pb2 import HideBotRequest, HideLeagueRequest

_SHOW = click.option("--show", is_flag=True, help="Show it again.")


@click.command("hide")
@click.argument("name", shell_complete=leagues)
@_SHOW
@with_output
@connected
def hide_league(session: Session, name: str, show: bool, out: Output) -> None:
    """Leave the league NAME out of lists and of the site, or show it again. Nothing is deleted.

    'league list --all' lists it, and all other commands take it by its name.
    """
    with session.league() as stub:
        info = stub.HideLeague(HideLeagueRequest(name=name, show=show))
    out.show(info, [_sentence(session, "league", name, show=show)])


@click.command("hide")
@click.argument("name", shell_complete=bots)
@_SHOW
@with_output
@connected
def hide_bot(session: Session, name: str, show: bool, out: Output) -> None:
    """Leave the bot NAME out of lists and of the site, or show it again. Nothing is deleted.

    A new league seats it only if it is named. 'bot list --all' lists it, and all other commands take it by
    its name.
    """
    with session.league() as stub:
        info = stub.HideBot(HideBotRequest(name=name, show=show))
    out.show(info, [_sentence(session, "bot", name, show=show)])


def _sentence(session: Session, what: str, name: str, *, show: bool) -> str:
    if show:
        return f"{name} is shown."
    return f"{name} is hidden; show it again with: {session.command(f'{what} hide {name} --show')}"
