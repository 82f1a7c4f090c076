"""`Mistaken` makes a bot play at random now and then; `ByDefault` plays the default action of any game.

This module does not depend on any game, so that a dice bot with mistakes loads nothing of the trading games.
"""

from __future__ import annotations

from typing import ClassVar

from beanbot.bot import Bot, Choice
from beanleague.games import View


class Mistaken(Bot[View]):
    """Mixin in front of a bot's class that makes mistakes: `class Careless(Mistaken, DuelBot)`.

    The share of decisions that are a random legal action, 0 to 1, is the setting named by `mistakes`. In play-outs such
    players are weaker opponents whose games differ.
    """

    news = False

    mistakes: ClassVar[str] = "mistakes"
    """Name of the setting in [settings] of `bot.toml`."""

    def decide(self, view: View) -> Choice:
        mistaken = self.random.random() < self.settings[self.mistakes]
        return self.random.choice(view.legal()) if mistaken else super().decide(view)


class ByDefault(Bot[View]):
    """Bot that plays the default action in any game, like the referee for a bot that fails to answer."""

    news = False

    def decide(self, view: View) -> Choice:
        return view.default()
