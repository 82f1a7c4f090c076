"""Worker processes, as seen by their parent: a pool of workers, and a single one for a friendly match."""

import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait

from beanleague.interpreter import python
from beanleague.model import PlayedMatch
from beanleague.referee.host import MOST_PROCESSES
from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchReport, MatchTask, VoidMatch
from beanleague.referee.orders import Admit, GuestMessage, Setup, StopWorker
from beanleague.referee.sandbox.in_memory import held_in_memory
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import choose
from beanleague.referee.temp_folders import TempFolder

_GRACE_S = 1.0  # time for workers to end their bots before they are killed
_BOTS_TIMEOUT_S = 10.0  # time for the kernel to end the bots of an ended worker
_END_POLL_INTERVAL_S = 0.02  # polling interval while killed processes end
_START_PAUSES_S = (1.0, 4.0)  # pauses between attempts to start a worker
_GUEST_POLL_INTERVAL_S = 0.5  # interval of checking whether the guest is still there


class _Worker:
    """A running worker process: the `connection` to it, and its unfinished `tasks`.

    Raises:
        OSError: if the process cannot be started.
    """

    def __init__(self, setup: Setup) -> None:
        self._groups = setup.sandbox.groups
        self._folder = TempFolder()
        try:
            ours, theirs = socket.socketpair()
            with theirs:
                self.popen = subprocess.Popen(
                    python("-m", "beanleague.referee.worker", str(theirs.fileno()), str(self._folder.path)),
                    pass_fds=(theirs.fileno(),),
                    env={"GRPC_VERBOSITY": "NONE", **os.environ},  # results carry the relevant parts of gRPC's log
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                )
        except OSError:
            self._folder.close()
            raise
        self.tasks: dict[int, MatchTask] = {}
        self.connection = Connection(ours.detach())
        self.connection.send(setup)

    def stop(self) -> None:
        """Order the worker to end its bots and exit."""
        with suppress(OSError):
            self.connection.send(StopWorker())

    def end(self, deadline: float) -> list[BotLog]:
        """Wait for the worker's end, and kill it after `deadline` (`time.monotonic`); return the bots' last output."""
        logs: list[BotLog] = []
        with suppress(EOFError, OSError):
            while self.connection.poll(max(deadline - time.monotonic(), 0)):
                report = self.connection.recv()
                if isinstance(report, BotLog):
                    logs.append(report)
        self.connection.close()  # a worker that still runs notices the closed connection, kills its bots and ends
        try:
            self.popen.wait(max(deadline - time.monotonic(), 0.2))
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
        self.clean()
        return logs

    def clean(self) -> None:
        """Remove the worker's folder, and its control groups once their bots have ended.

        Without cgroups the worker's bots cannot be listed; some may still be exiting.
        """
        self._folder.close()
        deadline = time.monotonic() + _BOTS_TIMEOUT_S
        while not self._groups.remove(self._folder.path.name) and time.monotonic() < deadline:
            time.sleep(_END_POLL_INTERVAL_S)


