"""Plays as the SDK does by default, and at random as often as `bot.toml` says for each family of games."""

from beanbot import Bot, Choice, View, run
from beanbot.dice import DiceBot
from beanbot.duel import DuelBot
from beanbot.thief import ThiefBot
from beanbot.two import BohnanzaTwoBot


class Mistaken(Bot[View]):
    """Before the class of a game, makes mistakes in it."""

    news = False
    family: str

    def decide(self, view: View) -> Choice:
        mistaken = self.random.random() < self.settings[self.family]
        return self.random.choice(view.legal()) if mistaken else super().decide(view)


class TwoNovice(Mistaken, BohnanzaTwoBot):
    """Plays Bohnanza for two."""

    family = "two"


class DuelNovice(Mistaken, DuelBot):
    """Plays the duel."""

    family = "duel"


class DiceNovice(Mistaken, DiceBot):
    """Plays the dice games."""

    family = "dice"


class ThiefNovice(Mistaken, ThiefBot):
    """Plays against the Bean Thief."""

    family = "thief"


run(TwoNovice, DuelNovice, DiceNovice, ThiefNovice)
