"""What a node can do to a run whose members it may attack: nothing but lose its deals."""

import os
import pickle
import random
import socket
import zlib
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from distributed import Client

from beanleague.games.records.record import MAX_BYTES
from beanleague.league.run.cluster import orders
from beanleague.league.run.cluster.answers import WrongAnswerError, answer_from_bytes, answer_to_bytes
from beanleague.league.run.cluster.link import Came, Link, NodeAnswered
from beanleague.league.run.cluster.settings import ClusterSettings
from beanleague.model import Fault, Node, PlayedDeal, TradeFlow
from beanleague.referee.messages import BotLog, VoidDeal, WorkerCounts
from tests.league.run.cluster.processes import scheduler
from tests.league.run.cluster.test_pool import Table, deal, over

HONEST = over(deal(1))
FIRST, SECOND = HONEST.matches
SEAT = FIRST.seats[0]


def with_seat(**changed: object) -> PlayedDeal:
    """The deal with a changed seat."""
    return with_match(seats=(replace(SEAT, **changed), FIRST.seats[1]))  # type: ignore[arg-type]


def with_match(**changed: object) -> PlayedDeal:
    """The deal with a changed first match."""
    return replace(HONEST, matches=(replace(FIRST, **changed), SECOND))  # type: ignore[arg-type]


def flow(giver: int, receiver: int, trades: int = 1) -> TradeFlow:
    return TradeFlow(giver, receiver, trades, 1, 0, 100)


def fault(seat: int, *, reason: str = "late", forfeited: bool = False) -> Fault:
    return Fault(seat, 0, "timeout", reason, forfeited)


LIES: dict[str, PlayedDeal] = {
    "a rotation is missing": replace(HONEST, matches=(FIRST,)),
    "a rotation too many": replace(HONEST, matches=(FIRST, SECOND, FIRST)),
    "rotations in another order": replace(HONEST, matches=(SECOND, FIRST)),
    "nothing was played": replace(HONEST, matches=()),
    "seats of somebody else": with_seat(entrant=7),
    "no seats": with_match(seats=()),
    "two winners and a third": with_seat(place=3),
    "place 0": with_seat(place=0),
    "a place below 0": with_seat(place=-1),
    "faults that are not there": with_seat(faults=1),
    "faults that are hidden": with_match(faults=(fault(0),)),
    "a forfeit without a fault": with_seat(forfeited=True),
    "a fault of no seat": with_match(faults=(fault(2),)),
    "a fault with a book": with_match(faults=(fault(0, reason="x" * 2**18),), seats=(replace(SEAT, faults=1), SEAT)),
    "decisions below 0": with_seat(decisions=-1),
    "trades of nobody": with_match(flows=(flow(0, 2),)),
    "trades with oneself": with_match(flows=(flow(0, 0),)),
    "trades told twice": with_match(flows=(flow(0, 1), flow(0, 1))),
    "trades below 0": with_match(flows=(flow(0, 1, -1),)),
    "a layer of its own": with_match(layer="\x1b[2Jnone"),
    "no record": with_match(record=b""),
    "a record that is damaged": with_match(record=b"x" * 100),
    "a record with more behind it": with_match(record=FIRST.record + b"x"),
    "a record that unpacks to gigabytes": with_match(record=zlib.compress(bytes(MAX_BYTES + 1), 1)),
    "a record that is large": with_match(record=random.Random(0).randbytes(2**20 + 1)),
}


@pytest.fixture
def table() -> Table:
    """Two nodes, of which "a" has the deal 1 and "b" the deal 2."""
    table = Table(workers=1, in_flight=4)
    table.joins("a")
    table.joins("b")
    table.begin([1, 2])
    assert table.plays == [("a", [1]), ("b", [2])]
    return table


def sent(answer: orders.Answer) -> orders.Answer:
    """Return an answer as the run reads it."""
    return answer_from_bytes(answer_to_bytes(answer))


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_a_result_that_cannot_be_loses_its_node_and_is_played_elsewhere(lie: PlayedDeal, table: Table) -> None:
    assert table.answers("a", sent(orders.Reports([lie]))) == []
    assert "node a is no longer used: it answered" in " ".join(table.pool.remarks)
    assert dict(table.pool.nodes) == {Node("b", "x", "1", "3"): 1}
    assert table.plays[2:] == [("b", [1])]
    assert table.answers("a", sent(orders.Reports([HONEST]))) == []
    assert {report.number for report in table.ends("b", 1, 2) if isinstance(report, PlayedDeal)} == {1, 2}


