"""Trades as the haggler does, and proposes: it answers with counters, gives gifts, and sells the card planted next.

A card that does not grow here costs a field one day. So it is worth something to be rid of it, even for nothing, and
the player who receives it has a reason to trade again.
"""

from __future__ import annotations

from collections.abc import Iterator

from beanbot import run
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

MAX_BUYING = 4  # seats at a table where a third field pays: with more, each has too few turns left to fill it


class Merchant(BohnanzaBot):
    """Knows what grows where: it takes what grows in its fields, and gives what grows in those of others."""

    news = False

    def match_started(self) -> None:
        self.turn = 0
        self.tried: list[tuple[Kind, Kind]] = []  # in this turn: the kinds given and wanted

    def decide(self, view: BohnanzaView) -> Choice:
        """Buy a third field, in games where one can, while the pile has not run out: there is time to fill it."""
        if view.can_buy and not view.run_outs and self.seats <= MAX_BUYING:
            return BuyField()
        return super().decide(view)

    def trade(self, view: BohnanzaView) -> Choice:
        """Make the next offer that was not made in this turn: all seats have heard the others."""
        if view.turn != self.turn:
            self.turn = view.turn
            self.tried.clear()
        for given, offer in self.offers(view):
            if (given, offer.wants[0]) not in self.tried:
                self.tried.append((given, offer.wants[0]))
                return offer
        return super().trade(view)

    def offers(self, view: BohnanzaView) -> Iterator[tuple[Kind, Offer]]:
        """Yield each offer with the kind given: first the turned-over cards, which must be planted in this turn."""
        everybody = tuple(seat for seat in range(self.seats) if seat != self.seat)
        growing = grows(view, self.seat)
        for card, kind in enumerate(view.turned):
            for wanted in growing:
                if kind not in growing:
                    yield kind, Offer(everybody, turned=(card,), wants=(wanted,))
        if growing and view.hand and view.hand[0] not in growing:
            yield view.hand[0], Offer(everybody, hand=(0,), wants=(growing[0],))

    def pick(self, view: BohnanzaView) -> Choice:
        """Trade with a seat that accepts, else by the first good counter."""
        accepted = [Pick(answered.seat) for answered in view.answers if answered.answer == "accept"]
        counters = [self.agree(view, answered) for answered in view.answers if answered.answer == "counter"]
        return next((pick for pick in [*accepted, *counters] if pick), Refuse())

    def agree(self, view: BohnanzaView, counter: Answered) -> Pick | None:
        """Return how to carry out a counter that brings only what grows here, for at most one card that does not."""
        growing = grows(view, self.seat)
        leaves = [view.turned[card] for card in counter.turned] + [kind for kind in counter.wants if kind in view.hand]
        if len(leaves) != len(counter.turned) + len(counter.wants) or len(leaves) > 1:
            return None
        if any(kind not in growing for kind in counter.gives) or any(kind in growing for kind in leaves):
            return None
        return Pick(counter.seat, tuple([view.hand.index(kind) for kind in counter.wants]))

    def answer(self, view: BohnanzaView) -> Choice:
        """Accept as the haggler does, else counter: give a card that grows there, for one that grows here or none."""
        offer, growing = view.offer, grows(view, self.seat)
        assert offer
        spare = [card for card, kind in enumerate(view.hand) if kind not in growing]
        if len(offer.gives) == 1 and offer.gives[0] in growing and len(offer.wants) <= 1:
            given = [card for card in spare if view.hand[card] in offer.wants]
            if len(given) >= len(offer.wants):
                return Accept(tuple(given[:1]))
        liked = [card for card in spare if view.hand[card] in grows(view, view.active)]
        wanted = [card for card, kind in enumerate(view.turned) if kind in growing]
        return Counter(hand=tuple(liked[:1]), turned=tuple(wanted[:1])) if liked else Decline()


def grows(view: BohnanzaView, seat: int) -> list[Kind]:
    """Return the kinds in the fields of a seat, its largest field first."""
    fields = sorted(view.fields[seat], key=lambda field: -field.count)
    return [field.kind for field in fields if field.kind]


run(Merchant)
