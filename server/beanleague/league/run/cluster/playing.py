"""Playing deals on a node: a pool per run, as long as it is needed.

This module is independent of Dask.
"""

import math
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.environments import EnvironmentMissingError
from beanleague.league.errors import LeagueError
from beanleague.league.run.cluster.orders import Answer, Broken, Join, Lacking, NodeJoined, NodeRefused, Play, Reports
from beanleague.model import Node, PlayedDeal, PlayedMatch
from beanleague.referee.deal_pool import room_of
from beanleague.referee.host import NeedsError, describe_problem
from beanleague.referee.messages import BotLog, BotSpec, Pool, StartPool, VoidDeal, WorkerCounts
from beanleague.referee.sandbox.layers import SandboxError

_Report = PlayedDeal | VoidDeal | BotLog | WorkerCounts

IDLE_S = 60.0
"""Seconds that an idle pool is kept alive."""

_POLL_S = 0.1  # interval of checking for more deals with free capacity
_FULL_POLL_S = 0.5  # interval of polling at full capacity
_IDLE_POLL_S = 1.0  # interval of log reports while idle


class RunHere:
    """A run on this node: a thread plays its deals with a pool from `start`.

    The pool lives from the first deal until `close`, or until no deal has come for `IDLE_S` seconds; the next deal then
    starts a new one. `say`: sends an answer to the runner; thread-safe.
    """

    def __init__(self, start: Callable[[], Pool], node: Node, say: Callable[[Answer], None]) -> None:
        self._start = start
        self._node = node
        self._say = say
        self._lock = threading.Lock()
        self._orders: queue.SimpleQueue[Play | None] = queue.SimpleQueue()  # None marks the end
        self._thread: threading.Thread | None = None
        self._closed = False

    def play(self, order: Play) -> None:
        with self._lock:
            self._orders.put(order)
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._serve, name="run", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """End the pool for good and wait for it. Unfinished deals are lost."""
        with self._lock:
            self._closed = True
            thread = self._thread
            self._orders.put(None)
        if thread is not None:
            thread.join()

    def _serve(self) -> None:
        while True:
            answer: Answer | None
            try:
                answer = self._use_a_pool()
            except Exception as problem:  # noqa: BLE001  # whatever the error, the run can go on elsewhere
                answer = Broken(_reason(problem))
            if self._end(answer):
                return

    def _use_a_pool(self) -> NodeRefused | None:
        """Play with a pool until it is idle for too long or must end; return a refusal if it could not be started.

        Raises:
            Exception: if the pool fails.
        """
        try:
            pool = self._start()
        except (SandboxError, NeedsError, LeagueError, OSError) as problem:
            return NodeRefused(_reason(problem), self._node.name, passing=not isinstance(problem, SandboxError))
        try:
            self._play(pool)
        finally:
            if logs := pool.close():
                self._say(Reports(logs))
        return None

    def _end(self, answer: Answer | None) -> bool:
        """Drop unfinished deals; return False if deals arrived just as the pool timed out."""
        with self._lock:
            if not (answer or self._closed or self._orders.empty()):
                return False
            self._thread = None
            while not self._orders.empty():
                self._orders.get()
        if answer:
            self._say(answer)
        return True

    def _play(self, pool: Pool) -> None:
        reporting = Reporting()
        busy = time.monotonic()
        while time.monotonic() - busy < IDLE_S:
            try:
                order = self._orders.get(block=not pool.unfinished, timeout=min(_IDLE_POLL_S, IDLE_S))
            except queue.Empty:
                pass
            else:
                if order is None:
                    return
                reporting.begin(order)
                for task in order.tasks:
                    pool.submit(task)
            if pool.unfinished:
                busy = time.monotonic()
            come = pool.poll(min(_poll_s(pool), reporting.due_in(time.monotonic())))
            now = time.monotonic()
            reporting.add([self._for_runner(each) for each in come if not isinstance(each, PlayedMatch)], now)
            if message := reporting.message(pool.unfinished, now):
                self._say(message)

    def _for_runner(self, report: _Report) -> _Report:
        """Return a report for the runner: with this node, and `over` 0, as the runner gets no match before its deal."""
        if isinstance(report, PlayedDeal):
            return replace(report, node=self._node)
        return replace(report, node=self._node, over=0) if isinstance(report, VoidDeal) else report


