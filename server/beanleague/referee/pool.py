"""Worker processes, seen from the process that starts them: a pool of them, and one for the table of a friendly."""

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
    """A running worker process, with `connection` to it, and the `tasks` of a pool that it has not finished.

    Raises:
        OSError: if it cannot be started.
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
        """Order the worker to end its bots and itself."""
        with suppress(OSError):
            self.connection.send(StopWorker())

    def end(self, deadline: float) -> list[BotLog]:
        """Wait for its end, and kill it after `deadline` (`time.monotonic`); return the bots' last output."""
        logs: list[BotLog] = []
        with suppress(EOFError, OSError):
            while self.connection.poll(max(deadline - time.monotonic(), 0)):
                report = self.connection.recv()
                if isinstance(report, BotLog):
                    logs.append(report)
        self.connection.close()  # a worker that still runs notices this, kills its bots and ends
        try:
            self.popen.wait(max(deadline - time.monotonic(), 0.2))
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
        self.clean()
        return logs

    def clean(self) -> None:
        """Remove its folder, and its control groups once their bots have ended, as they do with the worker.

        Without cgroups the worker's bots cannot be listed; some may still be exiting.
        """
        self._folder.close()
        deadline = time.monotonic() + _BOTS_TIMEOUT_S
        while not self._groups.remove(self._folder.path.name) and time.monotonic() < deadline:
            time.sleep(_END_POLL_INTERVAL_S)


class WorkerPool(AbstractContextManager["WorkerPool"]):
    """Plays matches in worker processes. Use it from one thread only.

    `workers`: number of processes, usually one per core. `in_flight`: how many matches each plays at once.
    `processes`: how many bot processes each keeps, as long as there is memory for them. `fresh`: start new processes
    for each match, which have ended when its result is reported; this is slow. `isolate`: besides, hold all that bots
    read in memory. `cpus`: see `Setup.cpus`. `layers`: of the sandbox, best first; the bots run under the first that
    works on this machine, or without one if none does and all bots are trusted; with `isolate` under bubblewrap.

    `capacity`: how many matches the workers play at once. `layer`: under which the bots run.

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
        """Return how many lanes to use for deals replayed `seats` times.

        The smallest multiple of the number of workers that gives every replay of a deal a lane of its own.
        """
        workers = len(self._workers)
        return -(-seats // workers) * workers

    def admit(self, bots: Sequence[BotSpec]) -> bool:
        """Take in more bots; return whether it can: not with `isolate`, nor without a sandbox if one is not trusted."""
        if self._isolate or (self.layer not in CONFINING and not all(bot.trusted for bot in bots)):
            return False
        self._setup = replace(self._setup, bots=(*self._setup.bots, *bots))
        for worker in self._workers:
            with suppress(OSError):  # the worker has died; its successor is set up with all of them
                worker.connection.send(Admit(tuple(bots)))
        return True

    def submit(self, task: MatchTask) -> None:
        """Send `task` to the worker of its lane."""
        worker = self._workers[task.lane % len(self._workers)]
        worker.tasks[task.id] = task
        with suppress(OSError):  # the worker has died; the next poll reports its tasks as void
            worker.connection.send(task)

    def poll(self, timeout: float) -> list[MatchReport]:
        """Wait up to `timeout` seconds for a report, and return all that have come.

        A worker that died is replaced; its unfinished tasks come back void. With control groups, its bots
        have ended by then.

        Raises:
            OSError: if a worker cannot be started, after some waiting.
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
        """End every bot and every worker; return the bots' output since the last poll."""
        for worker in self._workers:
            worker.stop()
        deadline = time.monotonic() + _GRACE_S
        logs = [log for worker in self._workers for log in worker.end(deadline)]
        self._folders.close()
        return logs

    def __exit__(self, *_: object) -> None:
        self.close()


class FriendlyTable(AbstractContextManager["FriendlyTable"]):
    """Plays `task`, which has a guest's seat, with `bots` in the sandbox. `cpus`: see `Setup.cpus`.

    A process of its own, so that its end is the end of all its bots, independent of the guest. `read` is for one
    thread, `send` for another, `leave` for all.

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
        """Yield the referee's messages to the guest, each a serialised `RefereeMessage`, then the result.

        Ends without a result when the guest leaves. The bots' output is dropped.

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
        """Note that the guest has left; `read` ends soon."""
        self._left.set()

    def __exit__(self, *_: object) -> None:
        """End the match, its bots and its worker, which kills them as soon as its connection is closed."""
        with self._sending:
            self._worker.connection.close()
        self._worker.end(time.monotonic() + _GRACE_S)
