"""The games as messages. No database is needed, so the command line asks this module itself if no server is named."""

from beanleague.games import RULES_VERSION, Ruleset, rulesets
from beanproto.v1 import league_pb2 as pb


def list_rulesets() -> pb.ListRulesetsResponse:
    """Describe all games."""
    return pb.ListRulesetsResponse(rulesets=map(_ruleset_to_pb, rulesets()), rules=RULES_VERSION)


def _ruleset_to_pb(game: Ruleset) -> pb.RulesetInfo:
    return pb.RulesetInfo(
        id=game.id,
        least_seats=game.least_seats,
        most_seats=game.most_seats,
        source=game.source,
        summary=game.summary,
        options=[pb.OptionInfo(name=name, summary=summary) for name, summary in game.options.items()],
    )
