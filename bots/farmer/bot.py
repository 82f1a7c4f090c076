"""Plants and harvests well, but never trades.

The value of a field is the dollars it earns now plus part of the next dollar, more if that is near. When room is
needed, it harvests the field that loses the least value. It plants a second card unless that costs value.
"""

from beanbot import run
from beanbot.bohnanza import Ahead, BohnanzaBot, BohnanzaView, Choice, Kind, KindRule, Pass, Plant, PlantAside

# The best of several values tried against each other.
NEXT_DOLLAR = 0.6  # weight of the next dollar in the value of a field
NEARNESS = 1.5  # exponent: the higher, the less counts a dollar that is far
SMALL_LOSS = 0.05  # dollars of value that planting a second card may cost


def worth(rule: KindRule, count: int) -> float:
    """Return the value of a field of `count` cards, in dollars."""
    dollars = rule.dollars(count)
    after = min((least for least in rule.beanometer if least > count), default=0)
    if not count or not after:
        return dollars
    before = max((least for least in rule.beanometer if 0 < least <= count), default=0)
    more = rule.dollars(after) - dollars
    nearness: float = ((count - before) / (after - before)) ** NEARNESS
    return dollars + NEXT_DOLLAR * more * nearness


class Farmer(BohnanzaBot):
    """Plans what it plants, several cards at once, and never trades."""

    news = False
    trades = False

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
        """Plant a card of the hand, but first harvest what is in its way, or can earn no more."""
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
            if least > worth(ahead.rules.kind(kind), 1) + SMALL_LOSS:
                ahead.actions.append(Pass())
                return
        self.plant(ahead, kind)

    def place(self, ahead: Ahead, kind: Kind) -> int | None:
        """Return a field that takes a card of `kind`, preferably one of that kind; None if no field takes it."""
        return max(ahead.places_for(kind), key=lambda i: ahead.own_fields[i].count, default=None)

    def make_room(self, ahead: Ahead) -> None:
        """Harvest the field that loses the least value; of equals, the one that earns most."""
        ahead.harvest(min(ahead.harvestable, key=lambda i: (self.loss(ahead, i), -ahead.earns(i))))

    def loss(self, ahead: Ahead, field: int) -> float:
        """Return the value lost if `field` is harvested."""
        own = ahead.own_fields[field]
        return worth(ahead.rules.kind(own.kind), own.count) - ahead.earns(field) if own.kind else 0.0

    def is_full(self, ahead: Ahead, field: int) -> bool:
        """Return whether `field` already earns the most its kind can."""
        own = ahead.own_fields[field]
        return own.kind is not None and own.count >= max(ahead.rules.kind(own.kind).beanometer)


run(Farmer)
