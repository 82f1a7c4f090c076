"""What the card games share whose fields hold one kind each."""

from __future__ import annotations

from itertools import product
from typing import Any

from beanbot.env.coding import Move, Part, asked, card_fields, each_of, hand, number, per_seat, turn_of
from beanleague.games import Action
from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.core.actions import BuyField, Harvest, Pass, Plant


def kinds_and_fields(rules: CardRules) -> tuple[tuple[str, ...], int]:
    """Return the kinds, and the most fields that a seat can have."""
    return tuple(kind.name for kind in rules.kinds), rules.fields + bool(rules.field_price)


def common_parts(rules: CardRules, decisions: type[Any]) -> tuple[Part, ...]:
    """Return the parts of hands, fields and dollars."""
    kinds, fields = kinds_and_fields(rules)
    seats = rules.seats
    return (
        asked(decisions),
        turn_of(seats),
        number("turn", lambda view: view.turn),
        number("pile", lambda view: view.pile),
        number("can_buy", lambda view: view.can_buy),
        per_seat("dollars", seats, lambda view: view.dollars),
        per_seat("hand_sizes", seats, lambda view: view.hand_sizes),
        per_seat("field_number", seats, lambda view: [len(own) for own in view.fields]),
        *hand(kinds),
        card_fields(kinds, seats, fields),
        each_of("harvestable", range(fields), lambda view: view.harvestable),
    )


def common_moves(fields: int) -> tuple[Move, ...]:
    """Return what can be done with this number of fields."""
    return (("pass",), ("buy",), *product(("plant", "harvest"), range(fields)))


def common_move(action: Action) -> Move:
    """Return what an action means that these games share.

    Raises:
        NotImplementedError: if they do not share it.
    """
    match action:
        case Plant():
            return ("plant", action.field)
        case Harvest():
            return ("harvest", action.field)
        case BuyField():
            return ("buy",)
        case Pass():
            return ("pass",)
        case _:
            pass
    raise NotImplementedError(f"{action!r} has no number")
