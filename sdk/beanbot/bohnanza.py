"""Bots for the trading card games: one method per decision, each with a dull but sensible default.

All that such a bot needs comes from here:

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
    """A bot for the trading games. Override what it should do better.

    A `Harvest` is allowed anywhere but in `answer`, and so is `BuyField` when `view.can_buy` says so.
    """

    games: ClassVar[tuple[str, ...]] = ("bohnanza", "bohnanza-extended", "bohnanza-classic")

    def decide(self, view: BohnanzaView) -> Action:
        """Ask the method of this decision."""
        method = _METHODS[view.decision]
        if method is None:
            return view.default()
        action: Action = getattr(self, method)(view)
        return action

    def plant_first(self, view: BohnanzaView) -> Action:
        """Phase 1: plant the first card of the hand, with its own kind if it can be, harvesting for room."""
        places = view.places_for(view.hand[0])
        return Plant(own_kind_first(view, places)) if places else Harvest(least_loss(view))

    def plant_second(self, view: BohnanzaView) -> Action:
        """Phase 1: plant the next card of the hand too, if there is room for it; else `Pass`."""
        places = view.places_for(view.hand[0])
        return Plant(own_kind_first(view, places)) if places else Pass()

    def trade(self, view: BohnanzaView) -> Action:
        """Phase 2, own turn: `Offer`, `Call` for offers, or `Stop`; here, stop at once."""
        del view
        return Stop()

    def answer(self, view: BohnanzaView) -> Action:
        """Phase 2, another's turn: `Accept`, `Decline` or `Counter` what `view.offer` says; here, decline."""
        del view
        return Decline()

    def pick(self, view: BohnanzaView) -> Action:
        """Phase 2, own turn: `Pick` one of `view.answers`, or `Refuse` all; here, refuse."""
        del view
        return Refuse()

    def plant_aside(self, view: BohnanzaView) -> Action:
        """Phase 3: plant a card that lies aside: first what has its own kind, then what has room."""
        fields = view.own_fields
        for card, kind in enumerate(view.own_aside):
            for i, field in enumerate(fields):
                if field.kind == kind:
                    return PlantAside(card, i)
        places = view.places_for(view.own_aside[0])
        return PlantAside(0, places[0]) if places else Harvest(least_loss(view))

    def interlude(self, view: BohnanzaView) -> Action:
        """Between turns, if the class sets `interludes = True`: `Harvest` or `Pass`; here, pass."""
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
