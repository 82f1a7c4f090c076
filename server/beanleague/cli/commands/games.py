"""`beanleague games`: list the available games."""

from collections.abc import Iterator

import click
from rich.console import RenderableType
from rich.text import Text

from beanleague.cli.commands.options import reporting
from beanleague.cli.connection.session import Session
from beanleague.cli.views.output import Output
from beanleague.cli.views.tables import rulesets_table
from beanleague.service.rulesets import list_rulesets
from beanproto.v1.league_pb2 import ListRulesetsRequest, ListRulesetsResponse


@click.command("games")
@reporting
def games(session: Session, out: Output) -> None:
    """List the games with their number of players, source and options."""
    answer = session.call(lambda stub: stub.ListRulesets(ListRulesetsRequest())) if session.server else list_rulesets()
    out.show(answer, _page(answer))


def _page(answer: ListRulesetsResponse) -> Iterator[RenderableType]:
    yield rulesets_table(answer.rulesets)
    summaries = {option.name: option.summary for game in answer.rulesets for option in game.options}
    if summaries:
        yield "\nOptions, set with 'league create --option NAME=VALUE':"
        for name, summary in summaries.items():
            yield Text.assemble("  ", (name, "bold"), f"  {summary}")
