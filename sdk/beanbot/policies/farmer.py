"""`Farmer`: plants and harvests well, but never trades.

The value of a field is its dollars now plus part of the next dollar, more if that is near. To make room, it harvests
the field that loses the least value. It plants a second card unless that costs value. `beanbot.search.farmer` is the
same player for play-outs, several times as fast.
"""

from __future__ import annotations

from typing import ClassVar

from beanbot.bohnanza import Ahead, BohnanzaBot, BohnanzaView, Choice, Kind, Pass, Plant, PlantAside
from beanbot.policies.worth import SMALL_LOSS, worth_alone


class Farmer(BohnanzaBot):
    """Bot that plans several plantings at once, and never trades."""

    news = False
    trades = False

    small_loss: ClassVar[float] = SMALL_LOSS
    """Dollars of value that planting a second card may cost."""

    def plant_first(self, view: BohnanzaView) -> Choice:
        ahead = Ahead(view)
        self.plant(ahead, view.hand[0])
        if len(view.hand) > 1:
            self.plant_or_pass(ahead, view.hand[1])
        return ahead.actions

    def plant_second(self, view: BohnanzaView) -> Choice:
        ahead = Ahead(view)
        self.plant_or_pass(ahead, view.hand[0])
        return ahead.actions

    def plant_aside(self, view: BohnanzaView) -> Choice:
        ahead, left = Ahead(view), list(view.own_aside)
        while left:
            places = [(card, field) for card, kind in enumerate(left) for field in ahead.places_for(kind)]
            if not places:
                self.make_room(ahead)
                continue
            card, field = max(places, key=lambda place: ahead.own_fields[place[1]].count)
            if self.is_full(ahead, field):
                ahead.harvest(field)
            else:
                ahead.plant(left.pop(card), PlantAside(card, field))
        return ahead.actions

    def plant(self, ahead: Ahead, kind: Kind) -> None:
        """Plant a hand card, after harvesting the field in its way or one that can earn no more."""
        while (field := self.place(ahead, kind)) is None or self.is_full(ahead, field):
            if field is None:
                self.make_room(ahead)
            else:
                ahead.harvest(field)
        ahead.plant(kind, Plant(field))

    def plant_or_pass(self, ahead: Ahead, kind: Kind) -> None:
        """Plant a second card unless too much value is lost to make room for it."""
        if self.place(ahead, kind) is None:
            least = min(self.loss(ahead, i) for i in ahead.harvestable)
            if least > worth_alone(ahead.rules.kind(kind), 1) + self.small_loss:
                ahead.actions.append(Pass())
                return
        self.plant(ahead, kind)

    def place(self, ahead: Ahead, kind: Kind) -> int | None:
        """Return a field that takes a card of `kind`, preferably one of that kind; None if no field takes it."""
        return max(ahead.places_for(kind), key=lambda i: ahead.own_fields[i].count, default=None)

    def make_room(self, ahead: Ahead) -> None:
        """Harvest the field that loses the least value; ties go to the one that earns most."""
        ahead.harvest(min(ahead.harvestable, key=lambda i: (self.loss(ahead, i), -ahead.earns(i))))

    def loss(self, ahead: Ahead, field: int) -> float:
        """Return the value lost if `field` is harvested, in dollars."""
        own = ahead.own_fields[field]
        return worth_alone(ahead.rules.kind(own.kind), own.count) - ahead.earns(field) if own.kind else 0.0

    def is_full(self, ahead: Ahead, field: int) -> bool:
        """Return whether `field` already earns the most that its kind can."""
        own = ahead.own_fields[field]
        return own.kind is not None and own.count >= max(ahead.rules.kind(own.kind).beanometer)
