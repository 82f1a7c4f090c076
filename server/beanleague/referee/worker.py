"""A worker process: plays the matches that the pool sends, many at once, in one event loop.

    python -m beanleague.referee.worker FD HOME

FD is an inherited socket to the pool. When it closes for any reason, the worker kills its bots and ends. HOME is a
folder that the pool made for this worker alone.
"""

import asyncio
import contextlib
import gc
import math
import os
import queue
import shutil
import signal
import sys
import threading
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeAlias

from beanleague.model import PlayedMatch
from beanleague.referee.blame import Register
from beanleague.referee.conversation import Guest
from beanleague.referee.host import describe_problem
from beanleague.referee.match import MatchInPlay
from beanleague.referee.messages import GUEST, MatchReport, MatchTask, VoidMatch, WorkerCounts
from beanleague.referee.orders import Admit, GuestMessage, Setup, StopWorker
from beanleague.referee.processes import Processes

_TICK_S = 0.04  # interval of checking time limits and memory; a bot can grow by 100 MB in it
_DELAY_TICKS = 6  # ticks between measurements of the host's delay
_COUNTS_S = 0.25  # interval of progress reports while more matches follow
_LOG_TICKS = 25  # ticks between reports of the bots' output
_FIRST_IN_FLIGHT = 4  # few matches at first, so that the first deals end soon, and later ones not all at the same time
_MORE_IN_FLIGHT = 3  # additional matches for each match that ends
_NICENESS = 5  # niceness of a worker bound to some cores: next to a league's worker it gets a quarter of a core

FEW = 16
"""Number of matches that a worker plays at once in any case, if allowed."""
LONG_S = 10.0
"""Match length in seconds beyond which no more matches are added at once, since a stopped run would waste many."""

_Over: TypeAlias = PlayedMatch | VoidMatch
Outbox: TypeAlias = "queue.SimpleQueue[MatchReport | GuestMessage | None]"