def _poll_s(pool: Pool) -> float:
    """Return the seconds to wait for a pool's reports before looking for orders again."""
    if not pool.unfinished:
        return 0.0  # the wait for an order was long enough
    return _FULL_POLL_S if pool.unfinished >= pool.capacity else _POLL_S


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError):
        return describe_problem(problem)
    return str(problem) or type(problem).__name__


class NodeRuns:
    """Runs that this node plays for, by name. `cache`: cache for their bots. `start_pool`: factory of a run's pool."""

    def __init__(self, node: Node, workers: int, cache: BundleCache, start_pool: StartPool) -> None:
        self.node = node
        self._workers = workers
        self._cache = cache
        self._start_pool = start_pool
        self._playing: dict[str, RunHere] = {}

    def __contains__(self, run: object) -> bool:
        """Whether a run was joined and not left."""
        return run in self._playing

    def __getitem__(self, run: str) -> RunHere:
        return self._playing[run]

    def join(self, run: str, order: Join, say: Callable[[Answer], None]) -> Answer:
        """Prepare for a run, provided that all its bots are on this machine."""
        bots: list[BotSpec] = []
        lacking: list[str] = []
        for bot in order.bots:
            try:
                folder = self._cache.folder(bot.digest, partial(order.bundles.__getitem__, bot.digest))
            except KeyError:
                lacking.append(bot.digest)
            else:
                try:
                    packages = self._cache.packages(bot.packages)
                except EnvironmentMissingError as missing:
                    return NodeRefused(f"it cannot run {bot.name}: {missing}", self.node.name)
                bots.append(BotSpec(bot.number, bot.name, str(folder), bot.command, bot.trusted, packages))
        if lacking:
            return Lacking(tuple(dict.fromkeys(lacking)))
        settings = order.settings.copy()
        settings["workers"] = self._workers

        def start() -> Pool:
            return self._start_pool(bots, order.limits, **settings)

        if run not in self._playing:
            self._playing[run] = RunHere(start, self.node, say)
        return NodeJoined(self.node, self._workers, self._workers * room_of(settings).in_flight)

    def leave(self, run: str) -> None:
        if here := self._playing.pop(run, None):
            here.close()

    def close(self) -> None:
        for run in list(self._playing):
            self.leave(run)


_PROGRESS = 4  # interval of reports with nothing but counts of finished matches, as a multiple of the reporting delay


class Reporting:
    """Groups reports about a pool's deals for the runner. Times are in seconds of any clock."""

    def __init__(self) -> None:
        self._matches: dict[int, int] = {}  # finished matches of each unfinished deal
        self._all = 0  # number of matches: sum of `_matches`
        self._reports: list[PlayedDeal | VoidDeal | BotLog] = []
        self._counts: WorkerCounts | None = None
        self._report_s = 0.0
        self._due = math.inf
        self._said = 0  # number of matches in the last report
        self._last = -math.inf  # time of the last report

    def begin(self, order: Play) -> None:
        """Record the start of deals."""
        self._report_s = order.report_s
        for task in order.tasks:
            self._matches[task.number] = len(task.matches)
            self._all += len(task.matches)

    def add(self, reports: Sequence[_Report], now: float) -> None:
        """Add results, logs, and counts of workers; counts alone are not sent."""
        for report in reports:
            if isinstance(report, WorkerCounts):
                self._counts = self._counts + report if self._counts else report
                continue
            if not self._reports:
                self._due = now + self._report_s
            self._reports.append(report)
            if not isinstance(report, BotLog):
                self._all -= self._matches.pop(report.number, 0)

    def due_in(self, now: float) -> float:
        """Return the seconds that pending reports may still wait."""
        return max(self._due - now, 0.0) if self._reports else math.inf

    def message(self, unfinished: int, now: float) -> Reports | None:
        """Return the message to send now, None if it can wait. `unfinished`: matches left in the pool."""
        partial = max(self._all - unfinished, 0)
        if self._reports:
            due = now >= self._due or not unfinished
        else:
            due = partial != self._said and now >= self._last + _PROGRESS * self._report_s
        if not due:
            return None
        message = Reports(self._reports, partial, self._counts)
        self._reports, self._counts, self._said, self._last = [], None, partial, now
        return message
