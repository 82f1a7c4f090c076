from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def trade(self, view):
        return Offer((0, 1, 2))


run(Mine)
