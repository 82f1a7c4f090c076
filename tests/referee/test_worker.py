"""A worker: how many matches it plays at once."""

import asyncio
import queue
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from beanleague.referee import worker as worker_module
from beanleague.referee.bot_process import BotProcess
from beanleague.referee.host import default_in_flight
from beanleague.referee.messages import Limits, MatchTask
from beanleague.referee.orders import Setup
from beanleague.referee.sandbox.cgroups import ControlGroups
from beanleague.referee.sandbox.launch import make
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.worker import Outbox, Worker
from tests.referee.helpers import task


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
        (300, 20_480, False, 128),
        (300, 3200, False, 20),
        (300, 100, False, 16),
        (6, 20_000, True, 16),
    ],
)
def test_as_many_are_played_at_once_as_fill_messages_and_fit_into_memory(
    processes: int, mebibytes: int, fresh: bool, matches: int
) -> None:
    most = default_in_flight(seats=4, processes=processes, memory=mebibytes * 2**20, fresh=fresh)
    assert most == matches
