"""The rules of the games: pure, deterministic, standard library only.

>>> from beanleague.games import new_game
>>> game = new_game("bohnanza", seats=4, seed=b"an example")
>>> while not game.over:
...     for seat in game.to_act():
...         game.apply(seat, game.default(seat))
>>> sorted(game.outcome.places)
[1, 2, 3, 4]
"""

from beanleague.games.bohnanza.actions import (
    Accept,
    BuyField,
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
from beanleague.games.bohnanza.decision import Decision
from beanleague.games.bohnanza.events import (
    Answered,
    Dealt,
    Drew,
    FieldBought,
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
from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.bohnanza.view import EMPTY, BohnanzaView, Field, FieldsView
from beanleague.games.core.errors import GameError, IllegalActionError, RecordError, SetupError, UnknownRulesetError
from beanleague.games.core.game import Action, Event, Game, Option, Outcome, View
from beanleague.games.core.kinds import Kind, KindRule
from beanleague.games.dice.actions import HarvestTop, LoseDie, RollAgain, Save
from beanleague.games.dice.decision import DiceDecision
from beanleague.games.dice.events import (
    CardDrawn,
    CardHarvested,
    CardStolen,
    DeckRenewed,
    DieStolen,
    DollarsDrawn,
    OrdersCompleted,
    Rolled,
    Saved,
    SoloEnded,
    SuperStealRolled,
    ThiefRolled,
)
from beanleague.games.dice.orders import Order
from beanleague.games.dice.rules import DiceRules, ThiefRules
from beanleague.games.dice.thief import SoloOutcome
from beanleague.games.dice.view import DiceView
from beanleague.games.duel.actions import (
    AcceptGift,
    DeclineGift,
    DiscardBohnus,
    DiscardTurned,
    Fulfil,
    Give,
    OfferGift,
    PlantGift,
    PlantTurned,
)
from beanleague.games.duel.bohnus import (
    BohnusCard,
)
from beanleague.games.duel.column import (
    Column,
)
from beanleague.games.duel.decision import (
    DuelDecision,
)
from beanleague.games.duel.events import (
    BluffPaid,
    BohnusDiscarded,
    BohnusDrawn,
    BohnusShuffled,
    ColumnHarvested,
    DuelEnded,
    FirstDollars,
    Fulfilled,
    GiftAccepted,
    GiftDeclined,
    GiftGiven,
    GiftOffered,
    TurnedDiscarded,
)
from beanleague.games.duel.rules import (
    DuelRules,
)
from beanleague.games.duel.view import (
    DuelView,
)
from beanleague.games.records.record import PlayedMove, Record, RecordedFault, record_from_json, record_to_json
from beanleague.games.records.verify import Verdict, verify
from beanleague.games.rulesets import Ruleset, new_game, ruleset, rulesets
from beanleague.games.two.actions import (
    DiscardHand,
    DiscardOpen,
    PlantOpen,
)
from beanleague.games.two.decision import (
    TwoDecision,
)
from beanleague.games.two.events import (
    HandDiscarded,
    Joined,
    OpenDiscarded,
)
from beanleague.games.two.view import (
    BohnanzaTwoView,
)

__all__ = [
    "EMPTY",
    "Accept",
    "AcceptGift",
    "Action",
    "Answered",
    "BluffPaid",
    "BohnanzaTwoView",
    "BohnanzaView",
    "BohnusCard",
    "BohnusDiscarded",
    "BohnusDrawn",
    "BohnusShuffled",
    "BuyField",
    "Call",
    "CardDrawn",
    "CardHarvested",
    "CardRules",
    "CardStolen",
    "Column",
    "ColumnHarvested",
    "Counter",
    "Dealt",
    "Decision",
    "DeckRenewed",
    "Decline",
    "DeclineGift",
    "DiceDecision",
    "DiceRules",
    "DiceView",
    "DieStolen",
    "DiscardBohnus",
    "DiscardHand",
    "DiscardOpen",
    "DiscardTurned",
    "DollarsDrawn",
    "Drew",
    "DuelDecision",
    "DuelEnded",
    "DuelRules",
    "DuelView",
    "Event",
    "Field",
    "FieldBought",
    "FieldsView",
    "FirstDollars",
    "Fulfil",
    "Fulfilled",
    "Game",
    "GameEnded",
    "GameError",
    "GiftAccepted",
    "GiftDeclined",
    "GiftGiven",
    "GiftOffered",
    "Give",
    "HandDiscarded",
    "Harvest",
    "HarvestTop",
    "Harvested",
    "IllegalActionError",
    "Joined",
    "Kind",
    "KindRule",
    "LoseDie",
    "Offer",
    "OfferGift",
    "Offered",
    "OpenDiscarded",
    "Option",
    "Order",
    "OrdersCompleted",
    "Outcome",
    "Pass",
    "Passed",
    "Pick",
    "Plant",
    "PlantAside",
    "PlantGift",
    "PlantOpen",
    "PlantTurned",
    "Planted",
    "PlayedMove",
    "RanOut",
    "Record",
    "RecordError",
    "RecordedFault",
    "Refuse",
    "Refused",
    "RollAgain",
    "Rolled",
    "Ruleset",
    "Save",
    "Saved",
    "SetupError",
    "Shuffled",
    "SoloEnded",
    "SoloOutcome",
    "Stop",
    "SuperStealRolled",
    "ThiefRolled",
    "ThiefRules",
    "Traded",
    "TradingEnded",
    "TurnStarted",
    "TurnedDiscarded",
    "TurnedOver",
    "TwoDecision",
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
