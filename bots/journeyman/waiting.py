"""The dice games: complete more orders than a harvest needs."""

from __future__ import annotations

from beanbot.dice import Choice, DiceBot, DiceView, HarvestTop, Pass

ENOUGH = 4  # completed orders


class Waiting(DiceBot):
    """Harvests later: the fourth order earns as much as the three before it, and a new card starts with none."""

    news = False

    def harvest(self, view: DiceView) -> Choice:
        """Harvest with four orders, or to win."""
        wins = view.dollars[view.seat] + view.earns >= view.rules.target
        return HarvestTop() if wins or view.completed[view.seat] >= ENOUGH else Pass()
