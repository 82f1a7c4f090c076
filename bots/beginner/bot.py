"""Plays the default action: what is played for a bot that fails to answer. Now and then, a random one.

How often it plays at random is `mistakes` in `bot.toml`.
"""

from beanbot import run
from beanbot.policies.mistakes import ByDefault, Mistaken


class Beginner(Mistaken, ByDefault):
    """Plants what it must, harvests only to make room, and rarely trades."""


run(Beginner)
