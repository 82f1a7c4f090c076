"""Values every trade for itself and for its partner, and gives away cards that would hurt its fields.

It is `Trader` of the bots' library, to derive from: `beanbot/policies/trader.py`.
"""

from beanbot import run
from beanbot.policies.trader import Trader

run(Trader)
