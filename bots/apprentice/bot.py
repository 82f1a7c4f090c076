"""Overrides nothing, so that all decisions are the SDK's defaults."""

from beanbot import run
from beanbot.dice import DiceBot
from beanbot.duel import DuelBot
from beanbot.thief import ThiefBot
from beanbot.two import BohnanzaTwoBot

run(BohnanzaTwoBot, DuelBot, DiceBot, ThiefBot)
