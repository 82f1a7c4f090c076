"""Events as messages and back."""

from __future__ import annotations

from beanleague import games
from beanleague.games import Event
from beanleague.games.bohnanza import Answered, Offered
from beanleague.wire.codec import Choice, Codec, subclasses
from beanproto.v1 import referee_pb2 as pb

_EVENTS: Choice[Event] = Choice(subclasses(games, Event), pb.Event, "event")

OFFERED = Codec(Offered, pb.Offered)
"""Offers, which views hold too."""

ANSWERED = Codec(Answered, pb.Answered)
"""Answers, which views hold too."""


def event_to_pb(event: Event) -> pb.Event:
    """Return `event` as a message."""
    told = pb.Event()
    _EVENTS.set(event, told)
    return told


def event_from_pb(told: pb.Event) -> Event:
    """Return the event that `told` is.

    Raises:
        WireError: it is none, or has an unknown kind or answer.
    """
    return _EVENTS.decode(told)
