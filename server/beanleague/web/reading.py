"""Shared reading from the service: cached answers, live standings, and error messages."""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

import grpc
from anyio import to_thread
from google.protobuf.message import Message

from beanleague.web.charts import Point, StandingRow, Version, standing_rows
from beanproto.v1.league_pb2 import MatrixWindow, RatingsRequest, StandingsRequest, StandingsResponse
from beanproto.v1.league_pb2_grpc import LeagueStub

_log = logging.getLogger(__name__)

_MAX_SENTENCE = 1000  # maximum length of a sentence in characters
_AWAY = "The leagues cannot be reached at the moment. Try again in a minute."
_LATE = "This took too long because the server is busy. Try again later."
_STATUS = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNIMPLEMENTED: 501,
}

SENTENCES = {
    401: "You are not signed in, or your token is no longer valid. Sign in again.",
    404: "There is no such page. Start at the list of leagues.",
    405: "This page does not support this kind of request. Start at the list of leagues.",
    501: "The server behind this site does not offer this; it may run an earlier version.",
}
"""Default sentence for each HTTP status."""

_RequestT = TypeVar("_RequestT", bound=Message)
_AnswerT = TypeVar("_AnswerT", bound=Message)

TIMEOUT_S = 30.0
"""Seconds that a page waits for the service to answer."""

_MAX_BYTES = 64 * 2**20  # size of cached answers
_LEAST_BYTES = 4 * 2**10  # minimum size of a cached answer, since visitors can ask for any number of empty ones
_FRESH_S = 1.0
_MAX_POINTS = 120  # per bot; beyond that every second one is dropped
_MAX_LEAGUES = 64  # leagues with stored points

_INTERVAL_S = 1.5
"""Seconds between two readings of a watched league."""

_LINGER_S = 20.0  # seconds that reading continues without watchers, since a page may be reloading
_LEAGUE_AWAY = "The league cannot be read at the moment; this page will continue by itself."
_KEEPALIVE_S = 20.0
_KEEPALIVE = b": still here\n\n"

Events = Mapping[str, str]
"""Current contents of a stream: data by event name."""


def refused(error: grpc.RpcError, *, posted: bool) -> tuple[int, str]:
    """Return the status and the sentence for a failed call. `posted`: whether the request was to change something."""
    code = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNKNOWN
    details = (error.details() if isinstance(error, grpc.Call) else "") or ""
    if posted and code in {grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ABORTED}:
        return 409, sentence(details)
    status = _STATUS.get(code, 503)
    if status == 503:
        # Visitors can do nothing about this warning; it is for the operator of the site.
        _log.warning("a page could not be shown: %s: %s", code.name, details)
        return 503, _LATE if code is grpc.StatusCode.DEADLINE_EXCEEDED else _AWAY
    return status, SENTENCES.get(status) if status in {401, 501} else sentence(details)  # type: ignore[return-value]


def sentence(text: str) -> str:
    """Return `text` with a capital letter and a full stop."""
    text = text[:_MAX_SENTENCE]
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '…', '?')) else '.'}"


@dataclass(slots=True, eq=False)
class _Cached:
    """Cached answer, or a call in progress."""

    asked: float
    """Time of the call."""
    answer: Future[Message] = field(default_factory=Future)
    """Future of the answer."""
    size: int = 0
    """Size of the answer in the cache in bytes; 0 until it arrives."""


class Reader:
    """Short-lived cache of calls without a token, so that many visitors cause a single call to the service.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, bytes], _Cached] = {}  # cached answers, oldest first
        self._bytes = 0

    def __len__(self) -> int:
        """Return the number of cached answers, calls in progress included."""
        return len(self._kept)

    def get(
        self, call: "grpc.UnaryUnaryMultiCallable[_RequestT, _AnswerT]", request: _RequestT, *, fresh: float = _FRESH_S
    ) -> _AnswerT:
        """Return the answer to a call, at most `fresh` seconds old. Callers share the answer and must not modify it.

        Raises:
            grpc.RpcError: the call failed. Failures are not cached.
        """
        key = (id(call), request.SerializeToString(deterministic=True))
        with self._lock:
            cached = self._kept.get(key)
            mine = cached is None or (cached.size > 0 and time.monotonic() - cached.asked > fresh)
            if mine:
                self._drop(key)
                cached = self._kept[key] = _Cached(time.monotonic())
        assert cached is not None
        if mine:
            try:
                answer = call(request, timeout=TIMEOUT_S)
            except BaseException as error:  # noqa: BLE001  # after any error, waiting threads must continue
                with self._lock:
                    self._drop(key)
                cached.answer.set_exception(error)
            else:
                cached.answer.set_result(answer)
                with self._lock:
                    cached.size = max(answer.ByteSize(), _LEAST_BYTES)
                    self._bytes += cached.size
                    self._forget()
        return cached.answer.result()  # type: ignore[return-value]  # of the call that is part of the key

    def clear(self) -> None:
        """Drop the cached answers."""
        with self._lock:
            for key in [key for key, cached in self._kept.items() if cached.size]:
                self._drop(key)

    def _drop(self, key: tuple[int, bytes]) -> None:
        cached = self._kept.pop(key, None)
        self._bytes -= cached.size if cached else 0

    def _forget(self) -> None:
        """Drop the oldest answers beyond the limit."""
        while self._bytes > _MAX_BYTES:
            self._drop(next(key for key, cached in self._kept.items() if cached.size))


@dataclass(slots=True)
class _Past:
    """Past standings of a league since the site's start."""

    deals: int = 0
    """Number of deals played at the last reading."""
    path: dict[Version, list[Point]] = field(default_factory=dict)
    """Rating history so far."""
    ranks: Mapping[Version, int] = field(default_factory=dict)
    """Ranks at the last reading."""
    before: Mapping[Version, int] = field(default_factory=dict)
    """Ranks at the reading before."""


