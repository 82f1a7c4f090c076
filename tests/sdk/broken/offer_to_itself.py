from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def trade(self, view):
        return Offer((self.seat,), turned=(0,))


run(Mine)
