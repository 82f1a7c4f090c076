"""`Mistaken`: plays at random now and then, whatever the rest of a bot does.

One class that knows no game, so it stands alone: who makes mistakes in dice loads nothing of the trading games.
"""

from __future__ import annotations

from typing import ClassVar

from beanbot.bot import Bot, Choice
from beanleague.games import View


class Mistaken(Bot[View]):
    """Before the class of a game, makes mistakes in it: `class Careless(Mistaken, DuelBot)`.

    The setting that `mistakes` names is how often, 0 to 1: the share of decisions that are a random legal action. For
    play-outs, such players are weaker opponents whose games are not all alike.
    """

    news = False

    mistakes: ClassVar[str] = "mistakes"
    """The name of a setting, in [settings] of `bot.toml`."""

    def decide(self, view: View) -> Choice:
        mistaken = self.random.random() < self.settings[self.mistakes]
        return self.random.choice(view.legal()) if mistaken else super().decide(view)


class ByDefault(Bot[View]):
    """Plays the default action in any game: what is played for a bot that fails to answer."""

    news = False

    def decide(self, view: View) -> Choice:
        return view.default()
