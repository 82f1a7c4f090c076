"""The rules of the games: pure, deterministic, standard library only.

>>> from beanleague.games import new_game
>>> game = new_game("bohnanza", seats=4, seed=b"an example")
>>> while not game.over:
...     for seat in game.to_act():
...         game.apply(seat, game.default(seat))
>>> sorted(game.outcome.places)
[1, 2, 3, 4]
"""

from typing import TYPE_CHECKING

from beanleague.games.families import RULES_VERSION, check_rules_version, game_from_view, new_game, ruleset, rulesets
from beanleague.games.lazy import exported_by

if TYPE_CHECKING:
    from beanleague.games.core.game import *
    from beanleague.games.core.game import Kind, KindRule
    from beanleague.games.records.faults import Fault
    from beanleague.games.records.record import *
    from beanleague.games.records.verify import MatchVerdict, verify
else:
    __getattr__ = exported_by(__name__, "core.game", "records.faults", "records.record", "records.verify")

__all__ = [
    "RULES_VERSION",
    "Action",
    "Event",
    "Fault",
    "Game",
    "GameError",
    "Hidden",
    "IllegalActionError",
    "Kind",
    "KindRule",
    "MatchVerdict",
    "Option",
    "Outcome",
    "PlayedMove",
    "Record",
    "RecordError",
    "Rules",
    "RulesVersionError",
    "Ruleset",
    "SetupError",
    "UnknownRulesetError",
    "View",
    "action_to_json",
    "check_rules_version",
    "game_from_view",
    "new_game",
    "record_from_json",
    "record_to_json",
    "record_to_object",
    "ruleset",
    "rulesets",
    "verify",
]
