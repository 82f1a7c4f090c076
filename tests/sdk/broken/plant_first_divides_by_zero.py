from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def plant_first(self, view):
        return Plant(1 // 0)


run(Mine)
