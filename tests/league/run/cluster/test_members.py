"""How a pool shares deals among nodes that play in simulated time."""

import queue
import random
from collections import deque
from collections.abc import Mapping
from heapq import heappop, heappush

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.run.cluster.link import Came, Link, Message, NodeAnswered
from beanleague.league.run.cluster.members import Member, share_out
from beanleague.league.run.cluster.orders import Answer, Join, NodeJoined, Order, Play, Reports
from beanleague.league.run.cluster.playing import Reporting
from beanleague.league.run.cluster.pool import ClusterPool
from beanleague.model import Node, PlayedDeal
from beanleague.referee.messages import DealTask, Limits, MatchTask
from beanleague.referee.worker import FEW, LONG_S
from tests.league.run.cluster.test_pool import over

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

    def work(self, now: float) -> Reports | None:
        """Play until `now`, from a step before; return what it says."""
        results: list[PlayedDeal] = []
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
        return self._reporting.message(self.left, now)

    def _ended(self, number: int) -> list[PlayedDeal]:
        self._left[number] -= 1
        if self._left[number]:
            return []
        del self._left[number]
        self.played += 1
        return [over(_deal(number))]


class Simulation(Link):
    """A run of so many deals on nodes, by name. It is the link to them itself."""

    alive = True

    def __init__(self, deals: int, nodes: Mapping[str, SimulatedNode]) -> None:
        self.now = 0.0
        self.orders: list[tuple[str, Play]] = []
        self.inbox: queue.Queue[Message] = queue.Queue()
        self._left = deals
        self._nodes = nodes
        self._joins: list[tuple[float, str]] = []
        self._secrets: dict[str, bytes] = {}
        self._pool = ClusterPool(self, "tls://there", [], Limits(), {"workers": 1, "in_flight": None}, lambda: self.now)
        for name in nodes:
            self.inbox.put(Came(name))

    def send(self, address: str, secret: bytes, order: Order) -> None:
        """See `Link`."""
        self._secrets[address] = secret
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
            unfinished -= sum(isinstance(report, PlayedDeal) for report in self._pool.poll(0))
            self.now += _STEP_S
            while self._joins and self._joins[0][0] <= self.now:
                name = heappop(self._joins)[1]
                node = self._nodes[name]
                self._answer(name, NodeJoined(Node(name, "x", "1", "3"), node.workers, node.at_once))
            for name, node in self._nodes.items():
                if said := node.work(self.now):
                    self._answer(name, said)
        return self.now

    def _answer(self, name: str, answer: Answer) -> None:
        self.inbox.put(NodeAnswered(name, self._secrets[name], answer))


def _deal(number: int) -> DealTask:
    matches = (MatchTask(rotation, "dice", b"", (0,) * MATCHES, (b"",) * MATCHES) for rotation in range(MATCHES))
    return DealTask(number, tuple(matches), MATCHES)


SLOW_S, QUICK_S = 0.18, 0.005  # work of a match


@pytest.mark.parametrize(("deals", "faster"), [(24, 1.75), (60, 1.8), (200, 1.9)])
def test_two_nodes_that_join_one_after_the_other_are_nearly_twice_as_fast_as_one(deals: int, faster: float) -> None:
    """Even if all deals of a league are fewer than one of them plays at once."""
    first, second = SimulatedNode(match_s=SLOW_S), SimulatedNode(match_s=SLOW_S, joins_s=0.5)
    alone = Simulation(deals, {"a": SimulatedNode(match_s=SLOW_S)}).play()
    assert alone / Simulation(deals, {"a": first, "b": second}).play() > faster
    assert abs(first.played - second.played) <= 2


def test_a_node_that_never_joins_costs_nothing_in_the_end() -> None:
    alone = Simulation(60, {"a": SimulatedNode(match_s=SLOW_S)}).play()
    beside = Simulation(60, {"a": SimulatedNode(match_s=SLOW_S), "b": SimulatedNode(match_s=SLOW_S, joins_s=1e9)})
    assert beside.play() < 1.05 * alone


def test_a_node_that_joins_late_gets_its_share_of_what_is_left() -> None:
    first, late = SimulatedNode(match_s=SLOW_S), SimulatedNode(match_s=SLOW_S, joins_s=15.0)
    Simulation(100, {"a": first, "b": late}).play()
    assert late.played > 35


@pytest.mark.parametrize(("match_s", "at_once"), [(SLOW_S, LONG_S / SLOW_S), (QUICK_S, 128)])
def test_a_node_holds_some_seconds_of_play_beyond_what_it_plays_at_once(match_s: float, at_once: float) -> None:
    """So few deals of long matches, and many of short ones."""
    node = SimulatedNode(match_s=match_s)
    Simulation(10**6, {"a": node}).play(60.0)
    assert node.busy_s > 59
    assert 0 < (node.left - at_once) * match_s < 3


def test_nodes_of_which_one_is_slower_end_together() -> None:
    fast, slow = SimulatedNode(match_s=SLOW_S), SimulatedNode(match_s=2 * SLOW_S)
    seconds = Simulation(200, {"fast": fast, "slow": slow}).play()
    assert fast.busy_s + slow.busy_s > 1.9 * seconds


def test_deals_share_an_order_when_they_are_short() -> None:
    """An order a second suffices, however many deals are played in it."""
    node = SimulatedNode(match_s=QUICK_S)
    simulation = Simulation(10**6, {"a": node})
    simulation.play(20.0)
    assert node.played > 700
    assert len(simulation.orders) < 40


@pytest.mark.parametrize(("nodes", "workers"), [(30, 10), (3, 100), (100, 1)])
def test_all_workers_of_all_nodes_are_busy(nodes: int, workers: int) -> None:
    made = {str(each): SimulatedNode(match_s=0.5, workers=workers, at_once=workers) for each in range(nodes)}
    simulation = Simulation(10**6, made)
    simulation.play(6.0)
    before = sum(node.busy_s for node in made.values())
    simulation.play(14.0)
    assert sum(node.busy_s for node in made.values()) - before > 0.97 * 8.0 * nodes * workers


def test_a_deal_goes_to_the_node_that_would_be_the_first_to_have_nothing_to_play() -> None:
    slow, fast = (Member(name, isolate=False, at_once=20, rate=rate) for name, rate in (("slow", 1.0), ("fast", 3.0)))
    tasks = deque(DealTask(number, (MatchTask(0, "dice", b"", (0,), (b"",)),)) for number in range(12))
    given = share_out(tasks, [slow, fast], 0, 1.0)
    assert {name: len(deals) for name, deals in given.items()} == {"slow": 3, "fast": 9}


@pytest.mark.parametrize("isolate", [False, True])
def test_the_share_of_nodes_that_join_stays_in_the_queue(isolate: bool) -> None:
    member = Member("a", isolate, at_once=20, rate=10.0)
    match = MatchTask(0, "dice", b"", (0, 0), (b"", b""))
    tasks = deque(DealTask(number, (match, match)) for number in range(9))
    assert {name: len(deals) for name, deals in share_out(tasks, [member], 2, 1.0).items()} == {"a": 3}
    assert [task.number for task in tasks] == [1, 2, 4, 5, 7, 8]
