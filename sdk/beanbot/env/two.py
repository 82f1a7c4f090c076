"""Coding of Bohnanza for two."""

from __future__ import annotations

from itertools import product
from typing import Any

from beanbot.env.bohnanza import common_move, common_moves, common_parts, kinds_and_fields
from beanbot.env.coding import Coding, Move, each_of, one_of
from beanleague.games import Action
from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.two.moves import DiscardHand, DiscardOpen, PlantOpen, TwoDecision


def coding(rules: CardRules) -> Coding:
    """Return the coding of Bohnanza for two."""
    kinds, fields = kinds_and_fields(rules)
    parts = (
        *common_parts(rules, TwoDecision),
        each_of("open", kinds, lambda view: view.open),
        each_of("discard", kinds, lambda view: view.discard),
        one_of("discard_top", kinds, lambda view: view.discard[-1] if view.discard else None),
    )
    moves = (
        *common_moves(fields),
        *product(("plant_open",), kinds, range(fields)),
        *product(("discard_open", "discard_hand"), kinds),
    )
    return Coding(parts, moves, _move)


def _move(view: Any, action: Action) -> Move:  # noqa: ANN401 - each family has its own view
    match action:
        case PlantOpen():
            return ("plant_open", view.open[action.card], action.field)
        case DiscardOpen():
            return ("discard_open", view.open[action.card])
        case DiscardHand():
            return ("discard_hand", view.hand[action.card])
        case _:
            return common_move(action)
