"""Saves dice and harvests by exact expected value over the rest of its turn, also against the Bean Thief.

`dicer.py` plays against other players and `hunter.py` against the Thief. `plan.py` and `heist.py` find the best play of
a turn with the throws of `throws.py`; `knowledge.py` computes figures about the cards.
"""

from dicer import Dicer
from hunter import Hunter

from beanbot import run

run(Dicer, Hunter)
