from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def __init__(self, depth):
        self.depth = depth


run(Mine)