class WorkerPool(AbstractContextManager["WorkerPool"]):
    """Pool of worker processes that play matches. For use by a single thread.

    `workers`: number of processes, usually one per core. `in_flight`: matches that each plays at once. `processes`: bot
    processes that each keeps, as long as memory suffices. `fresh`: start new bot processes for each match and end them
    before its result is reported; slow. `isolate`: in addition, hold all files that bots read in memory. `cpus`: see
    `Setup.cpus`. `layers`: layers of the sandbox, best first; bots run under the first one that works on this machine,
    or without one if none works and all bots are trusted; with `isolate` under bubblewrap.

    `capacity`: matches that the workers play at once. `layer`: layer that the bots run under.

    Raises:
        SandboxError: if no layer works, and not all bots are trusted; with `isolate`, if the machine cannot isolate.
    """

    def __init__(
        self,
        bots: Sequence[BotSpec],
        limits: Limits,
        *,
        workers: int,
        in_flight: int,
        processes: int = MOST_PROCESSES,
        fresh: bool = False,
        isolate: bool = False,
        cpus: frozenset[int] = frozenset(),
        layers: Sequence[Layer] = CONFINING,
    ) -> None:
        with ExitStack() as opened:
            if isolate:
                sandbox, bots = opened.enter_context(held_in_memory(bots, limits))
            else:
                sandbox = choose(limits, trusted=all(bot.trusted for bot in bots), layers=layers)
            self.layer = sandbox.layer
            self._isolate = isolate
            self.capacity = workers * in_flight
            register = opened.enter_context(TempFolder()).path / "register"
            self._setup = Setup(tuple(bots), sandbox, in_flight, fresh or isolate, processes, str(register), cpus)
            self._workers = [_Worker(self._setup) for _ in range(workers)]
            self._folders = opened.pop_all()

    def lanes(self, seats: int) -> int:
        """Return the number of lanes to use for deals with `seats` rotations.

        It is the smallest multiple of the number of workers that gives each rotation of a deal its own lane.
        """
        workers = len(self._workers)
        return -(-seats // workers) * workers

    def admit(self, bots: Sequence[BotSpec]) -> bool:
        """Add bots; return False if impossible: with `isolate`, or if an untrusted bot has no sandbox."""
        if self._isolate or (self.layer not in CONFINING and not all(bot.trusted for bot in bots)):
            return False
        self._setup = replace(self._setup, bots=(*self._setup.bots, *bots))
        for worker in self._workers:
            with suppress(OSError):  # raised if the worker has died; its successor is set up with all bots
                worker.connection.send(Admit(tuple(bots)))
        return True

    def submit(self, task: MatchTask) -> None:
        """Send `task` to the worker of its lane."""
        worker = self._workers[task.lane % len(self._workers)]
        worker.tasks[task.id] = task
        with suppress(OSError):  # raised if the worker has died; the next poll reports its tasks as void
            worker.connection.send(task)

    def poll(self, timeout: float) -> list[MatchReport]:
        """Wait up to `timeout` seconds for reports and return them.

        A worker that died is replaced; its unfinished tasks are reported as void. With control groups, its bots have
        ended by then.

        Raises:
            OSError: if a worker cannot be started, after several attempts.
        """
        reports: list[MatchReport] = []
        ready = wait([worker.connection for worker in self._workers], timeout)
        for index, worker in enumerate(self._workers):
            if worker.connection not in ready:
                continue
            try:
                while worker.connection.poll():
                    report = worker.connection.recv()
                    reports.append(report)
                    if isinstance(report, PlayedMatch | VoidMatch):
                        worker.tasks.pop(report.id, None)
            except (EOFError, OSError):
                code = worker.popen.wait()
                worker.clean()
                why = f"the worker process ended with {code}"
                reports += [VoidMatch(number, why) for number in worker.tasks]
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
        """End all bots and workers; return the bots' output since the last poll."""
        for worker in self._workers:
            worker.stop()
        deadline = time.monotonic() + _GRACE_S
        logs = [log for worker in self._workers for log in worker.end(deadline)]
        self._folders.close()
        return logs

    def __exit__(self, *_: object) -> None:
        self.close()


class FriendlyTable(AbstractContextManager["FriendlyTable"]):
    """Plays the friendly match `task`, with a guest's seat and sandboxed `bots`. `cpus`: see `Setup.cpus`.

    Uses a worker process of its own, whose end ends all its bots. Call `read` in one thread and `send` in another;
    `leave` may be called from any.

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
    ) -> None:
        sandbox = choose(limits, trusted=all(bot.trusted for bot in bots))
        self._worker = _Worker(Setup(tuple(bots), sandbox, in_flight=1, fresh=False, cpus=cpus))
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

    def read(self) -> Iterator[bytes | PlayedMatch | VoidMatch]:
        """Yield the referee's messages to the guest (serialised `RefereeMessage`s), then the result.

        There is no result if the guest leaves. The bots' output is dropped.

        Raises:
            EOFError, OSError: if the worker died.
        """
        while not self._left.is_set():
            if not self._worker.connection.poll(_GUEST_POLL_INTERVAL_S):
                continue
            report = self._worker.connection.recv()
            if isinstance(report, GuestMessage):
                yield report.data
            elif isinstance(report, PlayedMatch | VoidMatch):
                yield report
                return

    def leave(self) -> None:
        """Record that the guest has left; `read` ends soon."""
        self._left.set()

    def __exit__(self, *_: object) -> None:
        """End the match and its worker, which kills its bots when the connection is closed."""
        with self._sending:
            self._worker.connection.close()
        self._worker.end(time.monotonic() + _GRACE_S)
