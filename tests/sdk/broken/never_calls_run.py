from beanbot import run
from beanbot.bohnanza import *


class Mine(BohnanzaBot):
    pass
