"""Games as messages. Needs no database, so that the command line can use it without a service."""

from beanleague.games import RULES_VERSION, rulesets
from beanproto.v1 import league_pb2 as pb


def list_rulesets() -> pb.ListRulesetsResponse:
    """Describe all games."""
    games = (
        pb.RulesetInfo(
            id=game.id,
            least_seats=game.least_seats,
            most_seats=game.most_seats,
            source=game.source,
            summary=game.summary,
            options=[pb.OptionInfo(name=name, summary=summary) for name, summary in game.options.items()],
        )
        for game in rulesets()
    )
    return pb.ListRulesetsResponse(rulesets=games, rules=RULES_VERSION)