class StandingsReader:
    """Reader of standings; thread-safe."""

    def __init__(self, stub: LeagueStub, reader: Reader) -> None:
        self._stub = stub
        self._reader = reader
        self._lock = threading.Lock()
        self._leagues: dict[str, _Past] = {}

    def read(self, league: str) -> tuple[StandingsResponse, list[StandingRow]]:
        """Return the standings of a league and their rows for display.

        Raises:
            grpc.RpcError: the service cannot answer.
        """
        answer = self._reader.get(self._stub.Standings, StandingsRequest(league=league), fresh=_FRESH_S)
        with self._lock:
            past = self._leagues.get(league)
        if past is None or not past.deals:
            past = self._begin(league)
        with self._lock:
            self._leagues[league] = past
            if len(self._leagues) > _MAX_LEAGUES:
                del self._leagues[next(iter(self._leagues))]
            _take(past, answer)
            return answer, standing_rows(answer.standings, past.path, past.before)

    def _begin(self, league: str) -> _Past:
        past = _Past()
        asked = RatingsRequest(league=league, matrix=MatrixWindow())
        history = self._reader.get(self._stub.Ratings, asked, fresh=60).history
        for snapshot in history:
            for rating in snapshot.ratings:
                if snapshot.deals:
                    past.path.setdefault((rating.bot, rating.version), []).append((snapshot.deals, rating.rating))
        past.deals = max((snapshot.deals for snapshot in history), default=0)
        return past


def _take(past: _Past, answer: StandingsResponse) -> None:
    """Update the past standings with an answer."""
    ranks = {(standing.bot, standing.version): standing.rank for standing in answer.standings if standing.rank}
    if answer.deals_done > past.deals:
        past.deals = answer.deals_done
        for standing in answer.standings:
            if standing.rank:
                points = past.path.setdefault((standing.bot, standing.version), [])
                points.append((answer.deals_done, standing.rating))
                if len(points) > _MAX_POINTS:
                    del points[1:-1:2]
    if ranks != past.ranks:
        past.before, past.ranks = past.ranks, ranks


@dataclass(slots=True)
class _Watched:
    """A league that is being watched."""

    frames: dict[str, bytes] = field(default_factory=dict)
    """Latest frame of each event."""
    versions: dict[str, int] = field(default_factory=dict)
    """Number of changes of each event so far."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Event that is set, and replaced by a new one, at every change."""
    watchers: int = 0
    """Number of streams that watch the league."""
    reading: asyncio.Task[None] | None = None
    """Task that reads the league while it is watched."""


class Live:
    """Server-sent events of leagues. A league is read and rendered once for all its watchers.

    `read`: returns the current contents of a league; called in a thread.
    """

    def __init__(self, read: Callable[[str], Events]) -> None:
        self._read = read
        self._leagues: dict[str, _Watched] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = False

    async def watch(self, league: str) -> AsyncIterator[bytes]:
        """Yield each changed event, until the client disconnects."""
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
                    yield _KEEPALIVE  # detects a closed connection
        finally:
            watched.watchers -= 1

    async def _keep_reading(self, league: str, watched: _Watched) -> None:
        idle = 0.0
        try:
            while idle < _LINGER_S:
                try:
                    self._take(watched, await to_thread.run_sync(self._read, league))
                except Exception:  # noqa: BLE001  # the streams go on after any error
                    _log.exception("the league %.60r cannot be read", league)
                    self._take(watched, {"away": _LEAGUE_AWAY})
                await asyncio.sleep(_INTERVAL_S)
                idle = 0.0 if watched.watchers else idle + _INTERVAL_S
        finally:
            self._leagues.pop(league, None)

    def _take(self, watched: _Watched, events: Events) -> None:
        """Store the changed events."""
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
        """End all streams, and refuse new ones. Thread-safe."""
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
