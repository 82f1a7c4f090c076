"""Search: games that could be the one a bot plays, to be tried out before it decides.

>>> from beanbot.search import Memory, determinise
"""

from beanbot.search.memory import Memory, determinise

__all__ = ["Memory", "determinise"]
