from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def trade(self, view):
        raise SystemExit


run(Mine)
