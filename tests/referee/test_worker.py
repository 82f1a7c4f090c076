"""A worker: how many matches it plays at once, guests without a clock, and bot processes in no match."""

import asyncio
import contextlib
import queue
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from beanleague.games.records.faults import FaultKind
from beanleague.model import PlayedMatch
from beanleague.referee import conversation, worker as worker_module
from beanleague.referee.bot_process import BotProcess
from beanleague.referee.conversation import ANSWER_TIMEOUT_S, GUEST_LIMITS, AskedSeat, BotFailedError, Guest
from beanleague.referee.host import default_in_flight
from beanleague.referee.messages import Limits, MatchTask
from beanleague.referee.orders import Setup
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.cgroups import ControlGroups
from beanleague.referee.sandbox.launch import make
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from beanleague.referee.worker import Outbox, Worker
from beanleague.wire import PROTOCOL
from beanproto.v1 import referee_pb2 as pb
from tests.processes import workers_of
from tests.referee.helpers import QUICK, bot, finish, starts_programs, task
from tests.waiting import until


def begun(in_flight: int, ends: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many matches have begun when 0, 1, ... `ends` have ended, with many waiting."""

    async def play() -> list[int]:
        outbox: Outbox = queue.SimpleQueue()
        worker = Worker(
            Setup((), make(Layer.PLAIN, Limits(), "", ControlGroups()), in_flight, fresh=False), Path(), outbox
        )
        waiting: list[asyncio.Event] = []

        @asynccontextmanager
        async def lend(_: MatchTask) -> AsyncIterator[list[BotProcess]]:
            waiting.append(asyncio.Event())
            await waiting[-1].wait()
            raise ValueError("a match ends")
            yield []

        monkeypatch.setattr(worker.processes, "lend", lend)
        for number in range(100):
            worker.receive(task(number, [0, 1]))
        counts = []
        for number in range(ends + 1):
            for _ in range(5):
                await asyncio.sleep(0)
            counts.append(len(waiting))
            waiting[number].set()
        for playing in worker._playing:
            playing.cancel()
        return counts

    return asyncio.run(play())


def test_few_matches_are_played_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(3, 2, monkeypatch) == [3, 4, 5]


def test_many_matches_begin_a_few_at_first_and_four_with_each_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(9, 4, monkeypatch) == [4, 8, 11, 12, 13]


def test_no_more_matches_are_played_at_once_when_they_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "LONG_S", 0.0)
    assert begun(30, 8, monkeypatch) == [4, 8, 12, 16, 20, 21, 22, 23, 24]


@pytest.mark.parametrize(
    ("processes", "mebibytes", "fresh", "matches"),
    [
        (6, 20_000, False, 96),
        (8, 400, False, 128),
        (300, 4800, False, 128),
        (300, 4799, False, 18),
        (300, 100, False, 16),
        (6, 20_000, True, 16),
    ],
)
def test_as_many_are_played_at_once_as_fill_messages_and_fit_into_memory(
    processes: int, mebibytes: int, fresh: bool, matches: int
) -> None:
    most = default_in_flight(seats=4, processes=processes, memory=mebibytes * 2**20, fresh=fresh)
    assert most == matches


HELLO = pb.BotMessage(hello=pb.Hello(protocol=PROTOCOL)).SerializeToString()


def with_guest(play: Callable[[Guest, AskedSeat], Awaitable[None]]) -> tuple[Guest, AskedSeat, list[bytes]]:
    """Ask a guest who has said hello, then `play`; return it, its seat, and what was sent to it."""
    sent: list[bytes] = []

    async def run() -> tuple[Guest, AskedSeat, list[bytes]]:
        guest, seat = (
            Guest(sent.append),
            AskedSeat("friendly", 0.0, GUEST_LIMITS.match_ms / 1000, lambda: None, number=1),
        )
        guest.read(HELLO)
        await guest.until_ready(30)
        guest.conversation.ask(seat, 1)
        await asyncio.sleep(0.02)
        guest.tick()
        await play(guest, seat)
        return guest, seat, sent

    return asyncio.run(run())


async def nothing(guest: Guest, seat: AskedSeat) -> None:
    """Only wait."""


def test_a_guest_has_ten_minutes_for_a_decision() -> None:
    assert ANSWER_TIMEOUT_S == 600
    guest, seat, sent = with_guest(nothing)
    assert guest.conversation.failure is None
    assert seat.reply is None
    assert [message.requests[0].decision for message in map(pb.RefereeMessage.FromString, sent)] == [1]


def test_a_guest_that_is_waited_for_in_vain_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "ANSWER_TIMEOUT_S", 0.01)
    _, seat, _ = with_guest(nothing)
    assert isinstance(seat.reply, BotFailedError)
    assert seat.reply.kind is FaultKind.TIMEOUT
    assert "made no decision" in seat.reply.reason


def test_moves_that_nobody_asked_for_do_not_prolong_the_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "ANSWER_TIMEOUT_S", 0.05)

    async def pester(guest: Guest, seat: AskedSeat) -> None:
        while not seat.reply:
            guest.read(pb.BotMessage(moves=[pb.Move(match=1, decision=7)]).SerializeToString())
            await asyncio.sleep(0.01)
            guest.tick()

    _, seat, _ = with_guest(pester)
    assert isinstance(seat.reply, BotFailedError)
    assert seat.reply.kind is FaultKind.TIMEOUT


def test_a_guest_that_says_nothing_has_failed() -> None:
    async def run() -> Guest:
        guest = Guest(lambda _: None)
        await guest.until_ready(0.01)
        return guest

    failure = asyncio.run(run()).conversation.failure
    assert failure is not None
    assert "sent no hello" in failure.reason


def test_a_message_that_cannot_be_read_is_the_last() -> None:
    async def garble(guest: Guest, seat: AskedSeat) -> None:
        guest.read(b"\xff\xff")
        guest.read(pb.BotMessage(moves=[pb.Move(match=1, decision=1)]).SerializeToString())

    _, seat, _ = with_guest(garble)
    assert isinstance(seat.reply, BotFailedError)
    assert seat.reply.kind is FaultKind.MALFORMED


LIMITS = replace(QUICK, connect_ms=10_000)
NAMES = {0: "works_without_end", 1: "plays_well"}


@pytest.fixture(params=[*CONFINING, Layer.PLAIN])
def layer(request: pytest.FixtureRequest) -> Layer:
    layer: Layer = request.param
    if layer in CONFINING and (why := examine(layer, LIMITS).why_not):
        pytest.skip(why)
    return layer


@pytest.fixture
def pool(layer: Layer) -> Iterator[WorkerPool]:
    """A pool with one worker under a layer, of two bots; one works for ever, in a program too where it may."""
    specs = [bot(number, name) for number, name in NAMES.items()]
    with WorkerPool(specs, LIMITS, workers=1, in_flight=1, layers=[layer] if layer in CONFINING else []) as pool:
        yield pool


def processes_of_bots(pool: WorkerPool) -> list[psutil.Process]:
    """Return those that run files of bots, without ours around them."""
    found = []
    for process in workers_of(pool)[0].children(recursive=True):
        words = process.cmdline()
        if any(name in word for name in NAMES.values() for word in words) and "launcher" not in " ".join(words):
            found.append(process)
    return found


def played(pool: WorkerPool, number: int) -> PlayedMatch:
    pool.submit(task(number, [0, 1], deal=number))
    return finish(pool, 1)[0][number]


def is_frozen(process: psutil.Process) -> bool:
    """Whether it is stopped, or its control group of version 2 is frozen."""
    own = Path(f"/proc/{process.pid}/cgroup").read_text().partition("0::/")[2].partition("\n")[0]
    events = Path("/sys/fs/cgroup", own, "cgroup.events")
    by_group = events.exists() and "frozen 1" in events.read_text()
    return by_group or process.status() == psutil.STATUS_STOPPED


def until_frozen(pool: WorkerPool) -> list[psutil.Process]:
    """Wait until all processes of bots are frozen, and return them."""
    until(lambda: all(map(is_frozen, processes_of_bots(pool))))
    return processes_of_bots(pool)


def out_of_reach(processes: list[psutil.Process], layer: Layer) -> list[psutil.Process]:
    """Return the processes that nobody ends with their worker: without a sandbox, those that left their session."""
    return [process for process in processes if layer is Layer.PLAIN and "-c" in process.cmdline()]


def used(processes: list[psutil.Process]) -> list[float]:
    return [sum(process.cpu_times()[:2]) for process in processes]


def test_who_is_in_no_match_gets_no_cpu_and_plays_the_next_one_as_if_no_time_had_passed(
    pool: WorkerPool, layer: Layer
) -> None:
    assert played(pool, 0).faults == ()
    frozen = until_frozen(pool)
    assert len(frozen) >= 2 + starts_programs(layer)
    kept_by_nothing = out_of_reach(frozen, layer)
    before = used(frozen)
    time.sleep(0.3)  # more than a bot has for a decision
    assert used(frozen) == before
    result = played(pool, 1)
    assert result.faults == ()
    assert {process.pid for process in until_frozen(pool)} == {process.pid for process in frozen}
    pool.close()
    for process in kept_by_nothing:  # a worker with too little time is killed before it has ended them
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    _, alive = psutil.wait_procs(frozen, timeout=60)
    assert alive == []


def test_who_is_frozen_ends_with_its_worker(pool: WorkerPool, layer: Layer) -> None:
    played(pool, 0)
    frozen = until_frozen(pool)
    kept_by_nothing = out_of_reach(frozen, layer)
    workers_of(pool)[0].kill()
    for process in kept_by_nothing:
        process.kill()
    _, alive = psutil.wait_procs(frozen, timeout=60)
    assert alive == []


def test_who_wakes_up_in_no_match_is_killed_and_forfeits_its_next_match(pool: WorkerPool) -> None:
    """No bot can wake itself: here somebody else continues it."""
    played(pool, 0)
    played(pool, 1)
    busy = [process for process in until_frozen(pool) if "works_without_end.py" in process.cmdline()]
    assert busy
    for process in busy:
        process.resume()
    _, alive = psutil.wait_procs(busy, timeout=60)
    assert alive == []
    first, second = played(pool, 2), played(pool, 3)
    (fault,) = first.faults
    assert (fault.seat, fault.kind, fault.forfeited) == (0, FaultKind.CRASH, True)
    assert "of CPU while not in a match" in fault.reason
    assert second.faults == ()
