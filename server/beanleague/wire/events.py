"""Actions and events as messages and back."""

from __future__ import annotations

from beanleague.games import Action, Event
from beanleague.games.families import ACTIONS, EVENTS
from beanleague.wire.codec import OneofField
from beanproto.v1 import referee_pb2 as pb

_ACTIONS: OneofField[Action] = OneofField(ACTIONS, pb.Move, "action")
_EVENTS: OneofField[Event] = OneofField(EVENTS, pb.Event, "event")


def action_to_pb(action: Action, move: pb.Move) -> None:
    """Set the action of `move`.

    Raises:
        WireError: if `action` is not an action, or a field of it has a wrong type or size.
    """
    _ACTIONS.set(action, move)


def action_from_pb(move: pb.Move) -> Action:
    """Return the action of `move`.

    Raises:
        WireError: if it has no action, or one with an unknown kind.
    """
    return _ACTIONS.decode(move)


def event_to_pb(event: Event) -> pb.Event:
    """Return `event` as a message."""
    message = pb.Event()
    _EVENTS.set(event, message)
    return message


def event_from_pb(message: pb.Event) -> Event:
    """Return the event in `message`.

    Raises:
        WireError: if it has no event, or one with an unknown kind or answer.
    """
    return _EVENTS.decode(message)
