"""Plays as the SDK does by default, and at random as often as `bot.toml` says for each family of games."""

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
