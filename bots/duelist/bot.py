"""Plays the duel with `Duelist` of `beanbot.search.duelist`."""

from beanbot import run
from beanbot.search.duelist import Duelist

run(Duelist)
