"""Plants and harvests well, but never trades.

It is `Farmer` of the bots' library, to derive from: `beanbot/policies/farmer.py`.
"""

from beanbot import run
from beanbot.policies.farmer import Farmer

run(Farmer)