STRANGE: dict[str, orders.Answer | WrongAnswerError] = {
    "a log of no bot": orders.Reports([BotLog(7, 0, "beans")]),
    "a bot killed that did not play": orders.Reports([VoidDeal(1, "killed", killed=7)]),
    "matches below 0": orders.Reports([HONEST], -1),
    "a delay that is no number": orders.Reports([HONEST], 0, WorkerCounts(float("nan"), 0, 0, 0)),
    "too many messages": orders.Reports([HONEST], 0, WorkerCounts(0.0, 2**62, 0, 0)),
    "bots that it was not asked for": orders.Lacking(()),
    "a join that it was not asked for": orders.NodeJoined(Node("again", "y", "1", "3"), 1, 4),
    "a pickle": WrongAnswerError("a pickle"),
}


@pytest.mark.parametrize("answer", STRANGE.values(), ids=STRANGE.keys())
def test_an_answer_that_cannot_be_loses_its_node(answer: orders.Answer | WrongAnswerError, table: Table) -> None:
    assert table.answers("a", answer) == []
    assert "node a is no longer used: it answered" in " ".join(table.pool.remarks)
    assert dict(table.pool.nodes) == {Node("b", "x", "1", "3"): 1}


def test_a_node_that_cannot_begin_before_it_has_joined_is_not_used() -> None:
    table = Table(workers=1, in_flight=4)
    table.says(Came("a"))
    table.answers("a", orders.NodeRefused("later", "a", passing=True))
    table.now += 31
    table.begin([1])
    assert table.plays == []


def test_a_bot_that_is_killed_for_ever_loses_its_node(table: Table) -> None:
    """Who killed it is looked for a few times; then its matches are not void for that."""
    task = deal(3)
    unforgiven = replace(task, matches=tuple(replace(match, unforgiven=frozenset({0, 1})) for match in task.matches))
    table.ends("a", 1)
    table.pool.submit(unforgiven)
    table.pool.poll(0)
    assert table.plays[2:] == [("a", [3])]
    assert table.answers("a", sent(orders.Reports([VoidDeal(3, "somebody killed a bot", killed=1)]))) == []
    assert table.plays[3:] == [("b", [3])]


@pytest.mark.parametrize(
    "answer", [orders.Reports([VoidDeal(1, "no reason")]), orders.Broken("no reason")], ids=["void", "broken"]
)
def test_a_node_where_a_deal_fails_does_not_get_it_again_while_there_are_others(
    answer: orders.Answer, table: Table
) -> None:
    """Three times in a row would end the run."""
    assert [report.number for report in table.answers("a", answer) if isinstance(report, VoidDeal)] == [1]
    assert "node a is not used for 30 s: no reason" in table.pool.remarks
    table.begin([1])
    assert table.plays[2:] == [("b", [1])]
    table.now += 31
    table.begin([3, 4])
    assert "a" in {node for node, _ in table.plays[3:]}


def test_a_node_that_rests_and_is_then_wrong_is_not_used_again(table: Table) -> None:
    table.answers("a", orders.Reports([VoidDeal(1, "no reason")]))
    table.answers("a", WrongAnswerError("a pickle"))
    table.now += 31
    table.begin([3, 4, 5])
    assert {node for node, _ in table.plays[1:]} == {"b"}


@pytest.mark.parametrize("digests", [("../../etc",), ("a" * 64,)])
def test_a_node_gets_no_files_but_bots(digests: tuple[str, ...]) -> None:
    table = Table(workers=1, in_flight=4)
    table.says(Came("a"))
    table.answers("a", sent(orders.Lacking(digests)))
    assert [type(order) for _, order in table.link.sent] == [orders.Join]
    assert "is no longer used" in table.pool.remarks[0] + table.pool.remarks[1]


@pytest.mark.parametrize("secret", [b"", bytes(16)])
def test_nobody_answers_in_the_name_of_another(secret: bytes, table: Table) -> None:
    assert table.says(NodeAnswered("b", secret, orders.Reports([over(deal(2))]))) == []
    assert table.says(NodeAnswered("b", table.link.secrets["a"], orders.Reports([over(deal(2))]))) == []
    assert "an answer sent in the name of a node was forged and ignored" in table.pool.remarks
    assert [report.number for report in table.ends("b", 2) if isinstance(report, PlayedDeal)] == [2]


def test_each_node_has_a_secret_of_its_own(table: Table) -> None:
    first, second = table.link.secrets.values()
    assert first != second
    assert len(first) == 16


def test_so_many_nodes_that_there_cannot_be_are_left_out() -> None:
    table = Table(workers=1, in_flight=4)
    table.says(*(Came(str(number)) for number in range(10_050)))
    table.now += 11
    for _ in range(700):
        table.now += 11
        table.pool.poll(0)
    assert len(table.link.secrets) == 10_000


