"""The events of a match as messages, each encoded once: for the record, and for every seat that may see it."""

from __future__ import annotations

from beanleague import wire
from beanleague.games import Game
from beanproto.v1 import referee_pb2 as pb

_NO_SEAT = -1  # sees only what is public


class EventLog:
    """The events of `game`, which it adds to those of `record`."""

    __slots__ = ("_full", "_game", "_hidden", "_public")

    def __init__(self, game: Game, record: pb.Record) -> None:
        self._game = game
        self._full = record.events
        self._public: list[pb.Event] = []
        self._hidden: list[int] = []  # indices of events that are not all public, ascending

    def update(self) -> None:
        """Encode the events since the last call."""
        events = self._game.events
        self._full.extend(map(wire.event_to_pb, events[len(self._full) :]))

    def news(self, seat: int, start: int) -> list[pb.Event]:
        """Return the events from index `start` on, as `seat` sees them."""
        self.update()
        self._publish()
        news = self._public[start:]
        for index in reversed(self._hidden):
            if index < start:
                break
            event = self._game.events[index]
            seen = event.seen_by(seat)
            news[index - start] = self._full[index] if seen is event else wire.event_to_pb(seen)
        return news

    def _publish(self) -> None:
        """Encode what everybody sees of the events since the last call; nothing if no bot reads news."""
        events = self._game.events
        for index in range(len(self._public), len(events)):
            event = events[index]
            public = event.seen_by(_NO_SEAT)
            if public is event:
                self._public.append(self._full[index])
            else:
                self._hidden.append(index)
                self._public.append(wire.event_to_pb(public))
