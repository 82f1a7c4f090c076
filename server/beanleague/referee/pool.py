"""The pool of worker processes: takes tasks, returns results."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from contextlib import ExitStack
from multiprocessing.connection import wait
from types import TracebackType
from typing import Self

from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchResult, MatchTask, void_result
from beanleague.referee.orders import Setup
from beanleague.referee.sandbox.in_memory import held_in_memory
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import choose
from beanleague.referee.worker_process import GRACE_S, WorkerProcess

_START_PAUSES_S = (1.0, 4.0)  # between attempts to start a worker


class _Worker(WorkerProcess):
    """One worker process and the tasks it has not finished.

    Raises:
        OSError: if it cannot be started.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.tasks: dict[int, MatchTask] = {}


class WorkerPool:
    """Plays matches in worker processes. Use it from one thread only.

    `workers`: number of processes, usually one per core. `in_flight`: how many matches each plays at once. `fresh`:
    start new bot processes for each match, which have ended when its result is reported; this is slow. `isolate`:
    besides, hold all that bots read in memory. `layers`: of the sandbox, best first; the bots run under the first that
    works on this machine, or without one if none does and all bots are trusted; with `isolate` under bubblewrap.

    Raises:
        SandboxError: if no layer works, and not all bots are trusted; with `isolate`, if the machine cannot do that.
    """

    def __init__(
        self,
        bots: Sequence[BotSpec],
        limits: Limits,
        *,
        workers: int,
        in_flight: int,
        fresh: bool = False,
        isolate: bool = False,
        layers: Sequence[Layer] = CONFINING,
    ) -> None:
        with ExitStack() as opened:
            if isolate:
                sandbox, bots = opened.enter_context(held_in_memory(bots, limits))
            else:
                sandbox = choose(limits, trusted=all(bot.trusted for bot in bots), layers=layers)
            self.layer = sandbox.layer
            self._setup = Setup(tuple(bots), sandbox, in_flight, fresh or isolate)
            self._workers = [_Worker(self._setup) for _ in range(workers)]
            self._memory = opened.pop_all()

    @property
    def capacity(self) -> int:
        """How many matches the workers play at once."""
        return len(self._workers) * self._setup.in_flight

    def lanes(self, seats: int) -> int:
        """Return how many lanes to use for deals replayed `seats` times.

        The smallest multiple of the number of workers that gives every replay of a deal a lane of its own.
        """
        workers = len(self._workers)
        return -(-seats // workers) * workers

    def submit(self, task: MatchTask) -> None:
        """Send `task` to the worker of its lane."""
        worker = self._workers[task.lane % len(self._workers)]
        worker.tasks[task.id] = task
        with contextlib.suppress(OSError):  # it died: the next poll reports its tasks as void
            worker.connection.send(task)

    def poll(self, timeout: float) -> list[MatchResult | BotLog]:
        """Wait up to `timeout` seconds for a report, and return all that have come.

        A worker that died is replaced; its unfinished tasks come back as void results. With control groups, its bots
        have ended by then.

        Raises:
            OSError: if a worker cannot be started, after some waiting.
        """
        reports: list[MatchResult | BotLog] = []
        ready = wait([worker.connection for worker in self._workers], timeout)
        for index, worker in enumerate(self._workers):
            if worker.connection not in ready:
                continue
            try:
                while worker.connection.poll():
                    report = worker.connection.recv()
                    reports.append(report)
                    if isinstance(report, MatchResult):
                        worker.tasks.pop(report.id, None)
            except (EOFError, OSError):
                code = worker.popen.wait()
                worker.clean()
                why = f"the worker process ended with {code}"
                reports += [void_result(task, why) for task in worker.tasks.values()]
                self._workers[index] = self._start_patiently()
        return reports

    def _start_patiently(self) -> _Worker:
        for pause in _START_PAUSES_S:
            try:
                return _Worker(self._setup)
            except OSError:  # the host is short of something, which may pass
                time.sleep(pause)
        return _Worker(self._setup)

    def close(self) -> list[BotLog]:
        """End every bot and every worker; return what the bots wrote since the last poll."""
        for worker in self._workers:
            worker.stop()
        deadline = time.monotonic() + GRACE_S
        logs = [log for worker in self._workers for log in worker.end(deadline)]
        self._memory.close()
        return logs

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
