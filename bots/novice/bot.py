"""Plays as the SDK does by default, and at random as often as `mistakes` in `bot.toml` says."""

from beanbot import Bot, Choice, View, run
from beanbot.dice import DiceBot
from beanbot.duel import DuelBot
from beanbot.thief import ThiefBot
from beanbot.two import BohnanzaTwoBot


class Mistaken(Bot[View]):
    """Before the class of a game, makes mistakes in it."""

    news = False

    def decide(self, view: View) -> Choice:
        mistaken = self.random.random() < self.settings["mistakes"]
        return self.random.choice(view.legal()) if mistaken else super().decide(view)


class TwoNovice(Mistaken, BohnanzaTwoBot):
    """Plays Bohnanza for two."""


class DuelNovice(Mistaken, DuelBot):
    """Plays the duel."""


class DiceNovice(Mistaken, DiceBot):
    """Plays the dice games."""


class ThiefNovice(Mistaken, ThiefBot):
    """Plays against the Bean Thief."""


run(TwoNovice, DuelNovice, DiceNovice, ThiefNovice)
