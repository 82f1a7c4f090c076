from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def trade(self, view):
        return Stop() if view.table else None


run(Mine)
