"""Bots for the duel: one method per decision, each with a dull but sensible default.

All that such a bot needs comes from here:

>>> from beanbot.duel import DuelBot, OfferGift, AcceptGift
"""

from __future__ import annotations

from typing import ClassVar

from beanbot.bot import Bot
from beanbot.helpers import best_place as best_place
from beanbot.helpers import least_loss as least_loss
from beanleague.games import *
from beanleague.games.core import *
from beanleague.games.duel import *


class DuelBot(Bot[DuelView]):
    """A bot for `duel`. Override what it should do better; a `Harvest` is allowed anywhere.

    It fulfils its bo(h)nus cards as soon as it can: the fields stay as they are, and the money is its own.
    """

    games: ClassVar[tuple[str, ...]] = ("duel",)
    interludes: ClassVar[bool] = True

    def decide(self, view: DuelView) -> Action:
        """Fulfil what can be, else ask the method of this decision."""
        if view.fulfillable:
            return self.fulfil(view)
        method = _METHODS[view.decision]
        if method is None:
            return view.default()
        action: Action = getattr(self, method)(view)
        return action

    def fulfil(self, view: DuelView) -> Action:
        """At any time: fulfil one of the bo(h)nus cards that can be, see `view.fulfillable`; here, the first."""
        return view.fulfillable[0]

    def plant_first(self, view: DuelView) -> Action:
        """Phase 1: plant the first card of the hand where it suits best, harvesting for room."""
        place = best_place(view, view.hand[0])
        return Harvest(least_loss(view)) if place is None else Plant(place)

    def plant_second(self, view: DuelView) -> Action:
        """Phase 1: plant the next card of the hand too, if there is room for it; else `Pass`."""
        place = best_place(view, view.hand[0])
        return Pass() if place is None else Plant(place)

    def offer_gift(self, view: DuelView) -> Action:
        """Phase 2: `OfferGift` of a kind not in `view.offered`; here, of one that one has, if there is any left."""
        return view.default()

    def answer_gift(self, view: DuelView) -> Action:
        """Phase 2: `AcceptGift` or `DeclineGift` of a `view.offer`; here, accept what goes on a field that grows."""
        assert view.offer is not None
        place = best_place(view, view.offer)
        return AcceptGift() if place is not None and view.own_fields[place].cards else DeclineGift()

    def give(self, view: DuelView) -> Action:
        """Phase 2: `Give` one of several cards of the kind offered; here, one turned over or the first of the hand."""
        return view.default()

    def plant_turned(self, view: DuelView) -> Action:
        """Phase 3, own turn: plant a turned-over card or the gift, discard one card, or harvest for room."""
        for card, kind in enumerate(view.turned):
            place = best_place(view, kind)
            if place is not None:
                return PlantTurned(card, place)
        if view.gift:
            return self.plant_gift(view)
        return DiscardTurned(0) if view.may_discard else Harvest(least_loss(view))

    def plant_gift(self, view: DuelView) -> Action:
        """Phase 3: plant the gift where it suits best, harvesting for room."""
        assert view.gift is not None
        place = best_place(view, view.gift)
        return Harvest(least_loss(view)) if place is None else PlantGift(place)

    def discard_bohnus(self, view: DuelView) -> Action:
        """Phase 4: `DiscardBohnus` of one of `view.bohnus`, to draw another, or `Pass`; here, pass."""
        del view
        return Pass()

    def interlude(self, view: DuelView) -> Action:
        """Between turns, unless the class sets `interludes = False`: `Harvest` or `Pass`; here, pass."""
        del view
        return Pass()


_METHODS: dict[DuelDecision, str | None] = {
    DuelDecision.WAIT: None,  # never asked
    DuelDecision.PLANT_FIRST: "plant_first",
    DuelDecision.PLANT_SECOND: "plant_second",
    DuelDecision.OFFER_GIFT: "offer_gift",
    DuelDecision.ANSWER_GIFT: "answer_gift",
    DuelDecision.GIVE: "give",
    DuelDecision.PLANT_TURNED: "plant_turned",
    DuelDecision.PLANT_GIFT: "plant_gift",
    DuelDecision.DISCARD_BOHNUS: "discard_bohnus",
    DuelDecision.DRAWN_BOHNUS: None,  # what is drawn has been fulfilled: go on
    DuelDecision.INTERLUDE: "interlude",
}
