"""`Haggler` and `Merchant`, which trade one card for one by the kinds in the fields, without computing values.

A haggler plants and harvests as a `BohnanzaBot` does by default, a merchant as a `Farmer`. A turned-over card must be
planted in this turn, so its owner gladly gives it away if none of the owner's fields takes it. A hand card can wait,
and is not given for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from beanbot.bohnanza import (
    Accept,
    Answered,
    BohnanzaBot,
    BohnanzaView,
    BuyField,
    Choice,
    Counter,
    Decline,
    Kind,
    Offer,
    Pick,
    Refuse,
)
from beanbot.policies.farmer import Farmer


class Haggler(BohnanzaBot):
    """Bot that trades turned-over cards for kinds that it grows, and accepts trades of one card for one."""

    news = False

    sold: ClassVar[int] = 0
    """Maximum number of hand cards to give for a counter that takes no turned-over card."""

    def match_started(self) -> None:
        self.turn = 0
        self.tried: set[tuple[Kind, Kind]] = set()  # kinds given and wanted in this turn

    def trade(self, view: BohnanzaView) -> Choice:
        """Make the next offer not yet made in this turn; every offer goes to all seats."""
        if view.turn != self.turn:
            self.turn = view.turn
            self.tried.clear()
        for given, offer in self.offers(view):
            if (given, offer.wants[0]) not in self.tried:
                self.tried.add((given, offer.wants[0]))
                return offer
        return super().trade(view)

    def offers(self, view: BohnanzaView) -> Iterator[tuple[Kind, Offer]]:
        """Yield (kind given, offer) for each turned-over card that does not grow here and each kind that does."""
        everybody, growing = self.others(), self.grows(view, self.seat)
        for card, kind in enumerate(view.turned):
            for wanted in growing:
                if kind not in growing:
                    yield kind, Offer(everybody, turned=(card,), wants=(wanted,))

    def pick(self, view: BohnanzaView) -> Choice:
        """Trade with a seat that accepts, else by the first good counter."""
        accepted = [Pick(answered.seat) for answered in view.answers if answered.answer == "accept"]
        counters = [self.agree(view, answered) for answered in view.answers if answered.answer == "counter"]
        return next((pick for pick in [*accepted, *counters] if pick), Refuse())

    def agree(self, view: BohnanzaView, counter: Answered) -> Pick | None:
        """Return the `Pick` of a counter that brings only growing kinds for kinds that do not grow; else None.

        Any number of turned-over cards may be given, but no hand card with them; without them at most `sold` hand
        cards.
        """
        growing = self.grows(view, self.seat)
        turned = [view.turned[card] for card in counter.turned]
        sold = [kind for kind in counter.wants if kind in view.hand]
        if len(sold) < len(counter.wants) or len(sold) > (0 if turned else self.sold):
            return None
        if any(kind not in growing for kind in counter.gives) or any(kind in growing for kind in turned + sold):
            return None
        return Pick(counter.seat, tuple([view.hand.index(kind) for kind in sold]))

    def answer(self, view: BohnanzaView) -> Choice:
        """Accept a growing kind for a spare hand card; otherwise propose that trade, or decline."""
        offer, growing = view.offer, self.grows(view, self.seat)
        assert offer
        spare = [card for card, kind in enumerate(view.hand) if kind not in growing]
        if len(offer.gives) == 1 and offer.gives[0] in growing and len(offer.wants) <= 1:
            given = [card for card in spare if view.hand[card] in offer.wants]
            if len(given) >= len(offer.wants):
                return Accept(tuple(given[:1]))
        there = self.grows(view, view.active)
        liked = [card for card in spare if view.hand[card] in there]
        wanted = [card for card, kind in enumerate(view.turned) if kind in growing]
        if liked and wanted:
            return Counter(hand=(liked[0],), turned=(wanted[0],))
        return Decline()

    def grows(self, view: BohnanzaView, seat: int) -> list[Kind]:
        """Return the kinds in the fields of a seat, in the order in which they are asked for."""
        return [field.kind for field in view.fields[seat] if field.kind]

    def others(self) -> tuple[int, ...]:
        """Return the seats of the other players."""
        return tuple(seat for seat in range(self.seats) if seat != self.seat)


class Merchant(Haggler, Farmer):
    """Bot that plants like `Farmer`, also offers its first hand card, and buys a third field."""

    trades = True
    sold = 1

    max_buying: ClassVar[int] = 4
    """Maximum number of seats at which a third field pays: with more, each player has too few turns left to fill it."""

    def decide(self, view: BohnanzaView) -> Choice:
        """Buy a third field, where allowed, before the pile first runs out, since later there is no time to fill it."""
        if view.can_buy and not view.run_outs and self.seats <= self.max_buying:
            return BuyField()
        return super().decide(view)

    def offers(self, view: BohnanzaView) -> Iterator[tuple[Kind, Offer]]:
        """Yield offers of turned-over cards first, which must be planted this turn, then of the first hand card."""
        yield from super().offers(view)
        growing = self.grows(view, self.seat)
        if view.hand and view.hand[0] not in growing:
            for wanted in growing:
                yield view.hand[0], Offer(self.others(), hand=(0,), wants=(wanted,))

    def grows(self, view: BohnanzaView, seat: int) -> list[Kind]:
        """Return the kinds in the fields of a seat, its largest field first."""
        fields = sorted(view.fields[seat], key=lambda field: -field.count)
        return [field.kind for field in fields if field.kind]
