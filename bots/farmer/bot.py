"""Plants and harvests well, but never trades.

The class is `Farmer` of the bots' library, `beanbot/policies/farmer.py`; derive your own from it.
"""

from beanbot import run
from beanbot.policies.farmer import Farmer

run(Farmer)
