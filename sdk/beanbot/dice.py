"""Bots for the dice games: one method per decision, each with a dull but sensible default.

All that such a bot needs comes from here:

>>> from beanbot.dice import DiceBot, HarvestTop, Pass
"""

from __future__ import annotations

from typing import ClassVar

from beanbot.bot import Bot
from beanbot.helpers import useful_dice as useful_dice
from beanleague.games import *
from beanleague.games.core import *
from beanleague.games.dice import *


class DiceBot(Bot[DiceView]):
    """A bot for `dice` and `dice-2012`. Override what it should do better."""

    games: ClassVar[tuple[str, ...]] = ("dice", "dice-2012")

    def decide(self, view: DiceView) -> Action:
        """Ask the method of this decision."""
        match view.decision:
            case DiceDecision.HARVEST:
                return self.harvest(view)
            case DiceDecision.SAVE:
                return self.save(view)
            case _:
                return view.default()

    def harvest(self, view: DiceView) -> Action:
        """Three or more own orders are completed: `HarvestTop`, or `Pass` to complete more; here, harvest at once."""
        del view
        return HarvestTop()

    def save(self, view: DiceView) -> Action:
        """Own turn, after a roll: `Save` dice, or `RollAgain` if `view.piece`, or `HarvestTop` if `view.may_harvest`.

        Here, save the dice that help with the next orders, or the first die if none does.
        """
        return Save(useful_dice(view) or view.rolled[:1])
