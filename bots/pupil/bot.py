"""Plays as the SDK does by default, and at random as often as `bot.toml` says for each family of games."""

from beanbot import Bot, Choice, View, run
from beanbot.dice import DiceBot
from beanbot.duel import DuelBot


class Mistaken(Bot[View]):
    """Before the class of a game, makes mistakes in it."""

    news = False
    family: str

    def decide(self, view: View) -> Choice:
        mistaken = self.random.random() < self.settings[self.family]
        return self.random.choice(view.legal()) if mistaken else super().decide(view)


class DuelPupil(Mistaken, DuelBot):
    """Plays the duel."""

    family = "duel"


class DicePupil(Mistaken, DiceBot):
    """Plays the dice games."""

    family = "dice"


run(DuelPupil, DicePupil)
