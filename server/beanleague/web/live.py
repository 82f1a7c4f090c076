"""Leagues as they move: one reader of a league for all who watch it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

from anyio import to_thread

_log = logging.getLogger(__name__)

INTERVAL_S = 1.5
"""Time between two looks at a league that somebody watches."""

_LINGER_S = 20.0  # that a league is still read when nobody watches it any more: a page that is loaded again
_AWAY = "The league cannot be read at the moment; it will go on by itself."
_KEEPALIVE_S = 20.0
_KEEPALIVE = b": still here\n\n"

Events = Mapping[str, str]
"""What is shown now: from the names of events to their data."""


@dataclass(slots=True)
class _Watched:
    """A league that is read."""

    frames: dict[str, bytes] = field(default_factory=dict)
    """The newest frame of each event."""
    versions: dict[str, int] = field(default_factory=dict)
    """How often each event has changed."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set, and replaced, with every change."""
    watchers: int = 0
    """How many read the stream."""
    reading: asyncio.Task[None] | None = None
    """Reads the league while somebody watches."""


class Live:
    """Streams of server-sent events about leagues. However many watch a league, it is read and rendered once.

    `read`: returns what a league shows now; called in a thread. `interval`: seconds between two calls.
    """

    def __init__(self, read: Callable[[str], Events], interval: float = INTERVAL_S) -> None:
        self._read = read
        self._interval = interval
        self._leagues: dict[str, _Watched] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = False

    async def watch(self, league: str) -> AsyncIterator[bytes]:
        """Yield an event whenever what it shows has changed, until the reader goes away."""
        self._loop = asyncio.get_running_loop()
        watched = self._leagues.setdefault(league, _Watched())
        watched.watchers += 1
        if watched.reading is None:
            watched.reading = asyncio.create_task(self._keep_reading(league, watched))
        seen: dict[str, int] = {}
        try:
            while not self._ended:
                changed = watched.changed
                for event, version in watched.versions.items():
                    if seen.get(event) != version:
                        seen[event] = version
                        yield watched.frames[event]
                try:
                    async with asyncio.timeout(_KEEPALIVE_S):
                        await changed.wait()
                except TimeoutError:
                    yield _KEEPALIVE  # finds out whether the reader is still there
        finally:
            watched.watchers -= 1

    async def _keep_reading(self, league: str, watched: _Watched) -> None:
        idle = 0.0
        try:
            while idle < _LINGER_S:
                try:
                    self._take(watched, await to_thread.run_sync(self._read, league))
                except Exception:  # noqa: BLE001  # whatever it is, those who watch go on watching
                    _log.exception("the league %.60r cannot be read", league)
                    self._take(watched, {"away": _AWAY})
                await asyncio.sleep(self._interval)
                idle = 0.0 if watched.watchers else idle + self._interval
        finally:
            self._leagues.pop(league, None)

    def _take(self, watched: _Watched, events: Events) -> None:
        """Take over what has changed."""
        news = {event: _frame(event, data) for event, data in events.items()}
        news = {event: frame for event, frame in news.items() if watched.frames.get(event) != frame}
        if not news:
            return
        for event, frame in news.items():
            watched.frames[event] = frame
            watched.versions[event] = watched.versions.get(event, 0) + 1
        changed, watched.changed = watched.changed, asyncio.Event()
        changed.set()

    def end(self) -> None:
        """End all streams, and take no new ones. May be called from any thread."""
        self._ended = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for watched in self._leagues.values():
            watched.changed.set()
            if watched.reading is not None:
                watched.reading.cancel()


def _frame(event: str, data: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in data.splitlines() or [""])
    return f"event: {event}\n{lines}\n".encode()
