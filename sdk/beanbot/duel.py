"""Bots for the duel: one method per decision, each with a simple default.

This module has every name that such a bot needs:

>>> from beanbot.duel import DuelBot, OfferGift, AcceptGift
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from beanbot.ahead_duel import Ahead as Ahead
from beanbot.bot import Choice as Choice, FamilyBot
from beanbot.helpers import best_place as best_place, least_loss as least_loss
from beanleague.games.core import *
from beanleague.games.duel import *
from beanleague.games.lazy import passed_on

if TYPE_CHECKING:
    from beanbot.helpers import Columns
    from beanleague.games import *


class DuelBot(FamilyBot[DuelView]):
    """A bot for `duel`. Override the methods that should do better.

    Every method may return `Harvest`; the bot is then asked again. Every method may return a list of actions; see
    `Choice`. By default it fulfils bo(h)nus cards as soon as it can, which costs nothing since fields stay unchanged,
    and `plant_first` also decides for `plant_second` unless that is overridden.
    """

    games: ClassVar[tuple[str, ...]] = ("duel",)
    interludes: ClassVar[bool] = True

    def decide(self, view: DuelView) -> Choice:
        """Call `fulfil` if a bo(h)nus card can be fulfilled, else the method for `view.decision`."""
        return self.fulfil(view) if view.fulfillable else super().decide(view)

    def fulfil(self, view: DuelView) -> Choice:
        """At any time: return one of `view.fulfillable`, or several. Default: all cards, each by the first field."""
        return list({step.card: step for step in reversed(view.fulfillable)}.values())[::-1]

    def plant_first(self, view: DuelView) -> Choice:
        """Phase 1: `Plant` the first card of the hand. Default: in its `best_place`, else harvest to make room."""
        ahead = Ahead(view)
        ahead.plant(view.hand[0], Plant(_place_or_room(ahead, view.hand[0])))
        if ahead.fulfils or len(view.hand) < 2 or not self._keeps("plant_second"):
            return ahead.actions
        return [*ahead.actions, _second(ahead, view.hand[1])]

    def plant_second(self, view: DuelView) -> Choice:
        """Phase 1: `Plant` the next card of the hand too, or `Pass`. Default: plant it if a field takes it."""
        return _second(view, view.hand[0])

    def offer_gift(self, view: DuelView) -> Choice:
        """Phase 2: `OfferGift` of a kind not in `view.offered`. Default: a kind the bot has, else a bluff."""
        return view.default()

    def answer_gift(self, view: DuelView) -> Choice:
        """Phase 2: `AcceptGift` or `DeclineGift` for the kind `view.offer`.

        Default: accept it if it can be planted in a field that is not empty.
        """
        assert view.offer is not None
        place = best_place(view, view.offer)
        return AcceptGift() if place is not None and view.own_fields[place].cards else DeclineGift()

    def give(self, view: DuelView) -> Choice:
        """Phase 2: `Give` one of several cards of the kind offered.

        Default: a turned-over card, else the first of the hand.
        """
        return view.default()

    def plant_turned(self, view: DuelView) -> Choice:
        """Phase 3, the bot's turn: `PlantTurned`, `PlantGift`, or `DiscardTurned` once per turn.

        Default: plant whatever a field takes, else discard a card, else harvest to make room.
        """
        ahead, left, gift, may_discard = Ahead(view), list(view.turned), view.gift, view.may_discard
        while (left or gift) and not ahead.fulfils:
            places = ((card, best_place(ahead, kind)) for card, kind in enumerate(left))
            card, place = next((found for found in places if found[1] is not None), (0, None))
            if place is not None:
                ahead.plant(left.pop(card), PlantTurned(card, place))
            elif gift and not self._keeps("plant_gift"):
                return ahead.actions or self.plant_gift(view)
            elif gift and (place := best_place(ahead, gift)) is not None:
                ahead.plant(gift, PlantGift(place))
                gift = None
            elif may_discard and not gift:
                may_discard = False
                ahead.actions.append(DiscardTurned(0))
                left.pop(0)
            else:
                ahead.harvest(least_loss(ahead))
        return ahead.actions

    def plant_gift(self, view: DuelView) -> Choice:
        """Phase 3: `PlantGift`. Default: in its `best_place`, else harvest to make room."""
        assert view.gift is not None
        ahead = Ahead(view)
        ahead.plant(view.gift, PlantGift(_place_or_room(ahead, view.gift)))
        return ahead.actions

    def discard_bohnus(self, view: DuelView) -> Choice:
        """Phase 4: `DiscardBohnus` one of `view.bohnus` to draw another, or `Pass`. Default: pass."""
        del view
        return Pass()

    def interlude(self, view: DuelView) -> Choice:
        """Between turns, unless the class sets `interludes = False`: `Harvest` or `Pass`. Default: pass."""
        del view
        return Pass()

    def _keeps(self, method: str) -> bool:
        """Return whether the author has not overridden `method`."""
        return getattr(type(self), method) is getattr(DuelBot, method)


def _second(fields: Columns, kind: Kind) -> Action:
    place = best_place(fields, kind)
    return Pass() if place is None else Plant(place)


def _place_or_room(ahead: Ahead, kind: Kind) -> int:
    """Return the best field for a card of `kind`, after a harvest if no field takes it."""
    place = best_place(ahead, kind)
    if place is None:
        place = least_loss(ahead)
        ahead.harvest(place)
    return place


if not TYPE_CHECKING:
    __all__, __getattr__ = passed_on(__name__, "beanleague.games")
