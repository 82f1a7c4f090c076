from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def plant_aside(self, view):
        return PlantAside(7, 0)


run(Mine)
