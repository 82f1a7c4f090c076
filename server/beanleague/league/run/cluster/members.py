"""The nodes of a run: what each of them plays, how fast, and how much more it should get."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from beanleague.model import Node
from beanleague.referee.messages import DealTask

_DEPTH = 3  # times what its workers play at once: a deal counts in full until its last match is over
_ORDERS_PER_S = 100  # to all nodes together; Dask's scheduler takes some ms for each
_RATE_WINDOW_S = 2.0


def order_interval_s(nodes: int) -> float:
    """Return how many seconds a node should be busy with what it is sent at once, where there are so many nodes."""
    return max(1.0, nodes / _ORDERS_PER_S)


@dataclass(slots=True)
class Member:
    """A node that plays deals of a run. Amounts are matches, or in isolated leagues deals."""

    address: str
    """The address by which Dask knows it."""
    isolate: bool
    """Whether the league is isolated."""
    node: Node | None = None
    """What it is, once it is known."""
    workers: int = 0
    """Its worker processes; 0 until it can play."""
    at_once: int = 0
    """How much its workers play at once."""
    deals: dict[int, DealTask] = field(default_factory=dict)
    """What it has to play, by number."""
    played: bool = False
    """Whether it ever got a deal."""
    load: int = 0
    """Amount of that."""
    rate: float = 0.0
    """What it plays in a second."""
    _deal: int = 1  # amount of a deal
    _since: float = 0.0
    _done: int = 0  # since then

    def target(self, interval_s: float) -> int:
        """Return how much it should have to play, when it gets more every `interval_s` seconds."""
        depth = 1 if self.isolate else _DEPTH
        return max(depth * self.at_once, 2 * self._deal, math.ceil(2 * interval_s * self.rate))

    def room(self, interval_s: float) -> int:
        """Return how much more it should get now; 0 while that is too little for an order."""
        target = self.target(interval_s)
        enough = min(self.rate * interval_s, target / 4)
        room = target - self.load
        return room if room >= max(enough, 1) or not self.load else 0

    def give(self, task: DealTask, now: float) -> None:
        """Take in that it was sent a deal."""
        if not self.load:
            self._since, self._done = now, 0
        self.played = True
        self.deals[task.number] = task
        self._deal = self.amount(task)
        self.load += self._deal

    def take(self, number: int, now: float) -> DealTask | None:
        """Take in that a deal is over; return it, None if it had no such deal."""
        task = self.deals.pop(number, None)
        if task is not None:
            self.load -= self.amount(task)
            self._done += self.amount(task)
            if now - self._since >= _RATE_WINDOW_S:
                self.rate = self._done / (now - self._since)
                self._since, self._done = now, 0
        return task

    def drop(self) -> list[DealTask]:
        """Take in that it plays nothing any more; return what it had."""
        tasks = list(self.deals.values())
        self.deals.clear()
        self.load = 0
        return tasks

    def amount(self, task: DealTask) -> int:
        """Return how much a deal is."""
        return 1 if self.isolate else len(task.matches)
