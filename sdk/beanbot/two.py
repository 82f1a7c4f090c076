"""Bots for Bohnanza for two: one method per decision, each with a simple default.

This module has every name that such a bot needs:

>>> from beanbot.two import BohnanzaTwoBot, PlantOpen, Pass
"""

from __future__ import annotations

from typing import ClassVar

from beanbot.bot import Bot
from beanbot.helpers import least_loss as least_loss
from beanbot.helpers import own_kind_first as own_kind_first
from beanleague.games import *
from beanleague.games.bohnanza import CardRules as CardRules
from beanleague.games.bohnanza import Field as Field
from beanleague.games.core import *
from beanleague.games.two import *


class BohnanzaTwoBot(Bot[BohnanzaTwoView]):
    """A bot for `bohnanza-two`. Override the methods that should do better.

    Every method may return `Harvest`, or `BuyField` if `view.can_buy`; the bot is then asked again.
    """

    games: ClassVar[tuple[str, ...]] = ("bohnanza-two",)

    def decide(self, view: BohnanzaTwoView) -> Action:
        """Call the method for `view.decision`."""
        method = _METHODS[view.decision]
        if method is None:
            return view.default()
        action: Action = getattr(self, method)(view)
        return action

    def plant_offered(self, view: BohnanzaTwoView) -> Action:
        """Step 1: `PlantOpen` or `DiscardOpen` one of the cards `view.open`, which the opponent left.

        Default: plant cards that go to a field of their kind, discard the others.
        """
        for card, kind in enumerate(view.open):
            place = _own_kind(view, kind)
            if place is not None:
                return PlantOpen(card, place)
        return DiscardOpen(0)

    def plant_first(self, view: BohnanzaTwoView) -> Action:
        """Step 2: `Plant` the first card of the hand.

        Default: in a field of its kind, else in an empty one, else harvest to make room.
        """
        places = view.places_for(view.hand[0])
        return Plant(own_kind_first(view, places)) if places else Harvest(least_loss(view))

    def plant_second(self, view: BohnanzaTwoView) -> Action:
        """Step 2: `Plant` the next card of the hand too, or `Pass`. Default: plant it if a field takes it."""
        places = view.places_for(view.hand[0])
        return Plant(own_kind_first(view, places)) if places else Pass()

    def discard_hand(self, view: BohnanzaTwoView) -> Action:
        """Step 2: `DiscardHand` one card of the hand, or `Pass`. Default: pass."""
        del view
        return Pass()

    def plant_drawn(self, view: BohnanzaTwoView) -> Action:
        """Step 3: `PlantOpen` one of the cards `view.open`, or `Pass` and leave them to the opponent.

        Default: plant every card that a field takes.
        """
        for card, kind in enumerate(view.open):
            places = view.places_for(kind)
            if places:
                return PlantOpen(card, own_kind_first(view, places))
        return Pass()


def _own_kind(view: BohnanzaTwoView, kind: Kind) -> int | None:
    return next((i for i, field in enumerate(view.own_fields) if field.kind == kind), None)


_METHODS: dict[TwoDecision, str | None] = {
    TwoDecision.WAIT: None,  # never asked
    TwoDecision.PLANT_OFFERED: "plant_offered",
    TwoDecision.PLANT_FIRST: "plant_first",
    TwoDecision.PLANT_SECOND: "plant_second",
    TwoDecision.DISCARD_HAND: "discard_hand",
    TwoDecision.PLANT_DRAWN: "plant_drawn",
}
