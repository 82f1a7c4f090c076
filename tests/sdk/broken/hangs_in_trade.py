from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def trade(self, view):
        while True:
            pass


run(Mine)
