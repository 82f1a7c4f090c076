from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def __init__(self):
        self.left = (self.seat + 1) % 3


run(Mine)
