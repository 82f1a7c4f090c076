"""Trades like the haggler, also offers its first hand card, and plants like the farmer.

The class is `Merchant` of the bots' library, `beanbot/policies/barter.py`; derive your own from it.
"""

from beanbot import run
from beanbot.policies.barter import Merchant

run(Merchant)