@pytest.mark.parametrize(
    "answer",
    [
        orders.Lacking(("a" * 64,)),
        orders.NodeJoined(Node("n", "cpu", "1", "3"), 2, 8),
        orders.NodeRefused("why", "n", passing=True),
        orders.Broken("why"),
        orders.Left(),
        orders.Reports(
            [BotLog(1, 2, "beans\n"), HONEST, VoidDeal(2, "why", 1, host=True)], 3, WorkerCounts(1.5, 2, 3, 4, 5)
        ),
        orders.Reports([with_match(faults=(fault(0, forfeited=True),), flows=(flow(0, 1),), layer="bubblewrap")]),
    ],
    ids=["lacking", "joined", "refused", "broken", "left", "reports", "faults and trades"],
)
def test_an_answer_of_a_node_is_read_back_unchanged(answer: orders.Answer) -> None:
    assert sent(answer) == answer


def strings(value: object) -> list[str]:
    """All texts in a value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for each in value for text in strings(each)]
    if is_dataclass(value):
        return [text for field in fields(value) for text in strings(getattr(value, field.name))]
    return []


def test_a_node_controls_no_terminal() -> None:
    hostile = "a\x1b]0;owned\x07\n\u202eb" + "x" * 5_000
    for answer in (
        orders.NodeJoined(Node(hostile, hostile, hostile, hostile), 1, 1),
        orders.NodeRefused(hostile, hostile),
        orders.Broken(hostile),
        orders.Reports([VoidDeal(1, hostile)]),
    ):
        words = strings(sent(answer))
        assert all(word.isprintable() and len(word) <= 1_000 for word in words)


def test_malformed_answers_are_wrong_answers() -> None:
    chance = random.Random(0)
    whole = answer_to_bytes(orders.Reports([HONEST, BotLog(1, 2, "beans")], 3))
    for data in (
        b"",
        pickle.dumps(os.getcwd),
        *(chance.randbytes(chance.randrange(1, 60)) for _ in range(500)),
        *(whole[:place] + bytes([chance.randrange(256)]) + whole[place + 1 :] for place in range(len(whole))),
    ):
        with suppress(WrongAnswerError):
            answer_from_bytes(data)


ATTACK = """
import os, socket
found = []
def attempt(what, do):
    try:
        do()
    except Exception:
        return
    found.append(what)
attempt("variables", lambda: os.environ["BEANLEAGUE_TOKEN"])
attempt("the database", lambda: open({file!r}).read())
attempt("a new file", lambda: open({file!r} + ".new", "w"))
attempt("memory of the run", lambda: open(f"/proc/{{os.getppid()}}/mem", "rb"))
attempt("variables of the run", lambda: open(f"/proc/{{os.getppid()}}/environ"))
attempt("a service", lambda: socket.socket(socket.AF_UNIX).connect({service!r}))
attempt("another port", lambda: socket.create_connection(("127.0.0.1", {port})))
attempt("a thread that is not confined", lambda: [
    thread for thread in os.listdir("/proc/self/task")
    if "Seccomp:\\t2" not in open(f"/proc/self/task/{{thread}}/status").read()
][0])
attempt("a signal", lambda: os.kill(os.getppid(), 0))
found = "reached: " + ", ".join(found)
"""
RUN_IT = "[g := {{}}, exec({0!r}, g)] and g['found']"
TO_MEMBERS = "type('Hostile', (), {{'__reduce__': lambda self: (eval, ({0!r},))}})()"
"""What the scheduler makes of it, and passes on."""


class Hostile:
    """A value that runs a program wherever it is unpickled: first in the scheduler."""

    def __init__(self, program: str) -> None:
        self._program = TO_MEMBERS.format(RUN_IT.format(program))

    def __reduce__(self) -> tuple[object, ...]:
        return eval, (self._program,)


def test_a_program_in_the_messenger_process_reaches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEANLEAGUE_TOKEN", "secret")
    file, service = tmp_path / "a.db", tmp_path / "service"
    file.write_text("the master secret")
    with scheduler() as address, socket.create_server(("127.0.0.1", 0)) as other, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(service))
        unix.listen()
        program = ATTACK.format(file=str(file), service=str(service), port=other.getsockname()[1])
        link = Link(ClusterSettings(address))
        try:
            with Client(address, set_as_default=False) as node:
                event = {"action": "add-worker", "worker": Hostile(program)}
                node.sync(node.scheduler.log_event, topic="all", msg=event)
                came = link.inbox.get(timeout=60)
        finally:
            link.close()
    assert isinstance(came, Came)
    assert came.address.startswith("reached: ")
    reached = {each for each in came.address.removeprefix("reached: ").split(", ") if each}
    release = tuple(map(int, os.uname().release.split(".")[:2]))
    older = {"another port"} if release < (6, 7) else set()
    assert reached <= (older | {"a signal"} if release < (6, 12) else set())
