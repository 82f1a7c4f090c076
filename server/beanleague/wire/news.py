"""The news of a view, as it came over the wire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from beanleague.games import Event
from beanleague.wire.events import event_from_pb
from beanproto.v1 import referee_pb2 as pb


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
