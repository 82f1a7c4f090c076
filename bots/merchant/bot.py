"""Trades as the haggler does, sells the card that it plants next, and plants as the farmer does.

It is `Merchant` of the bots' library, to derive from: `beanbot/policies/barter.py`.
"""

from beanbot import run
from beanbot.policies.barter import Merchant

run(Merchant)
