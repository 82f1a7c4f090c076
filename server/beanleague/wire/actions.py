"""Actions as messages and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beanleague.games import (
    Accept,
    Action,
    Call,
    Counter,
    Decline,
    Harvest,
    Offer,
    Pass,
    Pick,
    Plant,
    PlantAside,
    Refuse,
    Stop,
)
from beanleague.wire.errors import WireError
from beanleague.wire.kinds import names, numbers
from beanproto.v1 import referee_pb2 as pb


def action_to_pb(action: Action, move: pb.Move) -> None:
    """Set the action of `move`.

    Raises:
        WireError: `action` cannot be sent: it is of no known type, or has fields of wrong types or sizes.
    """
    try:
        _ENCODE_ACTION[type(action)](action, move)
    except KeyError:
        raise WireError(f"{action!r:.200} is not an action that can be sent") from None
    except (TypeError, ValueError) as problem:
        raise WireError(f"{action!r:.200} cannot be sent: {problem}") from None


def action_from_pb(move: pb.Move) -> Action:
    """Return the action of `move`.

    Raises:
        WireError: it has none, or one with an unknown kind.
    """
    name = move.WhichOneof("action")
    if name is None:
        raise WireError("the move has no action")
    return _DECODE_ACTION[name](move)


def _set_plant(action: Plant, move: pb.Move) -> None:
    move.plant.field = action.field


def _set_harvest(action: Harvest, move: pb.Move) -> None:
    move.harvest.field = action.field


def _set_offer(action: Offer, move: pb.Move) -> None:
    wants = numbers(action.wants)
    move.offer.MergeFrom(pb.Offer(to=action.to, turned=action.turned, hand=action.hand, wants=wants))
    move.offer.SetInParent()


def _set_call(action: Call, move: pb.Move) -> None:
    move.call.to.extend(action.to)
    move.call.SetInParent()


def _set_accept(action: Accept, move: pb.Move) -> None:
    move.accept.hand.extend(action.hand)
    move.accept.SetInParent()


def _set_counter(action: Counter, move: pb.Move) -> None:
    wants = numbers(action.wants)
    move.counter.MergeFrom(pb.Counter(hand=action.hand, turned=action.turned, wants=wants))
    move.counter.SetInParent()


def _set_pick(action: Pick, move: pb.Move) -> None:
    move.pick.seat = action.seat
    move.pick.hand.extend(action.hand)


def _set_plant_aside(action: PlantAside, move: pb.Move) -> None:
    move.plant_aside.card = action.card
    move.plant_aside.field = action.field


_ENCODE_ACTION: dict[type[Action], Callable[[Any, pb.Move], None]] = {
    Plant: _set_plant,
    Pass: lambda _, move: move.__getattribute__("pass").SetInParent(),  # `pass` is a word of Python
    Harvest: _set_harvest,
    Offer: _set_offer,
    Call: _set_call,
    Stop: lambda _, move: move.stop.SetInParent(),
    Accept: _set_accept,
    Decline: lambda _, move: move.decline.SetInParent(),
    Counter: _set_counter,
    Pick: _set_pick,
    Refuse: lambda _, move: move.refuse.SetInParent(),
    PlantAside: _set_plant_aside,
}

_DECODE_ACTION: dict[str, Callable[[pb.Move], Action]] = {
    "plant": lambda move: Plant(move.plant.field),
    "pass": lambda _: Pass(),
    "harvest": lambda move: Harvest(move.harvest.field),
    "offer": lambda move: _offer(move.offer),
    "call": lambda move: Call(tuple(move.call.to)),
    "stop": lambda _: Stop(),
    "accept": lambda move: Accept(tuple(move.accept.hand)),
    "decline": lambda _: Decline(),
    "counter": lambda move: _counter(move.counter),
    "pick": lambda move: Pick(move.pick.seat, tuple(move.pick.hand)),
    "refuse": lambda _: Refuse(),
    "plant_aside": lambda move: PlantAside(move.plant_aside.card, move.plant_aside.field),
}


def _offer(told: pb.Offer) -> Offer:
    return Offer(tuple(told.to), tuple(told.turned), tuple(told.hand), names(told.wants))


def _counter(told: pb.Counter) -> Counter:
    return Counter(tuple(told.hand), tuple(told.turned), names(told.wants))
