"""`beanleague games`."""

from __future__ import annotations

import click
from rich.text import Text

from beanleague.cli.connection.session import Session, connected
from beanleague.cli.params.options import as_json
from beanleague.cli.views.output import console, print_json
from beanleague.cli.views.shapes import shape
from beanleague.cli.views.tables import rulesets_table
from beanproto.v1.league_pb2 import ListRulesetsRequest


@click.command("games")
@as_json
@connected
def games(session: Session, as_json: bool) -> None:
    """List the games that can be played, with players, source and options."""
    with session.league() as stub:
        found = stub.ListRulesets(ListRulesetsRequest())
    if as_json:
        print_json(shape(found))
        return
    page = console()
    page.print(rulesets_table(found.rulesets))
    summaries = {option.name: option.summary for game in found.rulesets for option in game.options}
    if summaries:
        page.print("\nOptions, set with 'league create --option NAME=VALUE':")
        for name, summary in summaries.items():
            page.print(Text.assemble("  ", (name, "bold"), f"  {summary}"))
