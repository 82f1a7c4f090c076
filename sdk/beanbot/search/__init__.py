"""Search: guesses of the hidden part of a game, and play-outs of such games.

>>> from beanbot.search import Memory, determinise, farmer, play_out
"""

from beanbot.search.memory import Memory, determinise
from beanbot.search.play_outs import Policy, by_default, farmer, play_out

__all__ = ["Memory", "Policy", "by_default", "determinise", "farmer", "play_out"]
