"""Legal and default actions, worked out from a view alone: they follow from what the seat knows."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from beanleague.games.bohnanza.actions import Pass
from beanleague.games.core.game import Action
from beanleague.games.dice.actions import HarvestTop, LoseDie, RollAgain, Save
from beanleague.games.dice.decision import DiceDecision

if TYPE_CHECKING:
    from beanleague.games.dice.view import DiceView


def legal_actions(view: DiceView) -> tuple[Action, ...]:
    """Return what the seat may do; see `Game.legal`."""
    actions: tuple[Action, ...]
    match view.decision:
        case DiceDecision.HARVEST:
            actions = (Pass(),)
        case DiceDecision.SAVE:
            again = (RollAgain(),) if view.piece else ()
            actions = (*ways_to_save(view.rolled), *again)
        case DiceDecision.LOSE:
            actions = tuple(map(LoseDie, view.at_risk))
        case _:
            return ()
    return (*actions, HarvestTop()) if view.may_harvest else actions


def default_action(view: DiceView) -> Action:
    """Return the dull action: save all dice, harvest when asked, lose the first die."""
    match view.decision:
        case DiceDecision.SAVE:
            return Save(view.rolled)
        case DiceDecision.LOSE:
            return LoseDie(view.at_risk[0])
        case _:
            return HarvestTop()


@lru_cache(maxsize=256)
def ways_to_save(rolled: tuple[int, ...]) -> tuple[Save, ...]:
    """Return every way to save one or more of the dice `rolled`, fewest first."""
    return tuple(Save(dice) for number in range(1, len(rolled) + 1) for dice in combinations(rolled, number))
