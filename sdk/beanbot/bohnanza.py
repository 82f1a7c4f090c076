"""Bots for the trading card games: one method per decision, each with a simple default.

This module has every name that such a bot needs:

>>> from beanbot.bohnanza import BohnanzaBot, Offer, Stop
"""

from __future__ import annotations

from typing import ClassVar

from beanbot.bot import Bot
from beanbot.helpers import least_loss as least_loss
from beanbot.helpers import own_kind_first as own_kind_first
from beanleague.games import *
from beanleague.games.bohnanza import *
from beanleague.games.core import *


class BohnanzaBot(Bot[BohnanzaView]):
    """A bot for the trading games. Override the methods that should do better.

    Every method but `answer` may return `Harvest`, or `BuyField` if `view.can_buy`; the bot is then asked again.
    """

    games: ClassVar[tuple[str, ...]] = ("bohnanza", "bohnanza-extended", "bohnanza-classic")

    def decide(self, view: BohnanzaView) -> Action:
        """Call the method for `view.decision`."""
        method = _METHODS[view.decision]
        if method is None:
            return view.default()
        action: Action = getattr(self, method)(view)
        return action

    def plant_first(self, view: BohnanzaView) -> Action:
        """Phase 1: `Plant` the first card of the hand.

        Default: in a field of its kind, else in an empty one, else harvest to make room.
        """
        places = view.places_for(view.hand[0])
        return Plant(own_kind_first(view, places)) if places else Harvest(least_loss(view))

    def plant_second(self, view: BohnanzaView) -> Action:
        """Phase 1: `Plant` the next card of the hand too, or `Pass`. Default: plant it if a field takes it."""
        places = view.places_for(view.hand[0])
        return Plant(own_kind_first(view, places)) if places else Pass()

    def trade(self, view: BohnanzaView) -> Action:
        """Phase 2, own turn: `Offer` cards, `Call` for offers, or `Stop` trading. Default: stop."""
        del view
        return Stop()

    def answer(self, view: BohnanzaView) -> Action:
        """Phase 2, another's turn: `Accept`, `Decline` or `Counter` the offer `view.offer`. Default: decline."""
        del view
        return Decline()

    def pick(self, view: BohnanzaView) -> Action:
        """Phase 2, own turn: `Pick` one of `view.answers`, or `Refuse` all of them. Default: refuse."""
        del view
        return Refuse()

    def plant_aside(self, view: BohnanzaView) -> Action:
        """Phase 3: `PlantAside` a card set aside.

        Default: first cards that go to a field of their kind, then any that a field takes, else harvest.
        """
        fields = view.own_fields
        for card, kind in enumerate(view.own_aside):
            for i, field in enumerate(fields):
                if field.kind == kind:
                    return PlantAside(card, i)
        places = view.places_for(view.own_aside[0])
        return PlantAside(0, places[0]) if places else Harvest(least_loss(view))

    def interlude(self, view: BohnanzaView) -> Action:
        """Between turns, if the class sets `interludes = True`: `Harvest` or `Pass`. Default: pass."""
        del view
        return Pass()


_METHODS: tuple[str | None, ...] = (
    None,  # WAIT is never asked
    "plant_first",
    "plant_second",
    "trade",
    "answer",
    "pick",
    "plant_aside",
    "interlude",
)
