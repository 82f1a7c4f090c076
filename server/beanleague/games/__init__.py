"""The rules of the games: pure, deterministic, standard library only.

>>> from beanleague.games import new_game
>>> game = new_game("bohnanza", seats=4, seed=b"an example")
>>> while not game.over:
...     for seat in game.to_act():
...         game.apply(seat, game.default(seat))
>>> sorted(game.outcome.places)
[1, 2, 3, 4]
"""

from beanleague.games.cards.actions import (
    Accept,
    Call,
    Counter,
    Decline,
    Harvest,
    Offer,
    Pass,
    Pick,
    Plant,
    PlantAside,
    Refuse,
    Stop,
)
from beanleague.games.cards.decision import Decision
from beanleague.games.cards.events import (
    Answered,
    Dealt,
    Drew,
    GameEnded,
    Harvested,
    Offered,
    Passed,
    Planted,
    RanOut,
    Refused,
    Shuffled,
    Traded,
    TradingEnded,
    TurnedOver,
    TurnStarted,
)
from beanleague.games.cards.rules import CardRules
from beanleague.games.cards.view import EMPTY, BohnanzaView, Field
from beanleague.games.errors import GameError, IllegalActionError, RecordError, SetupError, UnknownRulesetError
from beanleague.games.game import Action, Event, Game, Option, Outcome, View
from beanleague.games.kinds import Kind, KindRule
from beanleague.games.record import PlayedMove, Record, RecordedFault, record_from_json, record_to_json
from beanleague.games.rulesets import Ruleset, new_game, ruleset, rulesets
from beanleague.games.verify import Verdict, verify

__all__ = [
    "EMPTY",
    "Accept",
    "Action",
    "Answered",
    "BohnanzaView",
    "Call",
    "CardRules",
    "Counter",
    "Dealt",
    "Decision",
    "Decline",
    "Drew",
    "Event",
    "Field",
    "Game",
    "GameEnded",
    "GameError",
    "Harvest",
    "Harvested",
    "IllegalActionError",
    "Kind",
    "KindRule",
    "Offer",
    "Offered",
    "Option",
    "Outcome",
    "Pass",
    "Passed",
    "Pick",
    "Plant",
    "PlantAside",
    "Planted",
    "PlayedMove",
    "RanOut",
    "Record",
    "RecordError",
    "RecordedFault",
    "Refuse",
    "Refused",
    "Ruleset",
    "SetupError",
    "Shuffled",
    "Stop",
    "Traded",
    "TradingEnded",
    "TurnStarted",
    "TurnedOver",
    "UnknownRulesetError",
    "Verdict",
    "View",
    "new_game",
    "record_from_json",
    "record_to_json",
    "ruleset",
    "rulesets",
    "verify",
]
