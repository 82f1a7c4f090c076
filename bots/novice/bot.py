"""Plays the SDK's defaults with random mistakes, as many as `bot.toml` sets for each family."""

from beanbot import run
from beanbot.dice import DiceBot
from beanbot.duel import DuelBot
from beanbot.policies.mistakes import Mistaken
from beanbot.thief import ThiefBot
from beanbot.two import BohnanzaTwoBot


class TwoNovice(Mistaken, BohnanzaTwoBot):
    """Plays Bohnanza for two, with mistakes."""

    mistakes = "two"


class DuelNovice(Mistaken, DuelBot):
    """Plays the duel."""

    mistakes = "duel"


class DiceNovice(Mistaken, DiceBot):
    """Plays the dice games."""

    mistakes = "dice"


class ThiefNovice(Mistaken, ThiefBot):
    """Plays against the Bean Thief."""

    mistakes = "thief"


run(TwoNovice, DuelNovice, DiceNovice, ThiefNovice)
