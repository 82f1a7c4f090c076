from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def plant_first(self, view):
        first, second = view.hand
        return Plant(0)


run(Mine)
