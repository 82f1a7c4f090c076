"""Events as messages and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beanleague.games import (
    Answered,
    Dealt,
    Drew,
    Event,
    GameEnded,
    Harvested,
    Offered,
    Passed,
    Planted,
    RanOut,
    Refused,
    Shuffled,
    Traded,
    TradingEnded,
    TurnedOver,
    TurnStarted,
)
from beanleague.wire.errors import WireError
from beanleague.wire.kinds import KIND_NUMBER, name, names, numbers
from beanproto.v1 import referee_pb2 as pb


def event_to_pb(event: Event) -> pb.Event:
    """Return `event` as a message."""
    return _ENCODE_EVENT[type(event)](event)


def event_from_pb(told: pb.Event) -> Event:
    """Return the event that `told` is.

    Raises:
        WireError: it is none, or has an unknown kind or answer.
    """
    name = told.WhichOneof("event")
    if name is None:
        raise WireError("the event is of no known kind")
    return _DECODE_EVENT[name](getattr(told, name))


def offered_to_pb(event: Offered) -> pb.Offered:
    """Return an offer as a message."""
    return pb.Offered(
        seat=event.seat,
        to=event.to,
        turned=event.turned,
        hand=event.hand,
        gives=numbers(event.gives),
        wants=numbers(event.wants),
    )


def offered_from_pb(told: pb.Offered) -> Offered:
    """Return the offer that `told` is."""
    return Offered(
        told.seat,
        tuple(told.to),
        tuple(told.turned),
        tuple(told.hand),
        names(told.gives),
        names(told.wants),
    )


def answered_to_pb(event: Answered) -> pb.Answered:
    """Return an answer as a message."""
    return pb.Answered(
        seat=event.seat,
        answer=_ANSWER_NUMBER[event.answer],
        hand=event.hand,
        gives=numbers(event.gives),
        turned=event.turned,
        wants=numbers(event.wants),
    )


def answered_from_pb(told: pb.Answered) -> Answered:
    """Return the answer that `told` is."""
    if told.answer not in _ANSWER_NAME:
        raise WireError(f"{told.answer} is not the number of an answer")
    return Answered(
        told.seat,
        _ANSWER_NAME[told.answer],
        tuple(told.hand),
        names(told.gives),
        tuple(told.turned),
        names(told.wants),
    )


def _traded_to_pb(event: Traded) -> pb.Traded:
    return pb.Traded(
        seat=event.seat,
        partner=event.partner,
        turned=event.turned,
        hand=event.hand,
        gives=numbers(event.gives),
        partner_hand=event.partner_hand,
        receives=numbers(event.receives),
    )


def _traded_from_pb(told: pb.Traded) -> Traded:
    return Traded(
        told.seat,
        told.partner,
        tuple(told.turned),
        tuple(told.hand),
        names(told.gives),
        tuple(told.partner_hand),
        names(told.receives),
    )


def _received_to_pb(event: Dealt | Drew) -> pb.Received:
    return pb.Received(seat=event.seat, count=event.count, cards=numbers(event.cards))


def _planted_to_pb(event: Planted) -> pb.Planted:
    return pb.Planted(
        seat=event.seat,
        field=event.field,
        kind=KIND_NUMBER[event.kind],
        aside=event.source == "aside",
        position=event.position,
    )


def _harvested_to_pb(event: Harvested) -> pb.Harvested:
    return pb.Harvested(
        seat=event.seat,
        field=event.field,
        kind=KIND_NUMBER[event.kind],
        cards=event.cards,
        dollars=event.dollars,
    )


_ANSWER_NUMBER = {
    "accept": pb.ANSWER_KIND_ACCEPT,
    "decline": pb.ANSWER_KIND_DECLINE,
    "counter": pb.ANSWER_KIND_COUNTER,
}
_ANSWER_NAME: dict[int, str] = {number: name for name, number in _ANSWER_NUMBER.items()}

_ENCODE_EVENT: dict[type[Event], Callable[[Any], pb.Event]] = {
    Dealt: lambda e: pb.Event(dealt=_received_to_pb(e)),
    Drew: lambda e: pb.Event(drew=_received_to_pb(e)),
    TurnStarted: lambda e: pb.Event(turn_started=pb.TurnStarted(turn=e.turn, seat=e.seat)),
    Planted: lambda e: pb.Event(planted=_planted_to_pb(e)),
    Passed: lambda e: pb.Event(passed=pb.Passed(seat=e.seat)),
    Harvested: lambda e: pb.Event(harvested=_harvested_to_pb(e)),
    TurnedOver: lambda e: pb.Event(turned_over=pb.TurnedOver(seat=e.seat, cards=numbers(e.cards))),
    Offered: lambda e: pb.Event(offered=offered_to_pb(e)),
    Answered: lambda e: pb.Event(answered=answered_to_pb(e)),
    Traded: lambda e: pb.Event(traded=_traded_to_pb(e)),
    Refused: lambda e: pb.Event(refused=pb.Refused(seat=e.seat)),
    TradingEnded: lambda e: pb.Event(trading_ended=pb.TradingEnded(seat=e.seat, left=numbers(e.left))),
    RanOut: lambda e: pb.Event(ran_out=pb.RanOut(time=e.time)),
    Shuffled: lambda e: pb.Event(shuffled=pb.Shuffled(number=e.number, cards=e.cards)),
    GameEnded: lambda e: pb.Event(game_ended=pb.GameEnded(dollars=e.dollars, places=e.places)),
}

_DECODE_EVENT: dict[str, Callable[[Any], Event]] = {
    "dealt": lambda e: Dealt(e.seat, e.count, names(e.cards)),
    "drew": lambda e: Drew(e.seat, e.count, names(e.cards)),
    "turn_started": lambda e: TurnStarted(e.turn, e.seat),
    "planted": lambda e: Planted(e.seat, e.field, name(e.kind), "aside" if e.aside else "hand", e.position),
    "passed": lambda e: Passed(e.seat),
    "harvested": lambda e: Harvested(e.seat, e.field, name(e.kind), e.cards, e.dollars),
    "turned_over": lambda e: TurnedOver(e.seat, names(e.cards)),
    "offered": offered_from_pb,
    "answered": answered_from_pb,
    "traded": _traded_from_pb,
    "refused": lambda e: Refused(e.seat),
    "trading_ended": lambda e: TradingEnded(e.seat, names(e.left)),
    "ran_out": lambda e: RanOut(e.time),
    "shuffled": lambda e: Shuffled(e.number, e.cards),
    "game_ended": lambda e: GameEnded(tuple(e.dollars), tuple(e.places)),
}
