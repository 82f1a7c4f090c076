"""`Trader`, which values trades for itself and its partner, and gives away cards that would hurt its fields.

It plants by the values of `beanbot.policies.worth`, a few cards ahead, and trades by `beanbot.policies.trading`.
"""

from __future__ import annotations

from typing import ClassVar

from beanbot.bohnanza import Action, Ahead, BohnanzaView, Choice, Kind, OwnFields, Pass, Plant, PlantAside
from beanbot.policies.planting import best_future, future_without, is_full
from beanbot.policies.scales import QuickScales
from beanbot.policies.trading import TradingBot
from beanbot.policies.worth import SMALL_LOSS, Cards, fields_of, may_harvest, total


class Trader(TradingBot):
    """Bot that plans its plantings and makes every trade that gains."""

    news = False

    generosity: ClassVar[float] = 0.5
    """Weight of the other side's gain when answering; a larger weight makes an answer more likely to be picked, now and
    later."""
    cards_ahead: ClassVar[int] = 4
    """Number of hand cards considered when room must be made."""
    small_loss: ClassVar[float] = SMALL_LOSS
    """Dollars of value that planting a second card may cost."""

    def scales(self, view: BohnanzaView) -> QuickScales:
        return QuickScales(view, self.worth(view))

    def appeal(self, mine: float, theirs: float) -> float:
        return mine + self.generosity * theirs

    def plant_first(self, view: BohnanzaView) -> Choice:
        ahead = Ahead(view)
        self.plant(view, ahead, view.hand)
        if len(view.hand) > 1 and not ahead.new_field:
            self.plant_or_pass(view, ahead, view.hand[1:])
        return ahead.actions

    def plant_second(self, view: BohnanzaView) -> Choice:
        ahead = Ahead(view)
        self.plant_or_pass(view, ahead, view.hand)
        return ahead.actions

    def plant(self, view: BohnanzaView, ahead: Ahead, hand: Cards) -> None:
        """Plant the first card of `hand`, after harvesting a field in its way or one that is full."""
        while (field := fullest_place(ahead, hand[0])) is None or self.is_full(view, ahead, field):
            ahead.harvest(self.to_clear(view, ahead, hand[: self.cards_ahead]) if field is None else field)
            if ahead.new_field:
                return
        ahead.plant(hand[0], Plant(field))

    def plant_or_pass(self, view: BohnanzaView, ahead: Ahead, hand: Cards) -> None:
        """Plant a second card, the first of `hand`, unless too much value is lost to make room for it."""
        worth, fields = self.worth(view), fields_of(ahead.own_fields)
        if fullest_place(ahead, hand[0]) is None and (
            best_future(fields, hand[:1], worth) < total(fields, worth) - self.small_loss
        ):
            ahead.actions.append(Pass())
        else:
            self.plant(view, ahead, hand)

    def plant_all(self, view: BohnanzaView, aside: Cards) -> list[Action]:
        """Return the actions that plant the cards `aside`: fitting cards first, then the others in the best order."""
        ahead, left = Ahead(view), aside
        while left and not ahead.new_field:
            card, field = self.next_aside(view, ahead, left)
            if ahead.own_fields[field].kind not in {None, left[card]} or self.is_full(view, ahead, field):
                ahead.harvest(field)
            else:
                ahead.plant(left[card], PlantAside(card, field))
                left = left[:card] + left[card + 1 :]
        return ahead.actions

    def next_aside(self, view: BohnanzaView, ahead: Ahead, aside: Cards) -> tuple[int, int]:
        """Return the card of `aside` to plant next and its field, which may have to be harvested first."""
        worth, fields = self.worth(view), fields_of(ahead.own_fields)
        kinds = [kind for kind, _ in fields]
        for card, kind in enumerate(aside):
            if kind in kinds:
                return card, kinds.index(kind)
        orders = [(aside[i], *aside[:i], *aside[i + 1 :], *view.hand)[: self.cards_ahead] for i in range(len(aside))]
        card = max(range(len(aside)), key=lambda i: best_future(fields, orders[i], worth))
        return card, kinds.index(None) if None in kinds else self.to_clear(view, ahead, orders[card])

    def is_full(self, view: BohnanzaView, ahead: Ahead, field: int) -> bool:
        """Return whether one more card would add nothing to `field`."""
        own = ahead.own_fields[field]
        return own.kind is not None and is_full(own.kind, own.count, self.worth(view))

    def to_clear(self, view: BohnanzaView, ahead: Ahead, cards: Cards) -> int:
        """Return the field to harvest for the first of `cards`: the field that leaves most value after planting all."""
        worth, fields = self.worth(view), fields_of(ahead.own_fields)
        return max(may_harvest(fields), key=lambda i: future_without(fields, i, cards, worth))


def fullest_place(fields: OwnFields, kind: Kind) -> int | None:
    """Return a field that takes a card of `kind`, preferably one of that kind; None if no field takes it."""
    return max(fields.places_for(kind), key=lambda i: fields.own_fields[i].count, default=None)