class Worker:
    """Worker that plays up to `in_flight` matches at once; others wait in order of arrival.

    It begins with `_FIRST_IN_FLIGHT`, and adds `_MORE_IN_FLIGHT` with each match that ends; above `FEW` only if matches
    are short.
    """

    def __init__(self, setup: Setup, home: Path, outbox: Outbox) -> None:
        self._limits = setup.sandbox.limits
        self._layer = setup.sandbox.layer
        self._outbox = outbox
        self._most = setup.in_flight
        self._at_once = min(self._most, _FIRST_IN_FLIGHT)
        self._slots = asyncio.Semaphore(self._at_once)
        self._lag = 0.0  # total delay of the event loop so far, in seconds
        self._counted = WorkerCounts()  # counts in the last report
        self._counted_at = -math.inf
        self._bots = {bot.number: bot for bot in setup.bots}
        self.processes = Processes(
            self._bots,
            setup.sandbox,
            home,
            lambda: self._lag,
            setup.processes,
            Register(Path(setup.register) if setup.register else home / "register"),
            fresh=setup.fresh,
        )
        self._guest = Guest(lambda data: outbox.put(GuestMessage(data)))
        self._playing: set[asyncio.Task[None]] = set()
        self._stopped = asyncio.Event()

    def receive(self, message: MatchTask | Admit | GuestMessage | StopWorker) -> None:
        """Process a message from the pool, or from a table (see `pool.FriendlyTable`)."""
        if isinstance(message, StopWorker):
            self._stopped.set()
            return
        if isinstance(message, GuestMessage):
            self._guest.read(message.data)
            return
        if isinstance(message, Admit):
            self._bots.update((bot.number, bot) for bot in message.bots)
            return
        playing = asyncio.create_task(self._play(message))
        self._playing.add(playing)
        playing.add_done_callback(self._playing.discard)

    async def run(self) -> None:
        """Play until `StopWorker` is received, then end all bots."""
        ticking = asyncio.create_task(self._tick())
        await self._stopped.wait()
        ticking.cancel()
        for playing in self._playing:
            playing.cancel()
        await self.processes.close()
        self._report_logs()

    async def _play(self, task: MatchTask) -> None:
        now = asyncio.get_running_loop().time
        async with self._slots:
            began = now()
            try:
                async with self.processes.lend(task) as processes:
                    result: asyncio.Future[_Over] = asyncio.get_running_loop().create_future()
                    bots = [process.conversation for process in processes]
                    names = task.names or [process.spec.name for process in processes]
                    if GUEST in task.bots:
                        await self._guest.until_ready(self._limits.connect_ms / 1000)
                        bots.insert(task.bots.index(GUEST), self._guest.conversation)

                    def done(played: _Over, result: asyncio.Future[_Over] = result) -> None:
                        # cancelled only when the worker ends, and its bots fail all their matches
                        if not result.cancelled():
                            result.set_result(played)

                    MatchInPlay(
                        task, bots, names, self._limits, done, node=os.uname().nodename, layer=self._layer
                    ).start()
                    played = await result
                self._report_counts()
                self._outbox.put(played)
            except Exception as problem:  # noqa: BLE001  # any error in the referee voids the match
                traceback.print_exc()
                host = isinstance(problem, OSError | MemoryError)  # errors that may pass
                why = describe_problem(problem) if host else f"{type(problem).__name__}: {problem}"
                self._outbox.put(VoidMatch(task.id, why, host=host))
        if self._at_once < FEW or now() - began < LONG_S:
            more = min(_MORE_IN_FLIGHT, self._most - self._at_once)
            self._at_once += more
            for _ in range(more):
                self._slots.release()

    def _report_counts(self) -> None:
        """Report new counts, at intervals and with the last match, just before a match's result."""
        now = asyncio.get_running_loop().time()
        if now < self._counted_at + _COUNTS_S and len(self._playing) > 1:
            return
        counts = self.processes.counts() + WorkerCounts(host_delay=self._lag)
        self._outbox.put(counts - self._counted)
        self._counted, self._counted_at = counts, now

    async def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        ticks = 0
        while True:
            before = loop.time()
            await asyncio.sleep(_TICK_S)
            self._lag += max(loop.time() - before - _TICK_S, 0.0)
            ticks += 1
            try:
                self.processes.tick()
                self._guest.tick()
                if ticks % _DELAY_TICKS == 0:
                    self.processes.look()
            except OSError as problem:  # the host is short of something
                self.processes.fail_for_host(problem)
            if ticks % _LOG_TICKS == 0:
                self._report_logs()

    def _report_logs(self) -> None:
        for log in self.processes.logs():
            self._outbox.put(log)


async def _serve(connection: Connection, home: Path) -> None:
    loop = asyncio.get_running_loop()
    outbox: Outbox = queue.SimpleQueue()
    try:
        setup: Setup = connection.recv()
    except (EOFError, OSError):
        return  # the pool has just ended
    if setup.cpus:  # keep to these cores, at low priority
        os.sched_setaffinity(0, setup.cpus)
        os.nice(_NICENESS)
    worker = Worker(setup, home, outbox)

    def receive() -> None:
        try:
            while True:
                loop.call_soon_threadsafe(worker.receive, connection.recv())
        except (EOFError, OSError):
            worker.processes.kill()
            shutil.rmtree(home, ignore_errors=True)
            os._exit(1)

    def send() -> None:
        with contextlib.suppress(OSError):
            while (message := outbox.get()) is not None:
                connection.send(message)

    threading.Thread(target=receive, daemon=True).start()
    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    await worker.run()
    outbox.put(None)
    sender.join()


def main() -> None:
    """Run a worker on the socket named by the command line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pool, which then sends `StopWorker`
    gc.freeze()
    asyncio.run(_serve(Connection(int(sys.argv[1])), Path(sys.argv[2])))
    os._exit(0)  # exit without waiting for gRPC's threads


if __name__ == "__main__":
    main()
