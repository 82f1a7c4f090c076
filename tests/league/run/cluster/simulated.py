"""Nodes that play in simulated time: what a pool makes of their speed, without waiting for it."""

from __future__ import annotations

import queue
import random
from collections import deque
from collections.abc import Mapping
from heapq import heappop, heappush

from beanleague.league.run.cluster.link import Came, Message, NodeAnswered
from beanleague.league.run.cluster.orders import Join, NodeJoined, Order, Play
from beanleague.league.run.cluster.pool import ClusterPool
from beanleague.league.run.cluster.reporting import Reporting
from beanleague.model import Node
from beanleague.referee.messages import DealResult, DealTask, Limits, MatchTask
from beanleague.referee.worker import FEW, LONG_S

MATCHES = 5  # of a deal
_STEP_S = 0.05


class SimulatedNode:
    """A node whose workers share their time among the matches that they play at once, up to `at_once` together.

    They play few at first, and many only where these are short, as workers do.

    `match_s`: the mean work of a match; `joins_s`: when it answers that it has joined; `starts_s`: what its bots take.
    """

    def __init__(
        self, *, match_s: float, workers: int = 1, at_once: int = 128, joins_s: float = 0.0, starts_s: float = 0.0
    ) -> None:
        self.match_s = match_s
        self.workers = workers
        self.at_once = at_once
        self.joins_s = joins_s
        self.starts_s = starts_s
        self.busy_s = 0.0
        """Seconds of work that it has done."""
        self.played = 0
        """Deals that it has played."""
        self._waiting: deque[int] = deque()  # numbers of deals, of each match one
        self._playing: list[tuple[float, float, int]] = []  # `_worked` when it is over; when it began; its deal
        self._slots = min(4 * workers, at_once)
        self._worked = 0.0  # for each match that was there all the time
        self._left: dict[int, int] = {}  # matches by deal
        self._reporting = Reporting()
        self._chance = random.Random(0)

    @property
    def left(self) -> int:
        """How many matches it has to play."""
        return len(self._waiting) + len(self._playing)

    def play(self, order: Play) -> None:
        """Begin deals."""
        self._reporting.begin(order)
        for task in order.tasks:
            self._left[task.number] = MATCHES
            self._waiting += [task.number] * MATCHES

    def work(self, now: float) -> NodeAnswered | None:
        """Play until `now`, from a step before; return what it says."""
        results: list[DealResult] = []
        left = _STEP_S * self.workers
        if self._left and self.starts_s > 0:
            self.starts_s -= _STEP_S
            left = 0.0
        while left > 0 and (self._playing or self._waiting):
            while self._waiting and len(self._playing) < self._slots:
                work = self._chance.uniform(0.5, 1.5) * self.match_s
                heappush(self._playing, (self._worked + work, now, self._waiting.popleft()))
            needed = (self._playing[0][0] - self._worked) * max(len(self._playing), self.workers)
            spent = min(needed, left)
            self._worked += spent / max(len(self._playing), self.workers)
            self.busy_s += spent * min(len(self._playing), self.workers) / self.workers
            left -= spent
            if spent == needed:
                _, began, number = heappop(self._playing)
                if self._slots < FEW * self.workers or now - began < LONG_S:
                    self._slots = min(self._slots + 3, self.at_once)
                results += self._ended(number)
        self._reporting.add(results, now)
        message = self._reporting.message(self.left, now)
        return NodeAnswered("", message) if message else None

    def _ended(self, number: int) -> list[DealResult]:
        self._left[number] -= 1
        if self._left[number]:
            return []
        del self._left[number]
        self.played += 1
        return [DealResult(number, {})]


class Simulation:
    """A run of so many deals on nodes, by name. It is the link to them itself."""

    def __init__(self, deals: int, nodes: Mapping[str, SimulatedNode]) -> None:
        self.now = 0.0
        self.orders: list[tuple[str, Play]] = []
        self.inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.alive = True
        self._left = deals
        self._nodes = nodes
        self._joins: list[tuple[float, str]] = []
        self._pool = ClusterPool(self, "tls://there", [], Limits(), {"workers": 1, "in_flight": None}, lambda: self.now)
        for name in nodes:
            self.inbox.put(Came(name))

    def send(self, address: str, order: Order) -> None:
        """See `Link`."""
        if isinstance(order, Join):
            heappush(self._joins, (max(self._nodes[address].joins_s, self.now), address))
        elif isinstance(order, Play):
            self.orders.append((address, order))
            self._nodes[address].play(order)

    def forget(self, address: str) -> None:
        """See `Link`."""

    def close(self) -> None:
        """See `Link`."""

    def play(self, until_s: float = 3600.0) -> float:
        """Play it to the end, or until some time; return what time it is then."""
        number = unfinished = 0
        while self._left + unfinished and self.now < until_s:
            while self._left and (not unfinished or self._pool.unfinished < 2 * self._pool.capacity):
                number += 1
                self._left -= 1
                unfinished += 1
                self._pool.submit(_deal(number))
            unfinished -= sum(isinstance(report, DealResult) for report in self._pool.poll(0))
            self.now += _STEP_S
            while self._joins and self._joins[0][0] <= self.now:
                name = heappop(self._joins)[1]
                node = self._nodes[name]
                self.inbox.put(NodeAnswered(name, NodeJoined(Node(name, "x", "1", "3"), node.workers, node.at_once)))
            for name, node in self._nodes.items():
                if said := node.work(self.now):
                    self.inbox.put(NodeAnswered(name, said.answer))
        return self.now


def _deal(number: int) -> DealTask:
    matches = (MatchTask(rotation, "dice", b"", (0,) * MATCHES, (b"",) * MATCHES) for rotation in range(MATCHES))
    return DealTask(number, tuple(matches), MATCHES)
