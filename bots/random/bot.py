"""Chooses a legal action at random, all equally likely."""

from beanbot import Action, Bot, View, run


class RandomBot(Bot[View]):
    """Chooses a legal action at random."""

    news = False

    def decide(self, view: View) -> Action:
        return self.random.choice(view.legal())


run(RandomBot)
