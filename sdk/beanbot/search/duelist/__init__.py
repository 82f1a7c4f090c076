"""A strong player of the duel: to build on, for play-outs, and as an example.

It has the modules `garden`, which predicts what fields become and values them and bo(h)nus cards, `planning`, which
finds the best way to plant, `gifts`, which offers and accepts gifts and bluffs, and `player`, which decides.
"""

from beanbot.search.duelist.gifts import GiftMerchant, GiftOffer
from beanbot.search.duelist.planning import Planner, Planners
from beanbot.search.duelist.player import Duelist

__all__ = ["Duelist", "GiftMerchant", "GiftOffer", "Planner", "Planners"]
