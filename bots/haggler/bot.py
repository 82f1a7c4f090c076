"""Trades one card for one: a turned-over card of a kind it does not grow, for one that it grows.

The class is `Haggler` of the bots' library, `beanbot/policies/barter.py`; derive your own from it.
"""

from beanbot import run
from beanbot.policies.barter import Haggler

run(Haggler)
