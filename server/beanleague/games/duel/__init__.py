"""Bohnanza - The Duel: gifts, bluffs and bo(h)nus cards, for two."""

from beanleague.games.duel.actions import (
    AcceptGift,
    DeclineGift,
    DiscardBohnus,
    DiscardTurned,
    DuelDecision,
    Fulfil,
    Give,
    OfferGift,
    PlantGift,
    PlantTurned,
)
from beanleague.games.duel.bohnus import BohnusCard
from beanleague.games.duel.column import Column
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
from beanleague.games.duel.hidden import DuelHidden
from beanleague.games.duel.rules import DuelRules
from beanleague.games.duel.view import DuelView

__all__ = [
    "AcceptGift",
    "BluffPaid",
    "BohnusCard",
    "BohnusDiscarded",
    "BohnusDrawn",
    "BohnusShuffled",
    "Column",
    "ColumnHarvested",
    "DeclineGift",
    "DiscardBohnus",
    "DiscardTurned",
    "DuelDecision",
    "DuelEnded",
    "DuelHidden",
    "DuelRules",
    "DuelView",
    "FirstDollars",
    "Fulfil",
    "Fulfilled",
    "GiftAccepted",
    "GiftDeclined",
    "GiftGiven",
    "GiftOffered",
    "Give",
    "OfferGift",
    "PlantGift",
    "PlantTurned",
    "TurnedDiscarded",
]
