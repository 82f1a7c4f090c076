"""What the watch over bot processes takes for a flood, and what honest bots send."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from beanleague.referee.bot_process import BotProcess
from beanleague.referee.processes import FloodWatch


@dataclass
class FakeSender:
    """What the watch looks at of a bot process: one with a connection to `socket`, both ends of which the test has."""

    socket: str
    messages: int = 0
    owed: int = 0
    found: int = 0
    stack: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        self.listener = self.stack.enter_context(socket.socket(socket.AF_UNIX))
        self.listener.bind(self.socket)
        self.listener.listen()
        self.connect()

    def connect(self) -> None:
        """Open a connection, in place of the last."""
        self.theirs = self.stack.enter_context(socket.socket(socket.AF_UNIX))
        self.theirs.connect(self.socket)
        self.ours = self.stack.enter_context(self.listener.accept()[0])

    def flooded(self) -> None:
        self.found += 1

    @contextmanager
    def flooding(self, size: int) -> Iterator[None]:
        """Send blocks of `size` bytes without end, which are read at once."""
        over = threading.Event()

        def send() -> None:
            with suppress(TimeoutError):
                while not over.is_set():
                    self.theirs.send(bytes(size))

        def read() -> None:
            with suppress(TimeoutError):
                while not over.is_set():
                    self.ours.recv(2**16)

        for end in (self.theirs, self.ours):
            end.settimeout(0.2)
        threads = [threading.Thread(target=run) for run in (send, read)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()


class Worker:
    """A flood watch, whose ticks are 40 ms apart, and for which gRPC takes `busy` of a CPU."""

    def __init__(self, senders: list[FakeSender], busy: float, watch_s: float = 0.005) -> None:
        self.now = 0.0
        self.senders = senders
        self.watch = FloodWatch(
            lambda: sum(sender.messages for sender in senders),
            others=lambda: self.now * busy,
            now=lambda: self.now,
            watch_s=watch_s,
        )

    def tick(self, times: int) -> None:
        for _ in range(times):
            self.now += 0.04
            self.watch.tick(cast("list[BotProcess]", self.senders))


@pytest.fixture
def senders(tmp_path: Path) -> Iterator[list[FakeSender]]:
    made = [FakeSender(str(tmp_path / str(number))) for number in range(3)]
    yield made
    for sender in made:
        sender.stack.close()


def test_an_endless_sender_is_detected_and_no_other_bot(senders: list[FakeSender]) -> None:
    # Watched for longer, as all is in one process here, which has to change threads.
    worker = Worker(senders, busy=0.9, watch_s=0.05)
    senders[2].owed = 3
    senders[2].theirs.send(bytes(200))
    with senders[1].flooding(30_000):
        worker.tick(52)
    assert senders[1].found
    assert senders[0].found == senders[2].found == 0


def test_nobody_is_watched_as_long_as_grpc_takes_little_time_or_as_much_as_its_messages_explain(
    senders: list[FakeSender],
) -> None:
    idle, busy = Worker(senders, busy=0.1), Worker(senders, busy=0.9)
    with senders[1].flooding(30_000):
        idle.tick(52)
        for _ in range(52):
            senders[0].messages += 40
            busy.tick(1)
    assert senders[1].found == 0


def test_pending_answers_may_arrive_while_others_flood(senders: list[FakeSender]) -> None:
    """Sixteen answers at once, each time that it is watched."""
    worker = Worker(senders, busy=0.9)
    senders[0].owed = 16
    for _ in range(52):
        senders[0].theirs.send(bytes(16 * 300))
        worker.tick(1)
        senders[0].ours.recv(2**16)
    assert senders[0].found == 0


def test_a_bot_that_keeps_reconnecting_is_detected(senders: list[FakeSender]) -> None:
    worker = Worker(senders, busy=0.9)
    for _ in range(52):
        senders[1].connect()
        worker.tick(1)
    assert senders[1].found
    assert senders[0].found == 0
