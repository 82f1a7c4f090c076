"""Playing deals of a run on a node: the run has a pool of its own there, while it is wanted."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from beanleague.league.errors import LeagueError
from beanleague.league.run.cluster.orders import Answer, Broken, NodeRefused, Play, Reports
from beanleague.league.run.cluster.reporting import Reporting
from beanleague.model import Node
from beanleague.referee.host import NeedsError, describe_problem
from beanleague.referee.messages import BotLog, DealResult, MatchResult, Pool
from beanleague.referee.sandbox.layers import SandboxError

IDLE_S = 60.0
"""How long a pool without deals is kept."""

_POLL_S = 0.1  # of a pool that could play more, between looks for more deals
_FULL_POLL_S = 0.5  # of one that could not
_IDLE_POLL_S = 1.0  # of one that does not, between reports of what bots write


class RunHere:
    """A run's deals on this node, played in a pool that `start` makes, in a thread of its own.

    The pool is there from the first deal until `close` is called, or no deal has come for `idle_s` seconds; with the
    next one there is a new one. `say`: sends an answer to the runner, from any thread.
    """

    def __init__(
        self, start: Callable[[], Pool], node: Node, say: Callable[[Answer], None], *, idle_s: float = IDLE_S
    ) -> None:
        self._start = start
        self._node = node
        self._say = say
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._orders: queue.SimpleQueue[Play | None] = queue.SimpleQueue()  # None: to end
        self._thread: threading.Thread | None = None
        self._closed = False

    def play(self, order: Play) -> None:
        """Begin deals."""
        with self._lock:
            self._orders.put(order)
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._serve, name="run", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """End the pool for good, and wait for it. What was not over is lost."""
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
            except Exception as problem:  # noqa: BLE001  # whatever it is, the run can go on elsewhere
                answer = Broken(_reason(problem))
            if self._end(answer):
                return

    def _use_a_pool(self) -> NodeRefused | None:
        """Play in a pool, until it is idle for too long or has to end; return why none could be started.

        Raises:
            Exception: if the pool breaks.
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
        """Forget what was not over; return False if deals came just when the pool was idle for too long."""
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
        while time.monotonic() - busy < self._idle_s:
            try:
                order = self._orders.get(block=not pool.unfinished, timeout=min(_IDLE_POLL_S, self._idle_s))
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
            longest = _FULL_POLL_S if pool.unfinished >= pool.capacity else _POLL_S if pool.unfinished else 0.0
            come = pool.poll(min(longest, reporting.due_in(time.monotonic())))
            now = time.monotonic()
            reporting.add([self._named(each) for each in come if not isinstance(each, MatchResult)], now)
            if message := reporting.message(pool.unfinished, now):
                self._say(message)

    def _named(self, report: DealResult | BotLog) -> DealResult | BotLog:
        """Return a result with the name of this node."""
        return replace(report, node=self._node) if isinstance(report, DealResult) else report


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError):
        return describe_problem(problem)
    return str(problem) or type(problem).__name__
