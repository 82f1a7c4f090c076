from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def plant_aside(self, view):
        return {}[view.turn]


run(Mine)
