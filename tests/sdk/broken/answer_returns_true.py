from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def answer(self, view):
        return True


run(Mine)
