"""Coding of the trading card games, and the parts shared with the game for two."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from beanbot.env.coding import Coding, Move, Part, asked, card_fields, each_of, hand, number, one_of, per_seat, turn_of
from beanleague.games import Action
from beanleague.games.bohnanza.moves import (
    Accept,
    Call,
    Counter,
    Decision,
    Decline,
    Offer,
    Pick,
    PlantAside,
    Refuse,
    Stop,
)
from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.core.moves import BuyField, Harvest, Pass, Plant


def kinds_and_fields(rules: CardRules) -> tuple[tuple[str, ...], int]:
    """Return the kinds, and the maximum number of fields of a seat."""
    return tuple(kind.name for kind in rules.kinds), rules.fields + bool(rules.field_price)


def common_parts(rules: CardRules, decisions: type[Any]) -> tuple[Part, ...]:
    """Return the parts for hands, fields and dollars."""
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
    """Return the shared moves for this number of fields."""
    return (("pass",), ("buy",), *product(("plant", "harvest"), range(fields)))


def common_move(action: Action) -> Move:
    """Return the move of an action that these games share.

    Raises:
        NotImplementedError: if the action is not shared.
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


_ANSWERS = ("accept", "decline", "counter")


def coding(rules: CardRules) -> Coding:
    """Return the coding of a trading card game.

    Offers go to all seats: one card for one or for nothing, or all turned-over cards. Counters give one card or none
    for one card or none.
    """
    _, fields = kinds_and_fields(rules)
    parts = (*common_parts(rules, Decision), *_trade_parts(rules))
    return Coding(parts, (*common_moves(fields), *_trade_moves(rules)), _trade_move)


def _trade_parts(rules: CardRules) -> tuple[Part, ...]:
    kinds, _ = kinds_and_fields(rules)
    seats = rules.seats

    def aside(view: Any) -> Iterable[float]:  # noqa: ANN401 - each family has its own view
        return [view.aside[(view.seat + i) % seats].count(kind) for i in range(seats) for kind in kinds]

    def answers(view: Any) -> Iterable[float]:  # noqa: ANN401
        by_seat = {answer.seat: answer for answer in view.answers}
        found: list[float] = []
        for i in range(1, seats):
            answer = by_seat.get((view.seat + i) % seats)
            found += [float(answer is not None and answer.answer == each) for each in _ANSWERS]
            gives, wants = (answer.gives, answer.wants) if answer else ((), ())
            takes = [view.turned[position] for position in answer.turned] if answer else []
            found += [cards.count(kind) for cards in (gives, wants, takes) for kind in kinds]
        return found

    seen = (*_ANSWERS, *(f"{side}.{kind}" for side, kind in product(("gives", "wants", "turned"), kinds)))
    return (
        number("run_outs", lambda view: view.run_outs),
        number("rounds_left", lambda view: view.rounds_left),
        Part("discard", kinds, lambda view: view.discard),
        Part("aside", tuple(f"{i}.{kind}" for i, kind in product(range(seats), kinds)), aside),
        each_of("turned", kinds, lambda view: view.turned),
        one_of("offer.seat", range(seats), lambda view: view.offer and (view.offer.seat - view.seat) % seats),
        each_of("offer.gives", kinds, lambda view: view.offer.gives if view.offer else ()),
        each_of("offer.wants", kinds, lambda view: view.offer.wants if view.offer else ()),
        Part("answers", tuple(f"{i}.{label}" for i, label in product(range(1, seats), seen)), answers),
    )


def _trade_moves(rules: CardRules) -> tuple[Move, ...]:
    kinds, fields = kinds_and_fields(rules)
    anything = (None, *kinds)
    visible = (None, *product(("turned", "hand"), kinds))
    return (
        *((name,) for name in ("stop", "call", "decline", "accept", "refuse")),
        *product(("offer",), ("turned", "hand"), kinds, anything),
        *product(("offer",), ("turned",), ("all",), anything),
        *(("counter", own, other) for own, other in product(anything, visible) if own or other),
        *product(("pick",), range(1, rules.seats)),
        *product(("aside",), kinds, range(fields)),
    )


def _trade_move(view: Any, action: Action) -> Move:  # noqa: ANN401 - one line for each action
    match action:
        case Stop() | Call() | Decline() | Accept() | Refuse():
            return (type(action).__name__.lower(),)
        case Offer():
            return ("offer", *_offer_move(view, action), action.wants[0] if action.wants else None)
        case Counter():
            wanted = ("turned", view.turned[action.turned[0]]) if action.turned else None
            if action.wants:
                wanted = ("hand", action.wants[0])
            return ("counter", view.hand[action.hand[0]] if action.hand else None, wanted)
        case Pick():
            return ("pick", (action.seat - view.seat) % len(view.hand_sizes))
        case PlantAside():
            return ("aside", view.own_aside[action.card], action.field)
        case _:
            return common_move(action)


def _offer_move(view: Any, offer: Offer) -> Move:  # noqa: ANN401
    if len(offer.turned) > 1:
        return ("turned", "all")
    return ("turned", view.turned[offer.turned[0]]) if offer.turned else ("hand", view.hand[offer.hand[0]])
