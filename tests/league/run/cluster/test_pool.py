"""What a pool sends to its nodes, and makes of their answers: without Dask."""

import queue
import zlib
from collections.abc import Sequence
from typing import Unpack

import pytest

from beanleague.league.errors import RunError
from beanleague.league.run.cluster import orders
from beanleague.league.run.cluster.answers import WrongAnswerError
from beanleague.league.run.cluster.link import Came, Gone, Link, Message, NodeAnswered
from beanleague.league.run.cluster.pool import ClusterPool
from beanleague.model import Node, PlayedDeal, PlayedMatch, SeatResult
from beanleague.referee.messages import DealReport, DealTask, Limits, MatchTask, PoolSettings, VoidDeal


class FakeLink(Link):
    """Keeps what is sent."""

    alive = True

    def __init__(self) -> None:
        self.inbox: queue.Queue[Message] = queue.Queue()
        self.sent: list[tuple[str, orders.Order]] = []
        self.secrets: dict[str, bytes] = {}

    def send(self, address: str, secret: bytes, order: orders.Order) -> None:
        self.sent.append((address, order))
        self.secrets[address] = secret

    def forget(self, address: str) -> None:
        pass

    def close(self) -> None:
        self.alive = False


class Table:
    """A pool, what it sends, and a clock."""

    def __init__(self, **settings: Unpack[PoolSettings]) -> None:
        self.now = 0.0
        self.link = FakeLink()
        self.pool = ClusterPool(self.link, "tls://there", [], Limits(), settings, lambda: self.now)

    def says(self, *messages: Message) -> list[DealReport]:
        """Let these messages come; return the reports."""
        for message in messages:
            self.link.inbox.put(message)
        reports = self.pool.poll(0)
        self.pool.poll(0)
        return reports

    def answers(self, address: str, answer: orders.Answer | WrongAnswerError) -> list[DealReport]:
        return self.says(NodeAnswered(address, self.link.secrets[address], answer))

    def joins(self, name: str, at_once: int = 4, cpu: str = "x") -> None:
        self.says(Came(name))
        self.answers(name, orders.NodeJoined(Node(name, cpu, "1", "3"), 1, at_once))

    def begin(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self.pool.submit(deal(number))
        self.pool.poll(0)

    def ends(self, address: str, *numbers: int) -> list[DealReport]:
        return self.answers(address, orders.Reports([over(deal(number)) for number in numbers]))

    @property
    def plays(self) -> list[tuple[str, list[int]]]:
        """The deals of each order to play."""
        sent = self.link.sent
        return [(node, [task.number for task in order.tasks]) for node, order in sent if isinstance(order, orders.Play)]


def deal(number: int) -> DealTask:
    return DealTask(
        number, (MatchTask(0, "dice", b"", (0, 1), (b"", b"")), MatchTask(1, "dice", b"", (1, 0), (b"", b"")))
    )


RECORD = zlib.compress(b"")


def over(task: DealTask) -> PlayedDeal:
    """Return the result of a deal in which all seats tie."""
    matches = (
        PlayedMatch(rotation, RECORD, tuple(SeatResult(bot, 0, 1, 0, 0, forfeited=False) for bot in match.bots))
        for rotation, match in enumerate(task.matches)
    )
    return PlayedDeal(task.number, b"", tuple(matches))


def test_deals_are_given_evenly_to_the_nodes() -> None:
    table = Table(workers=1, in_flight=4)
    table.joins("a")
    table.joins("b")
    table.begin(range(4))
    assert table.plays == [("a", [0, 2]), ("b", [1, 3])]


def test_a_node_that_comes_late_gets_deals() -> None:
    table = Table(workers=1, in_flight=4)
    table.joins("a")
    table.begin(range(20))
    table.joins("b")
    table.begin(range(20, 22))
    assert {node for node, _ in table.plays} == {"a", "b"}


def test_deals_of_a_lost_node_are_void_but_did_not_fail() -> None:
    table = Table(workers=1, in_flight=4)
    table.joins("a")
    table.begin([1, 2])
    reports = table.says(Gone("a"))
    assert [(report.number, report.why, report.lost) for report in reports if isinstance(report, VoidDeal)] == [
        (1, "the node was lost", True),
        (2, "the node was lost", True),
    ]
    assert (table.pool.unfinished, table.pool.capacity, dict(table.pool.nodes)) == (0, 0, {})
    assert "no node is connected to tls://there" in table.pool.remarks[0]


def test_a_late_answer_of_a_lost_node_counts_for_nothing() -> None:
    table = Table(workers=1, in_flight=4)
    table.joins("a")
    table.begin([1])
    table.says(Gone("a"))
    assert table.ends("a", 1) == []


def test_deals_of_a_node_whose_pool_broke_failed() -> None:
    table = Table(workers=1, in_flight=4)
    table.joins("a")
    table.begin([1])
    (report,) = table.answers("a", orders.Broken("no memory"))
    assert isinstance(report, VoidDeal)
    assert (report.why, report.host, report.lost) == ("no memory", True, False)


def test_a_node_that_cannot_begin_gives_its_deals_to_others_and_is_asked_again_later() -> None:
    table = Table(workers=1, in_flight=4)
    table.joins("a")
    table.begin([1, 2])
    assert table.answers("a", orders.NodeRefused("too few files", "a", passing=True)) == []
    assert table.pool.remarks == ("no node can be used: the run waits", "node a is not used: too few files")
    table.joins("b")
    assert table.plays[-1] == ("b", [1, 2])
    table.now += 31
    table.begin(range(10, 20))
    assert "a" in {node for node, _ in table.plays[2:]}
    assert not table.pool.remarks


def test_a_node_that_is_not_used_gets_nothing_for_a_late_answer() -> None:
    table = Table(workers=1, in_flight=4)
    table.joins("a")
    table.begin([1])
    table.answers("a", orders.NodeRefused("it cannot read the deals", "a"))
    assert table.ends("a", 1) == []
    table.begin([2])
    assert table.plays == [("a", [1])]
    assert table.pool.capacity == 0
    table.joins("b")
    assert table.plays[1:] == [("b", [1, 2])]


@pytest.mark.parametrize(("cpu", "plays"), [("", "a"), ("x", "a"), ("y", "b")])
def test_a_league_of_one_cpu_is_played_on_this_model_alone(cpu: str, plays: str) -> None:
    """On that of the first node, if none is named."""
    table = Table(workers=1, in_flight=4, cpu=cpu)
    table.joins("a", cpu="x")
    table.joins("b", cpu="y")
    table.begin(range(10))
    assert {node for node, _ in table.plays} == {plays}
    assert len(table.pool.remarks) == 1
    assert "but this league is played only on" in table.pool.remarks[0]


@pytest.mark.parametrize("played", [False, True])
def test_a_model_that_was_taken_by_the_first_node_is_kept_once_a_deal_was_played_on_it(played: bool) -> None:
    table = Table(workers=1, in_flight=4, cpu="")
    table.joins("a", cpu="x")
    table.joins("b", cpu="y")
    table.joins("c", cpu="z")
    table.begin([1, 2])
    if played:
        table.ends("a", 1)
    table.says(Gone("a"))
    table.begin([3])
    assert {node for node, _ in table.plays} == ({"a"} if played else {"a", "b"})
    assert len(table.pool.remarks) == (3 if played else 1)


def test_nodes_join_a_few_at_a_time() -> None:
    table = Table(workers=1, in_flight=4)
    table.says(*(Came(str(number)) for number in range(100)))
    assert len([order for _, order in table.link.sent if isinstance(order, orders.Join)]) == 16
    table.answers("3", orders.NodeJoined(Node("3", "x", "1", "3"), 1, 4))
    assert len([order for _, order in table.link.sent if isinstance(order, orders.Join)]) == 17
    table.now += 11
    table.pool.poll(0)
    assert len([order for _, order in table.link.sent if isinstance(order, orders.Join)]) == 33


def test_a_run_whose_scheduler_has_gone_ends() -> None:
    table = Table(workers=1, in_flight=4)
    table.link.alive = False
    with pytest.raises(RunError, match="the connection to the scheduler tls://there was lost"):
        table.pool.poll(0)
