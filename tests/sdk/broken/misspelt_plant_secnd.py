from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def plant_secnd(self, view):
        return Pass()


run(Mine)
