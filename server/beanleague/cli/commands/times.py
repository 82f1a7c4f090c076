"""`beanleague bot times`: how long a bot thinks about its decisions."""

from __future__ import annotations

from collections.abc import Iterable

import click

from beanleague.cli.connection.completion import bots, leagues
from beanleague.cli.connection.options import connected
from beanleague.cli.connection.session import Session
from beanleague.cli.params.bot_names import split_version
from beanleague.cli.views.output import Output, with_output
from beanleague.cli.views.tables import FittedTable, TableColumn
from beanleague.names import format_bot
from beanproto.v1.league_pb2 import ThinkingTime, ThinkingTimesRequest


@click.command("times")
@click.argument("name", metavar="NAME[@VERSION]", shell_complete=bots)
@click.option("--league", metavar="NAME", shell_complete=leagues, default="", help="Only in this league.")
@with_output
@connected
def times(session: Session, name: str, league: str, out: Output) -> None:
    """Show how long a bot thought about its decisions, in its newest matches of every league."""
    bare, version = split_version(name)
    with session.league() as stub:
        answer = stub.ThinkingTimes(ThinkingTimesRequest(name=bare, version=version, league=league))
    label = format_bot(answer.name, answer.version)
    out.show(answer, [times_table(answer.times) if answer.times else f"{label} has no match with times."])


def times_table(times: Iterable[ThinkingTime]) -> FittedTable[ThinkingTime]:
    """Return a table of thinking times."""
    return FittedTable(
        [
            TableColumn("league", lambda t: t.league),
            TableColumn("newest matches", lambda t: str(t.matches), right=True, lesser=2),
            TableColumn("decisions", lambda t: f"{t.decisions:,}", right=True, lesser=1),
            TableColumn("mean ms", lambda t: f"{t.mean_ms:.2f}", right=True),
            TableColumn("95 % ms", lambda t: str(t.slow_ms), right=True),
            TableColumn("longest ms", lambda t: str(t.most_ms), right=True),
        ],
        times,
    )
