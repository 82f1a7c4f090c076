"""Bots for the duel: one method per decision, each with a simple default.

This module has every name that such a bot needs:

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
    """A bot for `duel`. Override the methods that should do better.

    Every method may return `Harvest`; the bot is then asked again. By default it fulfils its bo(h)nus cards as soon as
    it can, which costs nothing: the fields stay as they are.
    """

    games: ClassVar[tuple[str, ...]] = ("duel",)
    interludes: ClassVar[bool] = True

    def decide(self, view: DuelView) -> Action:
        """Call `fulfil` if a bo(h)nus card can be fulfilled, else the method for `view.decision`."""
        if view.fulfillable:
            return self.fulfil(view)
        method = _METHODS[view.decision]
        if method is None:
            return view.default()
        action: Action = getattr(self, method)(view)
        return action

    def fulfil(self, view: DuelView) -> Action:
        """At any time: return one of `view.fulfillable`. Default: the first."""
        return view.fulfillable[0]

    def plant_first(self, view: DuelView) -> Action:
        """Phase 1: `Plant` the first card of the hand. Default: in its `best_place`, else harvest to make room."""
        place = best_place(view, view.hand[0])
        return Harvest(least_loss(view)) if place is None else Plant(place)

    def plant_second(self, view: DuelView) -> Action:
        """Phase 1: `Plant` the next card of the hand too, or `Pass`. Default: plant it if a field takes it."""
        place = best_place(view, view.hand[0])
        return Pass() if place is None else Plant(place)

    def offer_gift(self, view: DuelView) -> Action:
        """Phase 2: `OfferGift` of a kind not in `view.offered`. Default: a kind the bot has, else a bluff."""
        return view.default()

    def answer_gift(self, view: DuelView) -> Action:
        """Phase 2: `AcceptGift` or `DeclineGift` for the kind `view.offer`.

        Default: accept it if it can be planted in a field that is not empty.
        """
        assert view.offer is not None
        place = best_place(view, view.offer)
        return AcceptGift() if place is not None and view.own_fields[place].cards else DeclineGift()

    def give(self, view: DuelView) -> Action:
        """Phase 2: `Give` one of several cards of the kind offered.

        Default: a turned-over card, else the first of the hand.
        """
        return view.default()

    def plant_turned(self, view: DuelView) -> Action:
        """Phase 3, own turn: `PlantTurned`, `PlantGift`, or `DiscardTurned` once a turn.

        Default: plant whatever a field takes, else discard a card, else harvest to make room.
        """
        for card, kind in enumerate(view.turned):
            place = best_place(view, kind)
            if place is not None:
                return PlantTurned(card, place)
        if view.gift:
            return self.plant_gift(view)
        return DiscardTurned(0) if view.may_discard else Harvest(least_loss(view))

    def plant_gift(self, view: DuelView) -> Action:
        """Phase 3: `PlantGift`. Default: in its `best_place`, else harvest to make room."""
        assert view.gift is not None
        place = best_place(view, view.gift)
        return Harvest(least_loss(view)) if place is None else PlantGift(place)

    def discard_bohnus(self, view: DuelView) -> Action:
        """Phase 4: `DiscardBohnus` one of `view.bohnus` to draw another, or `Pass`. Default: pass."""
        del view
        return Pass()

    def interlude(self, view: DuelView) -> Action:
        """Between turns, unless the class sets `interludes = False`: `Harvest` or `Pass`. Default: pass."""
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
    DuelDecision.DRAWN_BOHNUS: None,  # passes, since `fulfil` comes first
    DuelDecision.INTERLUDE: "interlude",
}
