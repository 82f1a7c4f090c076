from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    def plantAside(self, view):
        return view.default()


run(Mine)
