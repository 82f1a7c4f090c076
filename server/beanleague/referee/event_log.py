"""The events of a match as messages: each is encoded once, for the record and for every seat that hears of it."""

from __future__ import annotations

from beanleague import wire
from beanleague.games import Game
from beanproto.v1 import referee_pb2 as pb

_NOBODY = -1  # sees what is public


class Story:
    """What has happened in `game`, written into the events of `record` as it goes on."""

    __slots__ = ("_full", "_game", "_hidden", "_public")

    def __init__(self, game: Game, record: pb.Record) -> None:
        self._game = game
        self._full = record.events
        self._public: list[pb.Event] = []
        self._hidden: list[int] = []  # indices of events that are not all public, ascending

    def tell(self) -> None:
        """Encode what has happened since the last call."""
        events = self._game.events
        for index in range(len(self._public), len(events)):
            event = events[index]
            told = wire.event_to_pb(event)
            self._full.append(told)
            public = event.seen_by(_NOBODY)
            if public is not event:
                self._hidden.append(index)
                told = wire.event_to_pb(public)
            self._public.append(told)

    def news(self, seat: int, start: int) -> list[pb.Event]:
        """Return the events from index `start` on, as `seat` sees them."""
        self.tell()
        news = self._public[start:]
        for index in reversed(self._hidden):
            if index < start:
                break
            event = self._game.events[index]
            seen = event.seen_by(seat)
            news[index - start] = self._full[index] if seen is event else wire.event_to_pb(seen)
        return news
