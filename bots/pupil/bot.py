"""Plays the SDK's defaults with random mistakes, as many as `bot.toml` sets for each family."""

from beanbot import run
from beanbot.dice import DiceBot
from beanbot.duel import DuelBot
from beanbot.policies.mistakes import Mistaken


class DuelPupil(Mistaken, DuelBot):
    """Plays the duel."""

    mistakes = "duel"


class DicePupil(Mistaken, DiceBot):
    """Plays the dice games."""

    mistakes = "dice"


run(DuelPupil, DicePupil)
