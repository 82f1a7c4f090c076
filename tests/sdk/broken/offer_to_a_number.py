from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def trade(self, view):
        return Offer(1, turned=(0,))


run(Mine)
