"""Plays the default action, as the referee does for a failing bot, and now and then a random one.

The share of random actions is `mistakes` in `bot.toml`.
"""

from beanbot import run
from beanbot.policies.mistakes import ByDefault, Mistaken


class Beginner(Mistaken, ByDefault):
    """Plants what it must, harvests only to make room, and rarely trades."""


run(Beginner)
