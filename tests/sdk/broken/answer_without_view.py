from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def answer(self):
        return Decline()


run(Mine)
