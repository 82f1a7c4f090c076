"""Plays the duel as `beanbot.search.duelist` does, where its code is."""

from beanbot import run
from beanbot.search.duelist import Duelist

run(Duelist)
