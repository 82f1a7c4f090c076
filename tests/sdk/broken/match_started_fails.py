from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def match_started(self):
        self.plan = open('no-such-plan.txt').read()


run(Mine)
