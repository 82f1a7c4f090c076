"""Values every trade for itself and for its partner, and gives away cards that would hurt its fields.

The class is `Trader` of the bots' library, `beanbot/policies/trader.py`; derive your own from it.
"""

from beanbot import run
from beanbot.policies.trader import Trader

run(Trader)
