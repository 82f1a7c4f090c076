"""A table for a friendly: one match with a guest, in a worker process of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

from beanleague.referee.messages import BotSpec, GuestMessage, Limits, MatchResult, MatchTask
from beanleague.referee.orders import Setup
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import choose
from beanleague.referee.worker_process import GRACE_S, WorkerProcess

_POLL_INTERVAL_S = 0.5  # between looks whether the guest is still there


class Table:
    """Plays `task`, which has a guest's seat, with `bots` in the sandbox. `cpus`: see `Setup.cpus`.

    A process of its own, so that its end is the end of all its bots, whatever the guest does. `read` is for one thread,
    `send` for another, `leave` for all.

    Raises:
        OSError: if the worker cannot be started.
        SandboxError: if no layer works, and not all bots are trusted.
    """

    def __init__(
        self,
        bots: Sequence[BotSpec],
        limits: Limits,
        task: MatchTask,
        *,
        cpus: frozenset[int] = frozenset(),
        layers: Sequence[Layer] = CONFINING,
    ) -> None:
        sandbox = choose(limits, trusted=all(bot.trusted for bot in bots), layers=layers)
        self._worker = WorkerProcess(Setup(tuple(bots), sandbox, in_flight=1, fresh=False, cpus=cpus))
        self._left = threading.Event()
        self._sending = threading.Lock()
        self._worker.connection.send(task)

    def send(self, data: bytes) -> None:
        """Send a message of the guest to the referee, a serialised `BotMessage`.

        Raises:
            OSError: if the table has ended.
        """
        with self._sending:
            self._worker.connection.send(GuestMessage(data))

    def read(self) -> Iterator[bytes | MatchResult]:
        """Yield the referee's messages to the guest, each a serialised `RefereeMessage`, then the result.

        Ends without a result when the guest leaves. What the bots write is dropped.

        Raises:
            EOFError, OSError: if the worker died.
        """
        while not self._left.is_set():
            if not self._worker.connection.poll(_POLL_INTERVAL_S):
                continue
            report = self._worker.connection.recv()
            if isinstance(report, GuestMessage):
                yield report.data
            elif isinstance(report, MatchResult):
                yield report
                return

    def leave(self) -> None:
        """Note that the guest has left; `read` ends soon."""
        self._left.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the match, its bots and its worker, which kills them as soon as its connection is closed."""
        with self._sending:
            self._worker.connection.close()
        self._worker.end(time.monotonic() + GRACE_S)
