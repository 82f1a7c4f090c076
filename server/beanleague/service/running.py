"""A run of a league as a stream of messages."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

from beanleague.league.errors import LeagueError
from beanleague.league.run.progress import Progress
from beanleague.store import StoreError

_log = logging.getLogger(__name__)


class Feed:
    """The newest progress of a run, from the thread that plays to the one that sends it.

    A slow listener misses some reports, but never the last one, and does not delay the run.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._latest: Progress | None = None
        self._ended = False
        self._error: Exception | None = None

    def put(self, progress: Progress) -> None:
        """Put in a report of the run's progress."""
        with self._changed:
            missed = self._latest.standings if self._latest else None
            self._latest = progress if progress.standings else replace(progress, standings=missed)
            self._changed.notify()

    def end(self, error: Exception | None = None) -> None:
        """End the feed; `error`: why the run failed."""
        with self._changed:
            self._ended = True
            self._error = error
            self._changed.notify()

    def __iter__(self) -> Iterator[Progress]:
        """Yield the newest progress until the end; then raise the error of the run, if it failed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._latest is not None or self._ended)
                news, self._latest = self._latest, None
            if news is not None:
                yield news
            else:
                if self._error:
                    raise self._error
                return


def follow(play: Callable[[], None], feed: Feed) -> Iterator[Progress]:
    """Call `play` in a thread of its own and give what it puts into `feed`; the thread has ended when this ends.

    Raises:
        Exception: what `play` raised.
    """
    thread = _started(play, feed)
    try:
        yield from feed
    finally:
        thread.join()


def first_of(
    play: Callable[[], None], feed: Feed, *, begun: Callable[[], bool], ended: Callable[[], None]
) -> Iterator[Progress]:
    """Call `play` in a thread of its own and give what it puts into `feed` once it has `begun`; it goes on after that.

    `ended` is called when it has ended. What `play` raises later is in the log, if it is unexpected, and for people in
    the database.

    Raises:
        Exception: what `play` raised before that.
    """

    def body() -> None:
        try:
            play()
        except (LeagueError, StoreError):
            raise
        except Exception:
            _log.exception("a run ended with an unexpected error")
            raise
        finally:
            ended()

    _started(body, feed)
    last: Progress | None = None
    for progress in feed:
        last = progress
        if begun():
            break
    if last is not None:
        yield last


def _started(play: Callable[[], None], feed: Feed) -> threading.Thread:
    def body() -> None:
        try:
            play()
        except Exception as error:  # noqa: BLE001  # it goes to whoever follows
            feed.end(error)
        else:
            feed.end()

    thread = threading.Thread(target=body, name="league run")
    thread.start()
    return thread
