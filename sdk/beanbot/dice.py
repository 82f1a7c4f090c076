"""Bots for the dice games: one method per decision, each with a simple default.

This module has every name that such a bot needs:

>>> from beanbot.dice import DiceBot, HarvestTop, Pass
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from beanbot.bot import Choice as Choice, FamilyBot
from beanbot.helpers import useful_dice as useful_dice
from beanleague.games.core import *
from beanleague.games.dice import *
from beanleague.games.lazy import passed_on

if TYPE_CHECKING:
    from beanleague.games import *


class DiceBot(FamilyBot[DiceView]):
    """A bot for `dice` and `dice-2012`. Override the methods that should do better."""

    games: ClassVar[tuple[str, ...]] = ("dice", "dice-2012")

    def harvest(self, view: DiceView) -> Choice:
        """With three or more completed orders: `HarvestTop`, or `Pass` to complete more. Default: harvest."""
        del view
        return HarvestTop()

    def save(self, view: DiceView) -> Choice:
        """The bot's turn, after a roll: `Save` dice, `RollAgain` if `view.piece`; `HarvestTop` if `view.may_harvest`.

        Default: save the `useful_dice`, or the first die if none is useful.
        """
        return Save(useful_dice(view) or view.rolled[:1])


if not TYPE_CHECKING:
    __all__, __getattr__ = passed_on(__name__, "beanleague.games")
