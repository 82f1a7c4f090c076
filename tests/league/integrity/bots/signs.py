"""How a boss tells its mules who it is."""

SIGN = ("garden", "garden", "garden", "red", "red")
"""Kinds that the boss wants, for nothing, in its first own turn: nobody else would ask for them."""

MAX_CARDS = 8
"""Cards on a side of a trade."""
