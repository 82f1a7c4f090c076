"""Plays the default action: what is played for a bot that fails to answer. Now and then, a random one.

How often it plays at random is `mistakes` in `bot.toml`.
"""

from beanbot import Action, Bot, View, run


class Beginner(Bot[View]):
    """Plants what it must, harvests only to make room, and rarely trades."""

    news = False

    def decide(self, view: View) -> Action:
        mistaken = self.random.random() < self.settings["mistakes"]
        return self.random.choice(view.legal()) if mistaken else view.default()


run(Beginner)
