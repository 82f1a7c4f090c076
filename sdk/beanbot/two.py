"""Bots for Bohnanza for two: one method per decision, each with a simple default.

This module has every name that such a bot needs:

>>> from beanbot.two import BohnanzaTwoBot, PlantOpen, Pass
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from beanbot.ahead import Ahead as Ahead, plant_first_card, second_card
from beanbot.bot import Choice as Choice, FamilyBot
from beanbot.helpers import least_loss as least_loss, own_kind_first as own_kind_first
from beanleague.games.bohnanza import CardRules as CardRules, Field as Field, OwnFields
from beanleague.games.core import *
from beanleague.games.lazy import passed_on
from beanleague.games.two import *

if TYPE_CHECKING:
    from beanleague.games import *


class BohnanzaTwoBot(FamilyBot[BohnanzaTwoView]):
    """A bot for `bohnanza-two`. Override the methods that should do better.

    Every method may return `Harvest`, or `BuyField` if `view.can_buy`; the bot is then asked again. Every method may
    return a list of actions; see `Choice`. By default, a method also decides for later methods that are not overridden,
    up to the next draw.
    """

    games: ClassVar[tuple[str, ...]] = ("bohnanza-two",)

    def plant_offered(self, view: BohnanzaTwoView) -> Choice:
        """Step 1: `PlantOpen` or `DiscardOpen` one of the cards `view.open`, which the opponent left.

        Default: plant cards that go to a field of their kind, discard the others.
        """
        ahead, left = Ahead(view), list(view.open)
        while left:
            card, field = next(_own_kind(ahead, left), (0, None))
            kind = left.pop(card)
            if field is None:
                ahead.actions.append(DiscardOpen(card))
            else:
                ahead.plant(kind, PlantOpen(card, field))
        if view.hand and self._keeps("plant_first"):
            self._plant_hand(ahead, view.hand)
        return ahead.actions

    def plant_first(self, view: BohnanzaTwoView) -> Choice:
        """Step 2: `Plant` the first card of the hand.

        Default: in a field of its kind, else in an empty field, else harvest to make room.
        """
        ahead = Ahead(view)
        self._plant_hand(ahead, view.hand)
        return ahead.actions

    def plant_second(self, view: BohnanzaTwoView) -> Choice:
        """Step 2: `Plant` the next card of the hand too, or `Pass`. Default: plant it if a field takes it."""
        return self._plant_one_more(Ahead(view), view.hand)

    def discard_hand(self, view: BohnanzaTwoView) -> Choice:
        """Step 2: `DiscardHand` one card of the hand, or `Pass`. Default: pass."""
        del view
        return Pass()

    def plant_drawn(self, view: BohnanzaTwoView) -> Choice:
        """Step 3: `PlantOpen` one of the cards `view.open`, or `Pass` and leave them to the opponent.

        Default: plant every card that a field takes.
        """
        ahead, left = Ahead(view), list(view.open)
        while (card := next((i for i, kind in enumerate(left) if ahead.places_for(kind)), None)) is not None:
            field = own_kind_first(ahead, ahead.places_for(left[card]))
            ahead.plant(left.pop(card), PlantOpen(card, field))
        if left:
            ahead.actions.append(Pass())
        return ahead.actions

    def _keeps(self, method: str) -> bool:
        """Return whether the author has not overridden `method`."""
        return getattr(type(self), method) is getattr(BohnanzaTwoBot, method)

    def _plant_hand(self, ahead: Ahead, hand: Sequence[Kind]) -> None:
        plant_first_card(ahead, hand)
        if not ahead.new_field and len(hand) > 1 and self._keeps("plant_second"):
            self._plant_one_more(ahead, hand[1:])

    def _plant_one_more(self, ahead: Ahead, hand: Sequence[Kind]) -> list[Action]:
        planting = second_card(ahead, hand[0])
        ahead.actions.append(planting)
        if hand[isinstance(planting, Plant) :] and self._keeps("discard_hand"):
            ahead.actions.append(Pass())
        return ahead.actions


def _own_kind(fields: OwnFields, cards: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Yield (position, field) of each of the `cards` with a field of its kind; the first such field."""
    grows = [field.kind for field in fields.own_fields]
    for card, kind in enumerate(cards):
        if kind in grows:
            yield card, grows.index(kind)


if not TYPE_CHECKING:
    __all__, __getattr__ = passed_on(__name__, "beanleague.games")
