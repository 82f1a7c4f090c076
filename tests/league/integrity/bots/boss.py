"""Plays like trader. An odd wish in its first own turn tells its mules who it is, and it takes what they give."""

from signs import SIGN

from beanbot import run
from beanbot.bohnanza import BohnanzaView, Choice, Offer
from beanbot.policies.trader import Trader


class Boss(Trader):
    def match_started(self) -> None:
        super().match_started()
        self.known = False

    def trade(self, view: BohnanzaView) -> Choice:
        if self.known:
            return super().trade(view)
        self.known = True
        return Offer(tuple(seat for seat in range(self.seats) if seat != self.seat), wants=SIGN)


run(Boss)
