"""The card games with trading, for three and more players."""

from beanleague.games.bohnanza.moves import *
from beanleague.games.bohnanza.rules import CardRules, CardsHidden
from beanleague.games.bohnanza.view import *

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
