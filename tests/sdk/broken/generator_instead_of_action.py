from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def plant_first(self, view):
        yield Plant(0)


run(Mine)
