"""Playing and verifying leagues and comparisons. Imported late, since it imports the referee."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeAlias

from beanleague.league.bots.cache import BundleCache
from beanleague.league.compare import ComparisonRequest, comparison_league
from beanleague.league.errors import LeagueError
from beanleague.league.formats.table import format_of
from beanleague.league.ratings.sprt import Comparison
from beanleague.league.run.progress import NodeProgress, Progress
from beanleague.league.run.reports import Listener
from beanleague.league.run.runner import LeagueRun, RunSettings
from beanleague.league.standings import with_ratings
from beanleague.league.verify.deals import Finding
from beanleague.league.verify.verification import Verification, verify_league
from beanleague.model import Entrant, League
from beanleague.referee.this_node import default_workers
from beanleague.service.backend import Backend
from beanleague.service.messages import NODE, SHARED_OWNER, number, standing_to_pb
from beanleague.service.pairs import test_to_pb
from beanleague.store import Store, StoreError
from beanleague.wire.codec import Codec
from beanproto.v1 import league_pb2 as pb

_MAX_WORKERS = 256
_MAX_IN_FLIGHT = 1024

_VERIFICATION = Codec(Verification, pb.VerifyProgress, parts={"findings": Codec(Finding, pb.Finding)})
_NODE_PROGRESS = Codec(NodeProgress, pb.NodeProgress, parts={"node": NODE})
_PROGRESS = Codec(
    Progress,
    pb.Progress,
    apart=("standings", "comparison"),
    parts={"shared_owners": SHARED_OWNER, "nodes": _NODE_PROGRESS},
)

_log = logging.getLogger(__name__)


End: TypeAlias = Callable[[Callable[[], None]], bool]
"""Function that registers a callback for the end of a call, and returns whether the call is still active."""


def run_league(backend: Backend, name: str, settings: RunSettings, end: End | None) -> Iterator[pb.Progress]:
    """Play the remaining deals of a league. `end`: stops the run at the end of the call; None: the run continues."""
    league = with_ratings(backend.store.leagues.get(name))
    feed = Feed()
    run = run_of(backend, league, settings, Listener(feed.put, progress_to_bytes))
    if end is None:
        backend.began(run)
        for progress in _first_of(run.play, feed, begun=lambda: run.opened, ended=lambda: backend.ended(run)):
            yield _progress_to_pb(progress)
        return
    with _while_called(backend, run, end) as called:
        if called:
            yield from map(_progress_to_pb, follow(run.play, feed))


def compare(
    backend: Backend, asked: ComparisonRequest, settings: RunSettings, end: End
) -> Iterator[pb.ComparisonProgress]:
    """Test whether one bot is better than another, until the call ends."""
    league = comparison_league(backend.store, asked)
    entrants = backend.store.leagues.entrants(league.id)
    feed = Feed()
    run = run_of(backend, league, settings, Listener(feed.put))
    with _while_called(backend, run, end) as called:
        if called:
            for progress in follow(run.play, feed):
                if progress.comparison is not None:
                    yield _comparison_to_pb(league, entrants, progress.comparison, progress)


def run_of(backend: Backend, league: League, settings: RunSettings, listener: Listener) -> LeagueRun:
    """Return a run of a league with its format's strategy."""
    cache, start_pool = BundleCache(backend.settings.bundles), backend.settings.pools_of_runs()
    playing = format_of(league).playing
    return LeagueRun(backend.store, league.name, playing, cache, settings, start_pool, listener=listener)


def verify(
    store: Store, name: str, workers: int, day: int, *, replay: bool, wanted: Callable[[], bool]
) -> Iterator[pb.VerifyProgress]:
    """Verify a stored league as long as `wanted`. `workers`: 0 for one per core."""
    workers = number("workers", workers, default_workers(), _MAX_WORKERS)
    league = store.leagues.get(name)
    checks = format_of(league).checks
    for report in verify_league(store, league, checks, workers=workers, replay=replay, day=day, wanted=wanted):
        yield _VERIFICATION.encode(report, league=name)


@contextmanager
def _while_called(backend: Backend, run: LeagueRun, end: End) -> Iterator[bool]:
    """Stop the run when the call or the server ends; yield whether the call is still active."""
    backend.began(run)
    try:
        yield end(run.stop)
    finally:
        run.stop()
        backend.ended(run)


def run_settings(workers: int, in_flight: int, *, fresh: bool = False) -> RunSettings:
    """Return the settings of a run; 0 stands for the default.

    Raises:
        RequestError: if a number is too large.
    """
    return RunSettings(
        workers=number("workers", workers, default_workers(), _MAX_WORKERS),
        in_flight=number("in_flight", in_flight, 0, _MAX_IN_FLIGHT) or None,
        fresh=fresh,
    )


def progress_to_bytes(progress: Progress) -> bytes:
    """Serialise the progress of a run, for other processes."""
    return _progress_to_pb(progress).SerializeToString()


class Feed:
    """Hands the newest progress of a run from the playing thread to the sending one.

    A slow listener misses some reports, but never the last one, and does not delay the run.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._latest: Progress | None = None
        self._ended = False

    def put(self, progress: Progress) -> None:
        """Report the progress."""
        with self._changed:
            missed = self._latest.standings if self._latest else None
            self._latest = progress if progress.standings else replace(progress, standings=missed)
            self._changed.notify()

    def end(self) -> None:
        """End the feed."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def __iter__(self) -> Iterator[Progress]:
        """Yield the newest progress until the end."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._latest is not None or self._ended)
                news, self._latest = self._latest, None
            if news is None:
                return
            yield news


def follow(play: Callable[[], None], feed: Feed) -> Iterator[Progress]:
    """Call `play` in a new thread and yield the progress in `feed`; the thread ends before the iteration does.

    Raises:
        Exception: any error of `play`.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="league run") as threads:
        playing = threads.submit(play)
        playing.add_done_callback(lambda _: feed.end())
        yield from feed
        playing.result()


def _first_of(
    play: Callable[[], None], feed: Feed, *, begun: Callable[[], bool], ended: Callable[[], None]
) -> Iterator[Progress]:
    """Call `play` in a new thread and yield its last progress once it has `begun`; the thread continues.

    `ended`: called at its end. Later errors of `play` are stored in the database, and logged if unexpected.

    Raises:
        Exception: any error of `play` before that.
    """

    def body() -> None:
        try:
            play()
        except Exception as error:
            if not isinstance(error, LeagueError | StoreError):
                _log.exception("a run ended with an unexpected error")
            raise
        finally:
            ended()

    threads = ThreadPoolExecutor(1, thread_name_prefix="league run")
    playing = threads.submit(body)
    playing.add_done_callback(lambda _: feed.end())
    threads.shutdown(wait=False)
    last: Progress | None = None
    for progress in feed:
        last = progress
        if begun():
            break
    else:
        playing.result()
    if last is not None:
        yield last


def _progress_to_pb(progress: Progress) -> pb.Progress:
    """Convert the progress of a run."""
    return _PROGRESS.encode(progress, standings=map(standing_to_pb, progress.standings or ()))


def _comparison_to_pb(
    league: League, entrants: Sequence[Entrant], comparison: Comparison, progress: Progress
) -> pb.ComparisonProgress:
    """Convert the progress of a comparison."""
    message = test_to_pb(league, entrants[0], entrants[1], comparison)
    message.matches = comparison.deals * league.matches_a_deal
    message.seconds = progress.seconds
    message.matches_per_second = progress.matches_per_second
    message.layer = progress.layer
    message.nodes.extend(map(_NODE_PROGRESS.encode, progress.nodes))
    message.remarks.extend(progress.remarks)
    return message
