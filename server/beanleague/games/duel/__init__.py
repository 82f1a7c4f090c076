"""Bohnanza - The Duel: gifts, bluffs and bo(h)nus cards, for two."""

from beanleague.games.duel.moves import *
from beanleague.games.duel.rules import BohnusCard, Column, DuelHidden, DuelRules
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
