"""The nodes of a run: their deals, their speed, and the distribution of new deals among them."""

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from beanleague.model import Node
from beanleague.referee.messages import DealTask
from beanleague.referee.worker import FEW, LONG_S

_ORDERS_PER_S = 100  # maximum orders per second to all nodes together; each takes Dask's scheduler some ms
_START_DEPTH = 1 / 4  # initial queue of a node as a share of its parallel capacity, while its speed is unknown
_FIRST_RATE_S = 0.5
_RATE_WINDOW_S = 2.0


def order_interval_s(nodes: int) -> float:
    """Return the seconds of play to order from a node at a time, for this number of nodes."""
    return max(1.0, nodes / _ORDERS_PER_S)


@dataclass(slots=True)
class Member:
    """Node that plays deals of a run. Amounts of work are in matches, in isolated leagues in deals."""

    address: str
    """Address of the node in Dask."""
    isolate: bool
    """Whether the league is isolated."""
    secret: bytes = field(default=b"", repr=False)
    """Random secret that the node returns with its answers, to authenticate them."""
    asked: bool = False
    """Whether it was asked to join and has not answered yet."""
    lacked: bool = False
    """Whether it reported that it lacks bundles of bots."""
    rests: bool = False
    """Whether it gets no deals for a while, after a failure."""
    wrong: bool = False
    """Whether it sent an impossible answer; all later answers are then ignored."""
    node: Node | None = None
    """Description of the node; None until known."""
    workers: int = 0
    """Number of its worker processes; 0 until it is ready."""
    at_once: int = 0
    """Amount of work that its workers may play at once."""
    deals: dict[int, DealTask] = field(default_factory=dict)
    """Unfinished deals of the node, by number."""
    played: bool = False
    """Whether it was ever given a deal."""
    partial: int = 0
    """Number of finished matches of its unfinished deals."""
    rate: float = 0.0
    """Speed: amount per second; 0 until measured."""
    _given: int = 0  # amount of work in `deals`
    _deal: int = 1  # amount of work of a deal
    _since: float | None = None  # time at which the current measurement of the speed began
    _done: int = 0  # amount of work finished since the start of the measurement

    @property
    def load(self) -> int:
        """Amount of work still to be done."""
        return self._given if self.isolate else self._given - self.partial

    @property
    def speed(self) -> float:
        """Return the node's speed relative to others, measured or estimated."""
        return self.rate or self.in_play

    @property
    def in_play(self) -> int:
        """Return the amount that the node plays at once, which its workers choose by the length of matches."""
        known = max(FEW * self.workers, math.ceil(LONG_S * self.rate))
        return self.at_once if self.isolate else min(self.at_once, known)

    def target(self, interval_s: float) -> int:
        """Return the amount that the node should have, if orders are `interval_s` seconds apart.

        It is the node's parallel capacity plus some seconds of play; more would be withheld from other nodes.
        """
        beyond = math.ceil(2 * interval_s * self.rate)
        if self.isolate:
            return max(self.at_once, 2, beyond)
        return self.in_play + max(beyond if self.rate else math.ceil(_START_DEPTH * self.in_play), self._deal)

    def room(self, interval_s: float) -> int:
        """Return how much more work the node should get now; 0 while that is too little for an order."""
        target = self.target(interval_s)
        enough = min(self.rate * interval_s, target / 4)
        room = target - self.load
        return room if room >= max(enough, 1) or not self.load else 0

    def give(self, task: DealTask) -> None:
        """Record a deal sent to the node."""
        self.played = True
        self.deals[task.number] = task
        self._deal = self.amount(task)
        self._given += self._deal

    def take(self, numbers: Iterable[int], partial: int, now: float) -> list[DealTask]:
        """Record finished deals, and `partial`; return the deals that the node really had."""
        before = self.load
        tasks = [self.deals.pop(number) for number in numbers if number in self.deals]
        self._given -= sum(map(self.amount, tasks))
        self.partial = partial if self.deals else 0
        self._measure(before - self.load, now)
        return tasks

    def _measure(self, done: int, now: float) -> None:
        """Update the node's speed. A measurement spans a full batch, since matches that begin together end together."""
        if self._since is None:
            self._since, self._done = now, 0
            return
        self._done += done
        seconds = now - self._since
        if self._done >= self.in_play and seconds >= (_RATE_WINDOW_S if self.rate else _FIRST_RATE_S):
            self.rate = self._done / seconds
            self._since, self._done = now, 0

    def drop(self) -> list[DealTask]:
        """Record that the node stopped playing; return its unfinished deals."""
        tasks = list(self.deals.values())
        self.deals.clear()
        self._given = self.partial = 0
        return tasks

    def amount(self, task: DealTask) -> int:
        """Return the amount of a deal."""
        return 1 if self.isolate else len(task.matches)


def share_out(
    queue: deque[DealTask], members: Sequence[Member], joining: int, interval_s: float
) -> dict[str, list[DealTask]]:
    """Take deals from `queue` for `members` with room; return them by address.

    Each deal goes to the node that would run out of work first, so that all nodes finish at about the same time, even
    if there are few deals. The share of nodes that are `joining` stays in the queue. `interval_s`: seconds between
    orders.
    """
    rooms = [member.room(interval_s) for member in members]
    speed = math.fsum(member.speed for member in members) / max(len(members), 1)
    # Time at which each node runs out of work, and its index in `members`; joining nodes come last.
    turns = [(member.load / member.speed, place) for place, member in enumerate(members) if rooms[place] > 0]
    able = len(turns)
    turns += [(0.0, len(members) + place) for place in range(joining)]
    heapify(turns)
    given: dict[str, list[DealTask]] = {}
    kept: list[DealTask] = []
    while queue and able:
        ends, place = heappop(turns)
        task = queue.popleft()
        amount = members[0].amount(task)
        if place >= len(members):
            kept.append(task)
            heappush(turns, (ends + amount / speed, place))
            continue
        member = members[place]
        given.setdefault(member.address, []).append(task)
        rooms[place] -= amount
        if rooms[place] > 0:
            heappush(turns, (ends + amount / member.speed, place))
        else:
            able -= 1
    queue.extendleft(reversed(kept))
    return given
