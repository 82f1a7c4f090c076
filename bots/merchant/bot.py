"""Trades as the haggler does, and proposes: it answers with counters, gives gifts, and sells the card planted next.

It is `Merchant` of the bots' library, to derive from: `beanbot/policies/barter.py`.
"""

from beanbot import run
from beanbot.policies.barter import Merchant

run(Merchant)
