"""Plays the default action: what is played for a bot that fails to answer."""

from beanbot import Action, Bot, View, run


class Beginner(Bot[View]):
    """Plants what it must, harvests only to make room, and never trades."""

    news = False

    def decide(self, view: View) -> Action:
        return view.default()


run(Beginner)
