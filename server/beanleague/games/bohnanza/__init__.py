"""The card games with trading, for three and more players."""

from beanleague.games.bohnanza.actions import (
    Accept,
    Call,
    Counter,
    Decision,
    Decline,
    Offer,
    Pick,
    PlantAside,
    Refuse,
    Stop,
)
from beanleague.games.bohnanza.events import (
    Answered,
    Offered,
    Refused,
    Traded,
    TradingEnded,
)
from beanleague.games.bohnanza.hidden import CardsHidden
from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.bohnanza.trading import MAX_SIDE
from beanleague.games.bohnanza.view import (
    EMPTY,
    BohnanzaView,
    Field,
    FieldsView,
    OwnFields,
)

__all__ = [
    "EMPTY",
    "MAX_SIDE",
    "Accept",
    "Answered",
    "BohnanzaView",
    "Call",
    "CardRules",
    "CardsHidden",
    "Counter",
    "Decision",
    "Decline",
    "Field",
    "FieldsView",
    "Offer",
    "Offered",
    "OwnFields",
    "Pick",
    "PlantAside",
    "Refuse",
    "Refused",
    "Stop",
    "Traded",
    "TradingEnded",
]
