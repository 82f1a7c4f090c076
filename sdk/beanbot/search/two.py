"""A seat's memory of the game for two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from beanbot.search.bohnanza import CardsMemory
from beanleague.games import Event, Kind
from beanleague.games.two import BohnanzaTwoView, HandDiscarded


class Remembered(CardsMemory):
    """A seat's memory of the game for two."""

    def _visible_cards(self, view: BohnanzaTwoView) -> list[Kind]:
        return [*super()._visible_cards(view), *view.open, *view.discard]

    def _count_left(self, view: BohnanzaTwoView) -> int:
        bought = sum(len(fields) - self.rules.fields for fields in view.fields)
        return bought * self.rules.field_price

    def _hand_discarded(self, event: HandDiscarded) -> None:
        if event.seat != self.seat:
            self._hidden.leaves(event.seat, event.kind)

    HEARD: ClassVar[Mapping[type[Event], Any]] = {**CardsMemory.HEARD, HandDiscarded: _hand_discarded}
