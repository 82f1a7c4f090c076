"""Plants and harvests well, but never trades.

The value of a field is the dollars it earns now plus part of the next dollar, more if that is near. When room is
needed, it harvests the field that loses the least value. It plants a second card unless that costs value.
"""

from beanbot import run
from beanbot.bohnanza import Action, BohnanzaBot, BohnanzaView, Harvest, Kind, KindRule, Pass, Plant, PlantAside

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
    """Plans what it plants; it declines every trade, which is the default of its class."""

    news = False

    def plant_first(self, view: BohnanzaView) -> Action:
        field = self.place(view, view.hand[0])
        return self.make_room(view) if field is None else self.plant_or_renew(view, field)

    def plant_second(self, view: BohnanzaView) -> Action:
        kind = view.hand[0]
        field = self.place(view, kind)
        if field is not None:
            return self.plant_or_renew(view, field)
        least = min(self.loss(view, i) for i in view.harvestable)
        return self.make_room(view) if least <= worth(view.rules.kind(kind), 1) + SMALL_LOSS else Pass()

    def plant_aside(self, view: BohnanzaView) -> Action:
        fields = view.own_fields
        places = [(card, field) for card, kind in enumerate(view.own_aside) for field in view.places_for(kind)]
        if not places:
            return self.make_room(view)
        card, field = max(places, key=lambda place: fields[place[1]].count)
        if fields[field].count and self.is_full(view, field):
            return Harvest(field)
        return PlantAside(card, field)

    def place(self, view: BohnanzaView, kind: Kind) -> int | None:
        """Return a field that takes a card of `kind`, preferably one of that kind; None if no field takes it."""
        return max(view.places_for(kind), key=lambda i: view.own_fields[i].count, default=None)

    def plant_or_renew(self, view: BohnanzaView, field: int) -> Action:
        """Plant in `field`, but harvest it first if one more card would earn nothing."""
        return Harvest(field) if self.is_full(view, field) else Plant(field)

    def make_room(self, view: BohnanzaView) -> Action:
        """Harvest the field that loses the least value; of equals, the one that earns most."""
        return Harvest(min(view.harvestable, key=lambda i: (self.loss(view, i), -view.earns(i))))

    def loss(self, view: BohnanzaView, field: int) -> float:
        """Return the value lost if `field` is harvested now."""
        own = view.own_fields[field]
        return worth(view.rules.kind(own.kind), own.count) - view.earns(field) if own.kind else 0.0

    def is_full(self, view: BohnanzaView, field: int) -> bool:
        """Return whether `field` already earns the most its kind can."""
        own = view.own_fields[field]
        return own.kind is not None and own.count >= max(view.rules.kind(own.kind).beanometer)


run(Farmer)
