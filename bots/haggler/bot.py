"""Trades one card for one: a turned-over card that does not grow here, for one that does.

It is `Haggler` of the bots' library, to derive from: `beanbot/policies/barter.py`.
"""

from beanbot import run
from beanbot.policies.barter import Haggler

run(Haggler)
