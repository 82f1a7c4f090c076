"""Library for authors of bots.

>>> from beanbot import run
>>> from beanbot.bohnanza import BohnanzaBot

A bot is a class: `decide(view)` (or one method per decision, see `beanbot.bohnanza`) returns an action.
`run(MyBot)` plays it in a league; `beanbot practice mybot.py` plays it against others in one process.
"""

from beanbot._runtime.loading import LoadError, load_bot
from beanbot._runtime.runner import run
from beanbot.bot import Bot, Choice
from beanleague.games import Action, IllegalActionError, View

__all__ = ["Action", "Bot", "Choice", "IllegalActionError", "LoadError", "View", "load_bot", "run"]
