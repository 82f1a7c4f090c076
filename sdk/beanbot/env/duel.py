"""Coding of the duel."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from beanbot.env.coding import Coding, Move, Part, asked, each_of, hand, number, one_of, per_seat, turn_of
from beanleague.games import Action
from beanleague.games.core.moves import Harvest, Pass, Plant
from beanleague.games.duel.moves import (
    AcceptGift,
    DeclineGift,
    DiscardBohnus,
    DiscardTurned,
    DuelDecision,
    Fulfil,
    Give,
    OfferGift,
    PlantGift,
    PlantTurned,
)
from beanleague.games.duel.rules import DuelRules

_SEATS = 2


def coding(rules: DuelRules) -> Coding:
    """Return the coding of the duel. Giving a hand card gives the first of its kind."""
    kinds = tuple(rules.number)
    fields, cards = range(rules.fields), range(len(rules.bohnus))
    moves = (
        *((name,) for name in ("pass", "accept", "decline")),
        *product(("plant", "harvest", "plant_gift"), fields),
        *product(("offer", "discard"), kinds),
        *product(("give",), ("turned", "hand")),
        *product(("plant_turned",), kinds, fields),
        *product(("discard_bohnus",), cards),
        *product(("fulfil",), cards, range(_SEATS), fields),
    )
    return Coding((*_beans(rules, kinds), *_bohnus(cards)), moves, _move)


def _beans(rules: DuelRules, kinds: tuple[str, ...]) -> tuple[Part, ...]:
    def fields(view: Any) -> Iterable[float]:  # noqa: ANN401 - each family has its own view
        columns = [column for i in range(_SEATS) for column in view.fields[(view.seat + i) % _SEATS]]
        return [column.cards.count(kind) for column in columns for kind in kinds]

    labels = tuple(f"{i}.{j}.{kind}" for i, j, kind in product(range(_SEATS), range(rules.fields), kinds))
    return (
        asked(DuelDecision),
        turn_of(_SEATS),
        number("turn", lambda view: view.turn),
        number("pile", lambda view: view.pile),
        number("may_discard", lambda view: view.may_discard),
        per_seat("dollars", _SEATS, lambda view: view.dollars),
        per_seat("hand_sizes", _SEATS, lambda view: view.hand_sizes),
        *hand(kinds),
        Part("fields", labels, fields),
        each_of("harvestable", range(rules.fields), lambda view: view.harvestable),
        each_of("turned", kinds, lambda view: view.turned),
        each_of("offered", kinds, lambda view: view.offered),
        one_of("offer", kinds, lambda view: view.offer),
        one_of("gift", kinds, lambda view: view.gift),
        one_of("others_gift", kinds, lambda view: view.gifts[1 - view.seat]),
        Part("discard", kinds, lambda view: view.discard),
    )


def _bohnus(cards: range) -> tuple[Part, ...]:
    return (
        number("bohnus_pile", lambda view: view.bohnus_pile),
        per_seat("bohnus_sizes", _SEATS, lambda view: view.bohnus_sizes),
        each_of("bohnus", cards, lambda view: view.bohnus),
        each_of("earned", cards, lambda view: view.earned[view.seat]),
        each_of("others_earned", cards, lambda view: view.earned[1 - view.seat]),
        each_of("bohnus_discard", cards, lambda view: view.bohnus_discard),
    )


def _move(view: Any, action: Action) -> Move:  # noqa: ANN401 - one line for each action
    match action:
        case Pass():
            return ("pass",)
        case AcceptGift():
            return ("accept",)
        case DeclineGift():
            return ("decline",)
        case Plant():
            return ("plant", action.field)
        case Harvest():
            return ("harvest", action.field)
        case PlantGift():
            return ("plant_gift", action.field)
        case OfferGift():
            return ("offer", action.kind)
        case Give():
            return ("give", action.source)
        case PlantTurned():
            return ("plant_turned", view.turned[action.card], action.field)
        case DiscardTurned():
            return ("discard", view.turned[action.card])
        case DiscardBohnus():
            return ("discard_bohnus", action.card)
        case Fulfil():
            return ("fulfil", action.card, (action.owner - view.seat) % _SEATS, action.field)
        case _:
            pass
    raise NotImplementedError(f"{action!r} has no number")
