"""Plays as the SDK does by default, and at random as often as `mistakes` in `bot.toml` says."""

from beanbot import run
from beanbot.duel import Choice, DuelBot, DuelView


class Pupil(DuelBot):
    """Makes mistakes in the duel."""

    news = False

    def decide(self, view: DuelView) -> Choice:
        mistaken = self.random.random() < self.settings["mistakes"]
        return self.random.choice(view.legal()) if mistaken else super().decide(view)


run(Pupil)
