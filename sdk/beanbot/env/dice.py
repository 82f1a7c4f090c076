"""Coding of the dice games and the Bean Thief."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations, product
from typing import Any

from beanbot.env.coding import Coding, Move, Part, asked, each_of, number, per_seat, turn_of
from beanleague.games import Action
from beanleague.games.core.moves import Pass
from beanleague.games.dice.moves import DiceDecision, HarvestTop, LoseDie, RollAgain, Save
from beanleague.games.dice.rules import DiceRules


def coding(rules: DiceRules) -> Coding:
    """Return the coding of a dice game."""
    every, seats = range(len(rules.dice)), rules.seats
    moves = (
        *((name,) for name in ("pass", "harvest", "roll_again")),
        *product(("lose",), every),
        *(("save", chosen) for chosen in chain.from_iterable(combinations(every, n + 1) for n in every)),
    )
    parts = (
        asked(DiceDecision),
        turn_of(seats),
        *(number(name, _reader(name)) for name in ("turn", "roll", "piece", "deck", "may_harvest", "thief")),
        *(per_seat(name, seats, _reader(name)) for name in ("dollars", "completed")),
        _faces(rules),
        *(each_of(name, every, _reader(name)) for name in ("rolled", "saved", "stolen", "at_risk")),
        *(_cards(name, rules) for name in ("tops", "bottoms")),
    )
    return Coding(parts, moves, _move)


def _reader(name: str) -> Any:  # noqa: ANN401 - a function of a view, whose attributes have different types
    return lambda view: getattr(view, name)


def _faces(rules: DiceRules) -> Part:
    def values(view: Any) -> Iterable[float]:  # noqa: ANN401
        return [float(shown == kind) for shown in view.faces for kind in rules.kinds]

    return Part("faces", tuple(f"{die}.{kind}" for die, kind in product(range(len(rules.dice)), rules.kinds)), values)


def _cards(name: str, rules: DiceRules) -> Part:
    """Return the one-hot part of each seat's harvest card, by index in `rules.cards`."""
    seats, cards = rules.seats, range(len(rules.cards))

    def values(view: Any) -> Iterable[float]:  # noqa: ANN401
        found = [0.0] * (seats * len(cards))
        for i in range(seats):
            found[i * len(cards) + getattr(view, name)[(view.seat + i) % seats]] = 1.0
        return found

    return Part(name, tuple(f"{i}.{card}" for i, card in product(range(seats), cards)), values)


def _move(view: Any, action: Action) -> Move:  # noqa: ANN401
    del view
    match action:
        case Pass():
            return ("pass",)
        case HarvestTop():
            return ("harvest",)
        case RollAgain():
            return ("roll_again",)
        case LoseDie():
            return ("lose", action.die)
        case Save():
            return ("save", action.dice)
        case _:
            pass
    raise NotImplementedError(f"{action!r} has no number")
