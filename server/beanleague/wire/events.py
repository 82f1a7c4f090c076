"""The version of the bots' protocol; actions and events as messages and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from beanleague.games import Action, Event
from beanleague.games.families import ACTIONS, EVENTS
from beanleague.wire.codec import OneofField
from beanproto.v1 import referee_pb2 as pb

PROTOCOL = 2
"""The version of `referee.proto` that referee and SDK speak. A message that would be misread needs a new one."""


def wrong_protocol(hello: pb.Hello) -> str:
    """Return why a bot with this `hello` cannot play, and what to do; "" if it can."""
    if hello.protocol == PROTOCOL:
        return ""
    return (
        f"the bot speaks version {hello.protocol or 1} of the protocol, and this referee version {PROTOCOL}: build the "
        f"bot with the referee.proto of this server's release, and set Hello.protocol to {PROTOCOL}"
    )


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


class News(Sequence[Event]):
    """Events as they came over the wire, decoded when first looked at."""

    __slots__ = ("_events", "_messages")

    def __init__(self, messages: Sequence[pb.Event]) -> None:
        self._messages = messages
        self._events: tuple[Event, ...] | None = None

    def _all(self) -> tuple[Event, ...]:
        if self._events is None:
            self._events = tuple(map(event_from_pb, self._messages))
        return self._events

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, News) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (self._all(),)  # messages cannot be pickled
