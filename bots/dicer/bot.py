"""Saves dice and harvests by exact expectation over the rest of its turn, alone against the Bean Thief too.

`dicer.py` plays with others and `hunter.py` against the Thief. `plan.py` and `heist.py` are the best plays of their
turns, over the throws in `throws.py`; `knowledge.py` has the figures about the cards.
"""

from dicer import Dicer
from hunter import Hunter

from beanbot import run

run(Dicer, Hunter)
