"""The nodes of a run: what each of them plays, how fast, and which of them gets which deal."""

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from beanleague.model import Node
from beanleague.referee.messages import DealTask
from beanleague.referee.worker import FEW, LONG_S

_ORDERS_PER_S = 100  # to all nodes together; Dask's scheduler takes some ms for each
_START_DEPTH = 1 / 4  # of what it plays at once, until its speed is known; then it follows from that
_FIRST_RATE_S = 0.5
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
    secret: bytes = field(default=b"", repr=False)
    """What its answers carry, and nobody else knows."""
    asked: bool = False
    """Whether it was asked to join, and has not answered."""
    lacked: bool = False
    """Whether it has said which bots it lacks."""
    rests: bool = False
    """Whether it gets no deals for a while."""
    wrong: bool = False
    """Whether it answered what cannot be: then no answer of it counts."""
    node: Node | None = None
    """What it is, once it is known."""
    workers: int = 0
    """Its worker processes; 0 until it can play."""
    at_once: int = 0
    """How much its workers may play at once."""
    deals: dict[int, DealTask] = field(default_factory=dict)
    """What it has to play, by number."""
    played: bool = False
    """Whether it ever got a deal."""
    partial: int = 0
    """Matches that are over, of deals that are not."""
    rate: float = 0.0
    """What it plays in a second; 0 until that is known."""
    _given: int = 0  # amount of `deals`
    _deal: int = 1  # amount of a deal
    _since: float | None = None  # since its speed was measured, or bots had started
    _done: int = 0  # since then

    @property
    def load(self) -> int:
        """Amount of what it has to play and that is not over."""
        return self._given if self.isolate else self._given - self.partial

    @property
    def speed(self) -> float:
        """Return how fast it plays beside others, as it seems."""
        return self.rate or self.in_play

    @property
    def in_play(self) -> int:
        """Return how much it plays at once, as its workers decide it by how long matches take."""
        known = max(FEW * self.workers, math.ceil(LONG_S * self.rate))
        return self.at_once if self.isolate else min(self.at_once, known)

    def target(self, interval_s: float) -> int:
        """Return how much it should have to play, when it gets more every `interval_s` seconds.

        That is what it plays at once, and some seconds of play beyond. More could be played by nobody else.
        """
        beyond = math.ceil(2 * interval_s * self.rate)
        if self.isolate:
            return max(self.at_once, 2, beyond)
        return self.in_play + max(beyond if self.rate else math.ceil(_START_DEPTH * self.in_play), self._deal)

    def room(self, interval_s: float) -> int:
        """Return how much more it should get now; 0 while that is too little for an order."""
        target = self.target(interval_s)
        enough = min(self.rate * interval_s, target / 4)
        room = target - self.load
        return room if room >= max(enough, 1) or not self.load else 0

    def give(self, task: DealTask) -> None:
        """Take in that it was sent a deal."""
        self.played = True
        self.deals[task.number] = task
        self._deal = self.amount(task)
        self._given += self._deal

    def take(self, numbers: Iterable[int], partial: int, now: float) -> list[DealTask]:
        """Take in which deals are over, and `partial`; return these deals, without those that it did not have."""
        before = self.load
        tasks = [self.deals.pop(number) for number in numbers if number in self.deals]
        self._given -= sum(map(self.amount, tasks))
        self.partial = partial if self.deals else 0
        self._measure(before - self.load, now)
        return tasks

    def _measure(self, done: int, now: float) -> None:
        """Count what is over. Matches that began together end together, so its speed shows when all of them are."""
        if self._since is None:
            self._since, self._done = now, 0
            return
        self._done += done
        seconds = now - self._since
        if self._done >= self.in_play and seconds >= (_RATE_WINDOW_S if self.rate else _FIRST_RATE_S):
            self.rate = self._done / seconds
            self._since, self._done = now, 0

    def drop(self) -> list[DealTask]:
        """Take in that it plays nothing any more; return what it had."""
        tasks = list(self.deals.values())
        self.deals.clear()
        self._given = self.partial = 0
        return tasks

    def amount(self, task: DealTask) -> int:
        """Return how much a deal is."""
        return 1 if self.isolate else len(task.matches)


def share_out(
    queue: deque[DealTask], members: Sequence[Member], joining: int, interval_s: float
) -> dict[str, list[DealTask]]:
    """Take deals from `queue` for those `members` that have room, and return them by address.

    Each deal goes to the node that would be the first to have nothing to play, so that few deals are played in as short
    a time as possible, by all. The share of nodes that are `joining` stays in the queue. `interval_s`: between orders.
    """
    rooms = [member.room(interval_s) for member in members]
    speed = math.fsum(member.speed for member in members) / max(len(members), 1)
    # When it has nothing to play, and its place in `members`; those that join come last.
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
