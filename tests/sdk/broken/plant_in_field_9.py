from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def plant_second(self, view):
        return Plant(9)


run(Mine)
