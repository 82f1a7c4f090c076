"""Trades one card for one: a turned-over card that does not grow here, for one that does.

It plants and harvests as a `BohnanzaBot` does by default.
"""

from __future__ import annotations

from beanbot import run
from beanbot.bohnanza import Accept, BohnanzaBot, BohnanzaView, Choice, Counter, Decline, Kind, Offer, Pick, Refuse


class Haggler(BohnanzaBot):
    """Trades the cards that it turns over, and accepts trades of one card for one."""

    news = False

    def match_started(self) -> None:
        self.turn = 0
        self.tried: set[tuple[Kind, Kind]] = set()  # in this turn: the kinds given and wanted

    def trade(self, view: BohnanzaView) -> Choice:
        """Offer a turned-over card that does not grow here for each kind that does, one after the other."""
        if view.turn != self.turn:
            self.turn = view.turn
            self.tried.clear()
        everybody = tuple(seat for seat in range(self.seats) if seat != self.seat)
        growing = grows(view, self.seat)
        for card, kind in enumerate(view.turned):
            for wanted in growing:
                if kind not in growing and (kind, wanted) not in self.tried:
                    self.tried.add((kind, wanted))
                    return Offer(everybody, turned=(card,), wants=(wanted,))
        return super().trade(view)

    def pick(self, view: BohnanzaView) -> Choice:
        """Trade with the first seat that accepts."""
        accepted = [answered.seat for answered in view.answers if answered.answer == "accept"]
        return Pick(accepted[0]) if accepted else Refuse()

    def answer(self, view: BohnanzaView) -> Choice:
        """Take a card that grows here, for one of the hand that does not; propose that if it was not offered."""
        offer, growing = view.offer, grows(view, self.seat)
        assert offer
        spare = [card for card, kind in enumerate(view.hand) if kind not in growing]
        if len(offer.gives) == 1 and offer.gives[0] in growing and len(offer.wants) <= 1:
            given = [card for card in spare if view.hand[card] in offer.wants]
            if len(given) >= len(offer.wants):
                return Accept(tuple(given[:1]))
        liked = [card for card in spare if view.hand[card] in grows(view, view.active)]
        wanted = [card for card, kind in enumerate(view.turned) if kind in growing]
        return Counter(hand=(liked[0],), turned=(wanted[0],)) if liked and wanted else Decline()


def grows(view: BohnanzaView, seat: int) -> list[Kind]:
    """Return the kinds in the fields of a seat."""
    return [field.kind for field in view.fields[seat] if field.kind]


run(Haggler)
