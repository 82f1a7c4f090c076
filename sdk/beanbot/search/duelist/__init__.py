"""Strong player of the duel, to build on, to use in play-outs, and as an example.

Modules: `garden` predicts and values fields and bo(h)nus cards, `planning` searches for the best way to plant, `gifts`
offers and accepts gifts and bluffs, and `player` decides.
"""

from beanbot.search.duelist.gifts import GiftMerchant, GiftOffer
from beanbot.search.duelist.planning import Planner, Planners
from beanbot.search.duelist.player import Duelist

__all__ = ["Duelist", "GiftMerchant", "GiftOffer", "Planner", "Planners"]
