"""Search: guessing the hidden part of a game, and playing the resulting games to their end.

>>> from beanbot.search import Memory, determinise, farmer, play_out
"""

from beanbot.search.memory import Memory, determinise
from beanbot.search.play_outs import Policy, by_default, farmer, play_out

__all__ = ["Memory", "Policy", "by_default", "determinise", "farmer", "play_out"]
