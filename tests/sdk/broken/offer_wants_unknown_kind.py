from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def trade(self, view):
        others = tuple(s for s in range(self.seats) if s != self.seat)
        return Offer(others, wants=("blu",))


run(Mine)
