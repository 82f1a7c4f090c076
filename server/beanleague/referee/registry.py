"""The warm processes of a worker: started when first needed, one for each bot, lane and copy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from beanleague.referee.match import BotLog, BotSpec, FaultKind, Limits, MatchTask
from beanleague.referee.process import BotFailedError, BotProcess
from beanproto.v1 import referee_pb2 as pb

_MOST_PROCESSES = 64  # warm ones a worker keeps; a Python bot takes about 40 MB
_MOST_FAILED_STARTS = 3  # in a row, after which a bot is not started again in this run

_Key = tuple[int, int, int]  # version, lane, and which of several seats of that bot in one match


class Registry:
    """All bot processes of a worker. `lag`: seconds by which the worker itself has been late so far."""

    def __init__(
        self, bots: Mapping[int, BotSpec], limits: Limits, home: Path, lag: Callable[[], float], *, fresh: bool
    ) -> None:
        self._bots = bots
        self._limits = limits
        self._home = home
        self._lag = lag
        self._fresh = fresh
        self._warm: dict[_Key, asyncio.Task[tuple[BotProcess, pb.Hello]]] = {}  # least recently used first
        self._alive: set[BotProcess] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._failed_starts: dict[int, int] = {}
        self._started = 0
        self._logs: list[BotLog] = []

    async def processes(self, task: MatchTask) -> list[tuple[BotProcess, pb.Hello]]:
        """Return a process for each seat of `task`, started where there is none, and what it said hello with.

        A process that could not be started comes back all the same, with its `failure` set and an empty hello.
        """
        keys = [(bot, task.lane, task.bots[:seat].count(bot)) for seat, bot in enumerate(task.bots)]
        if self._fresh:
            return list(await asyncio.gather(*(self._start(bot, lane) for bot, lane, _ in keys)))
        starts = [self._find(key) for key in keys]
        found = list(await asyncio.gather(*starts))
        for key, start, (process, _) in zip(keys, starts, found, strict=True):
            if process.failure and self._warm.get(key) is start:
                del self._warm[key]
        return found

    def _find(self, key: _Key) -> asyncio.Task[tuple[BotProcess, pb.Hello]]:
        start = self._warm.pop(key, None)
        if start is None or (start.done() and start.result()[0].failure):
            self._make_room()
            start = asyncio.create_task(self._start(*key[:2]))
        self._warm[key] = start
        return start

    async def _start(self, version: int, lane: int) -> tuple[BotProcess, pb.Hello]:
        self._started += 1
        process = BotProcess(self._bots[version], lane, self._limits, self._home / str(self._started), self._lag)
        failed = self._failed_starts.get(version, 0)
        if failed >= _MOST_FAILED_STARTS:
            process.failure = BotFailedError(
                FaultKind.DISCONNECTED, f"failed to start {failed} times in a row, and is not tried again in this run"
            )
            return process, pb.Hello()
        self._alive.add(process)
        try:
            hello = await process.connect()
        except BotFailedError:
            self._failed_starts[version] = failed + 1
            return process, pb.Hello()
        self._failed_starts[version] = 0
        return process, hello

    def release(self, processes: list[BotProcess]) -> None:
        """A match of these is over: end those that are not kept, and those that failed."""
        for process in processes:
            if process in self._alive and (process.failure or self._fresh) and not process.playing:
                self._retire(process)

    def _make_room(self) -> None:
        """End the idle process that was not used for longest, if there are too many."""
        if len(self._warm) < _MOST_PROCESSES:
            return
        for key, start in self._warm.items():
            if start.done() and not start.result()[0].playing:
                del self._warm[key]
                self._retire(start.result()[0])
                return

    def _retire(self, process: BotProcess) -> None:
        self._alive.discard(process)
        closing = asyncio.create_task(self._close(process))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _close(self, process: BotProcess) -> None:
        await process.close()
        self._take_log(process)

    def tick(self) -> None:
        """Look at the clocks of all processes."""
        for process in tuple(self._alive):
            process.tick()

    def look(self) -> None:
        """Note how long the host has kept each process waiting."""
        for process in self._alive:
            process.look()

    def logs(self) -> list[BotLog]:
        """Return what was written to stderr since the last call."""
        for process in self._alive:
            self._take_log(process)
        logs, self._logs = self._logs, []
        return logs

    def _take_log(self, process: BotProcess) -> None:
        if process.stderr:
            text = process.stderr.decode("utf-8", "replace")
            self._logs.append(BotLog(process.spec.version, process.lane, text))
            process.stderr.clear()

    def kill(self) -> None:
        """Kill every process group at once."""
        for process in tuple(self._alive):
            process.kill()

    async def close(self) -> None:
        """End every process."""
        for process in tuple(self._alive):
            self._retire(process)
        await asyncio.gather(*self._closing)
