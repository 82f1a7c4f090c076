"""Rule for the dice games: complete more orders than a harvest needs, and repeat useless rolls."""

from __future__ import annotations

from beanbot.dice import Choice, DiceBot, DiceView, HarvestTop, Pass, RollAgain, useful_dice

ENOUGH = 4  # number of completed orders


class Waiting(DiceBot):
    """Player that harvests late: the fourth order earns as much as the first three, and a new card starts with none."""

    news = False

    def harvest(self, view: DiceView) -> Choice:
        """Harvest with four orders, or to win."""
        wins = view.dollars[view.seat] + view.earns >= view.rules.target
        return HarvestTop() if wins or view.completed[view.seat] >= ENOUGH else Pass()

    def save(self, view: DiceView) -> Choice:
        """Use the bean piece, if the game has one, if no die is useful."""
        return RollAgain() if view.piece and not useful_dice(view) else super().save(view)
