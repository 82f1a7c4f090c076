"""Clocks of bots whose process plays few or many matches at once: a host that takes no time, bots that do.

Time is a number here, so that a decision takes exactly as long as its bot thinks: what is charged beyond that is
charged for matches that wait. Times are sums of halves, quarters, ..., which floats add up exactly.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, cycle, permutations

import pytest

from beanleague import wire
from beanleague.model import PlayedMatch
from beanleague.referee.conversation import Conversation
from beanleague.referee.match import MatchInPlay
from beanleague.referee.messages import Limits, MatchTask, VoidMatch
from beanproto.v1 import referee_pb2 as pb
from tests.referee.helpers import task

LIMITS = Limits(move_ms=125, bank_ms=2_000, match_ms=60_000)
TICK_S = 1 / 32
ANSWERS = 5_000


@dataclass(eq=False)
class Process:
    """A bot's process: thinks `think` seconds about each decision, and about every third `overrun` more."""

    worker: Worker
    think: float
    overrun: float = 0.0
    free_at: float = 0.0
    starts: dict[int, pb.MatchStart] = field(default_factory=dict)
    banks: dict[int, list[int]] = field(default_factory=dict)
    """What was left in the bank at each request, in milliseconds, by the number of the match."""
    failed: bool = False
    """Whether an answer was a fault."""

    def __post_init__(self) -> None:
        now = self.worker.time
        self.conversation = Conversation(LIMITS, now, lambda: 0.0, lambda: None, lambda: None)
        self.conversation.read(pb.BotMessage(hello=pb.Hello(protocol=wire.PROTOCOL)))

    def work(self) -> None:
        """Take what is to be done, and plan when each answer comes."""
        while message := self.conversation.take():
            self.starts |= {start.match: start for start in message.starts}
            self.failed |= bool(message.faults)
            for request in message.requests:
                start = self.starts[request.match]
                self.banks.setdefault(request.match, []).append(request.bank_ms)
                view = wire.view_from_pb(request, wire.rules_from_pb(start), start.seat)
                move = pb.Move(match=request.match, decision=request.decision)
                wire.action_to_pb(view.default(), move)
                late = self.overrun if request.decision % 3 == 0 else 0.0
                self.free_at = max(self.free_at, self.worker.now) + self.think + late
                self.worker.plan(self.free_at, self, move)


class Worker:
    """A worker without processes: plays matches, `in_flight` at once, by a clock of its own."""

    def __init__(self, thinking: Iterable[tuple[float, float]], in_flight: int) -> None:
        self.now = 0.0
        self.in_flight = in_flight
        self.processes = [Process(self, *times) for times in thinking]
        self.results: dict[int, PlayedMatch] = {}
        self._answers: list[tuple[float, int, Process, pb.Move]] = []
        self._order = count()

    def time(self) -> float:
        return self.now

    def plan(self, at: float, process: Process, move: pb.Move) -> None:
        heapq.heappush(self._answers, (at, next(self._order), process, move))

    def play(self, tasks: Iterator[MatchTask], answers: int) -> None:
        """Play until so many answers have come."""
        started = 0
        for _ in range(answers):
            while started < len(self.results) + self.in_flight:
                self._start(next(tasks))
                started += 1
            for process in self.processes:
                process.work()
            self._go_on()

    def _start(self, asked: MatchTask) -> None:
        bots = [self.processes[number].conversation for number in asked.bots]

        def done(result: PlayedMatch | VoidMatch) -> None:
            assert isinstance(result, PlayedMatch)
            assert result.faults == ()  # else it took no time, and the next would begin at once
            self.results[result.id] = result

        MatchInPlay(asked, bots, [str(number) for number in asked.bots], LIMITS, done).start()

    def _go_on(self) -> None:
        """Let time pass until the next answer, and hand it over."""
        at, _, process, move = heapq.heappop(self._answers)
        while self.now + TICK_S < at:
            self.now += TICK_S
            for each in self.processes:
                each.conversation.tick()
        self.now = at
        process.conversation.read(pb.BotMessage(moves=[move]))


THINKERS = {
    "trivial": (0.0, 0.0),
    "half": (1 / 16, 0.0),
    "nearly": (7 / 64, 0.0),
    "too long now and then": (1 / 16, 3 / 32),
}


@pytest.fixture(scope="module", params=[16, 256])
def many(request: pytest.FixtureRequest) -> Worker:
    return played(request.param)


@pytest.fixture(scope="module")
def one() -> Worker:
    return played(1)


def played(in_flight: int) -> Worker:
    """Play matches of two, `in_flight` at once, each bot with every other."""
    worker = Worker(THINKERS.values(), in_flight)
    tables = permutations(range(len(THINKERS)), 2)
    worker.play((task(number, table, deal=number) for number, table in enumerate(cycle(tables))), ANSWERS)
    return worker


def test_no_bot_is_charged_for_matches_that_wait_in_its_own_process(many: Worker) -> None:
    for process in many.processes[:3]:
        assert {bank for banks in process.banks.values() for bank in banks} == {LIMITS.bank_ms}
    assert not any(process.failed for process in many.processes)


def test_a_bank_pays_the_same_for_the_same_decisions_however_many_matches_wait(one: Worker, many: Worker) -> None:
    same = 0
    for number, banks in many.processes[3].banks.items():
        alone = one.processes[3].banks.get(number, [])
        same += sum(a == b < LIMITS.bank_ms for a, b in zip(alone, banks, strict=False))
        assert all(a == b for a, b in zip(alone, banks, strict=False))
    assert same > 10
