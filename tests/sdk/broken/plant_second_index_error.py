from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def plant_second(self, view):
        return Plant(view.hand[40])


run(Mine)
