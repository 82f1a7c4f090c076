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

from beanleague.games.lazy import exported_by
from beanleague.games.rulesets import game_from_view, new_game, ruleset, rulesets

if TYPE_CHECKING:
    from beanleague.games.core.errors import (
        GameError,
        IllegalActionError,
        RecordError,
        RulesVersionError,
        SetupError,
        UnknownRulesetError,
    )
    from beanleague.games.core.game import (
        Action,
        Event,
        Game,
        Hidden,
        Option,
        Outcome,
        Rules,
        Ruleset,
        View,
    )
    from beanleague.games.core.kinds import Kind, KindRule
    from beanleague.games.records.faults import Fault
    from beanleague.games.records.record import (
        PlayedMove,
        Record,
        action_to_json,
        record_from_json,
        record_to_json,
        record_to_object,
    )
    from beanleague.games.records.verify import MatchVerdict, verify
    from beanleague.games.rules_version import RULES_VERSION, check_rules_version
else:
    __getattr__ = exported_by(
        __name__,
        "core.errors",
        "core.kinds",
        "core.game",
        "rules_version",
        "records.faults",
        "records.record",
        "records.verify",
    )

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
