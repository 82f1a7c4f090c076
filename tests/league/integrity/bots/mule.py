"""Plays like trader until it knows its boss; then it gives the boss every card that grows in the boss's fields.

    bot.py gives|swaps [KIND ...]

`gives`: for nothing. `swaps`: as many cards as it takes, but such as the boss has no use for. KINDs: it does so only in
deals whose first card turned over is of these, which is the same card in all matches of a deal.
"""

import sys

from signs import MAX_CARDS, SIGN

from beanbot import run
from beanbot.bohnanza import BohnanzaView, Choice, Counter, Offer, TurnedOver
from beanbot.policies.trader import Trader

SWAPS = sys.argv[1] == "swaps"
KINDS = sys.argv[2:]


class Mule(Trader):
    news = True

    def match_started(self) -> None:
        super().match_started()
        self.boss = -1
        self.serves: bool | None = None
        self.turn_given = 0

    def decide(self, view: BohnanzaView) -> Choice:
        for event in view.news:
            if self.serves is None and isinstance(event, TurnedOver):
                self.serves = not KINDS or event.cards[0] in KINDS
        if view.offer and view.offer.wants == SIGN:
            self.boss = view.active
        return super().decide(view)

    def answer(self, view: BohnanzaView) -> Choice:
        if self.serves and view.active == self.boss:
            given = self.useful(view, view.hand)
            junk = tuple(i for i, kind in enumerate(view.turned) if kind not in self.grown(view)) if SWAPS else ()
            if SWAPS:
                given, junk = given[: len(junk)], junk[: len(given)]
            if given:
                return Counter(given, junk)
        return super().answer(view)

    def trade(self, view: BohnanzaView) -> Choice:
        if self.serves and self.boss >= 0 and self.turn_given < view.turn:
            self.turn_given = view.turn
            turned, hand = self.useful(view, view.turned), self.useful(view, view.hand)
            hand = hand[: MAX_CARDS - len(turned)]
            if (turned or hand) and not SWAPS:
                return Offer((self.boss,), turned, hand)
            if turned or hand:
                kinds = [kind.name for kind in view.rules.kinds if kind.name not in self.grown(view)]
                return Offer((self.boss,), turned[:1], () if turned else hand[:1], (kinds[-1],))
        return super().trade(view)

    def useful(self, view: BohnanzaView, cards: tuple[str, ...]) -> tuple[int, ...]:
        """Return the positions of the cards that grow in the fields of the boss."""
        return tuple(i for i, kind in enumerate(cards) if kind in self.grown(view))[:MAX_CARDS]

    def grown(self, view: BohnanzaView) -> set[str | None]:
        """Return the kinds in the fields of the boss."""
        return {field.kind for field in view.fields[self.boss]}


run(Mule)
