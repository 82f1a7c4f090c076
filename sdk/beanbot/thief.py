"""Bots for the game against the Bean Thief: one method per decision, each with a simple default.

This module has every name that such a bot needs:

>>> from beanbot.thief import ThiefBot, HarvestTop, Pass
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from beanbot.bot import Choice as Choice
from beanbot.dice import DiceBot
from beanbot.helpers import useful_dice as useful_dice
from beanleague.games.core import *
from beanleague.games.dice import *
from beanleague.games.lazy import passed_on

if TYPE_CHECKING:
    from beanleague.games import *


class ThiefBot(DiceBot):
    """A bot for `bean-thief-easy`, `-normal`, `-hard` and `-very-hard`. Override the methods that should do better."""

    games: ClassVar[tuple[str, ...]] = (
        "bean-thief-easy",
        "bean-thief-normal",
        "bean-thief-hard",
        "bean-thief-very-hard",
    )

    def save(self, view: DiceView) -> Choice:
        """After a roll: `Save` dice, or `HarvestTop` first if `view.may_harvest`.

        Default: save the `useful_dice`, and others to make two: after a single saved die the Thief steals.
        """
        useful = useful_dice(view)
        others = [die for die in view.rolled if die not in useful]
        return Save(tuple(sorted([*useful, *others[: max(0, 2 - len(useful))]])))

    def lose(self, view: DiceView) -> Choice:
        """Choose which of `view.at_risk` the Thief takes: `LoseDie`, or `HarvestTop` first if `view.may_harvest`.

        Default: the die saved last.
        """
        return LoseDie(view.at_risk[-1])


if not TYPE_CHECKING:
    __all__, __getattr__ = passed_on(__name__, "beanleague.games")
