"""Cost of a league on nodes compared with one machine: whole commands, cores pinned, in turn.

"1 worker" and "1 node" play on core 0, a second node on core 1, each with its bots. Scheduler and runner of a cluster
may use all cores, so beside two nodes they compete with these. Every league is played long and short: the difference
excludes the costs of starting, and is divided by the difference in deals. Two figures are of whole commands.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Self
from uuid import uuid4

import psutil

from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.create import create_league
from beanleague.model import LeagueRequest
from beanleague.store import Store
from benchmarks.bots import renamed
from benchmarks.figures import Figure

RUNS = 3
LONG, SHORT = 60, 15
"""Deals of the leagues."""
DEALS = LONG - SHORT
_SEATS = 5
_SECRET = bytes(range(32))
_PROGRAM = (sys.executable, "-m", "beanleague")


@dataclass(frozen=True, slots=True)
class _Run:
    """Times of one run of a league."""

    seconds: float
    """Seconds from the start of the command to its end."""
    runner: float
    """CPU seconds of the command and its workers, but bots."""
    scheduler: float = 0.0
    """CPU seconds of the scheduler."""
    nodes: float = 0.0
    """CPU seconds of the nodes and their workers, but bots."""
    bots: float = 0.0
    """CPU seconds of bots."""

    @property
    def rest(self) -> float:
        """CPU seconds of all but bots."""
        return self.runner + self.scheduler + self.nodes

    @property
    def cpu(self) -> float:
        """CPU seconds of all."""
        return self.rest + self.bots

    def __sub__(self, other: _Run) -> _Run:
        return _Run(
            self.seconds - other.seconds,
            self.runner - other.runner,
            self.scheduler - other.scheduler,
            self.nodes - other.nodes,
            self.bots - other.bots,
        )


def measure() -> list[Figure]:
    """Return the cost of a deal locally and on nodes, and the speed-up of two nodes over one."""
    local, one, two, whole = [], [], [], []
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        for deals in (LONG, SHORT):
            _create(base / f"{deals}.db", deals)
        for _ in range(RUNS):
            local.append(_local(base, LONG) - _local(base, SHORT))
            long = [_on_nodes(base, LONG, cores) for cores in (["0"], ["0", "1"])]
            short = [_on_nodes(base, SHORT, cores) for cores in (["0"], ["0", "1"])]
            one.append(long[0] - short[0])
            two.append(long[1] - short[1])
            whole.append([alone.seconds / both.seconds for alone, both in (long, short)])
    more = tuple(100 * (there.cpu / here.cpu - 1) for here, there in zip(local, one, strict=True))
    faster = tuple(alone.seconds / both.seconds for alone, both in zip(one, two, strict=True))
    return [
        _figure("1 worker: CPU", "s a deal", [run.cpu / DEALS for run in local]),
        _figure("1 node: CPU", "s a deal", [run.cpu / DEALS for run in one]),
        _figure("1 node: more CPU than 1 worker", "%", more, "<= 5"),
        _figure("1 worker: CPU without bots", "s a deal", [run.rest / DEALS for run in local]),
        _figure("1 node: CPU without bots", "s a deal", [run.rest / DEALS for run in one]),
        _figure(f"1 worker: {DEALS} deals more", "s", [run.seconds for run in local]),
        _figure(f"1 node: {DEALS} deals more", "s", [run.seconds for run in one]),
        _figure(f"2 nodes: {DEALS} deals more", "s", [run.seconds for run in two]),
        _figure("2 nodes: times as fast as 1", "", faster, ">= 1.8"),
        _figure(f"2 nodes: the same, whole commands, {LONG} deals", "", [ratios[0] for ratios in whole]),
        _figure(f"2 nodes: the same, whole commands, {SHORT} deals", "", [ratios[1] for ratios in whole]),
        *(
            _figure(f"{nodes}: {what}", "ms a deal", [1e3 * value / DEALS for value in values])
            for nodes, runs in (("1 node", one), ("2 nodes", two))
            for what, values in (
                ("runner", [run.runner for run in runs]),
                ("scheduler", [run.scheduler for run in runs]),
                ("nodes without bots", [run.nodes for run in runs]),
                ("bots", [run.bots for run in runs]),
            )
        ),
    ]


def _figure(what: str, unit: str, values: Sequence[float], aim: str = "") -> Figure:
    return Figure(f"cluster league, {what}", unit, tuple(values), aim)


def _create(file: Path, deals: int) -> None:
    """Create a database with a league of `deals` deals between traders that differ only in their names."""
    (trader,) = (folder for folder in house_bots("bohnanza") if folder.name == "trader")
    with Store(f"sqlite:///{file}") as store:
        for number in range(_SEATS):
            made = read_bundle(pack(renamed(trader, file.parent / f"{deals}" / f"trader{number}")))
            store.bots.add(made.manifest, made.digest, made.data)
        create_league(store, LeagueRequest(name="bench", ruleset="bohnanza", seats=_SEATS, deals=deals, secret=_SECRET))


def _league(base: Path, deals: int) -> str:
    """Return the file of a new league of `deals` deals."""
    file = base / f"{uuid4()}.db"
    file.write_bytes((base / f"{deals}.db").read_bytes())
    return str(file)


def _local(base: Path, deals: int) -> _Run:
    words = ["--db", _league(base, deals), "league", "run", "bench", "--workers", "1"]
    process = subprocess.Popen(_line("0", words), stdout=subprocess.DEVNULL)
    with _Bots([psutil.Process(process.pid)]) as bots:
        seconds, runner = _ended(process)
    return _Run(seconds, runner, bots=bots.cpu)


def _on_nodes(base: Path, deals: int, cores: Sequence[str]) -> _Run:
    address = f"127.0.0.1:{_free_port()}"
    with ExitStack() as running:
        scheduler = running.enter_context(_background(None, ["cluster", "scheduler", "--listen", address]))
        nodes = [
            running.enter_context(
                _background(
                    core, ["node", "--scheduler", f"tcp://{address}", "--workers", "1", "--name", f"core{core}"]
                )
            )
            for core in cores
        ]
        before = _cpu([scheduler]), _cpu(nodes)
        words = ["--db", _league(base, deals), "league", "run", "bench", "--cluster", f"tcp://{address}"]
        with _Bots(nodes) as bots:
            seconds, runner = _ended(subprocess.Popen(_line(None, words), stdout=subprocess.DEVNULL))
            time.sleep(2)  # until the nodes have ended the bots, and the CPU of workers is counted
        return _Run(seconds, runner, _cpu([scheduler]) - before[0], _cpu(nodes) - before[1], bots.cpu)


class _Bots:
    """Samples the bots of nodes or a runner every half second, and in detail every five: each sample takes some ms.

    Bots are killed, so no parent process receives their CPU times.
    """

    def __init__(self, players: Sequence[psutil.Process]) -> None:
        self._players = players
        self._seen: dict[psutil.Process, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    @property
    def cpu(self) -> float:
        """CPU seconds of all of them, as far as they were seen."""
        return sum(self._seen.values())

    def _look(self) -> None:
        for turn in count():
            if turn % 10 == 0:
                for worker in self._workers():
                    with suppress(psutil.Error):
                        self._seen.update({bot: self._seen.get(bot, 0.0) for bot in worker.children(recursive=True)})
            for bot in self._seen:
                with suppress(psutil.Error):
                    self._seen[bot] = sum(bot.cpu_times()[:2])
            if self._over.wait(0.5):
                return

    def _workers(self) -> Iterator[psutil.Process]:
        for player in self._players:
            with suppress(psutil.Error):
                yield from player.children()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def _ended(process: subprocess.Popen[bytes]) -> tuple[float, float]:
    """Wait for a command just started; return how long it took, and its CPU with that of its workers, in seconds."""
    start = time.perf_counter()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return time.perf_counter() - start, used.ru_utime + used.ru_stime


@contextmanager
def _background(core: str | None, words: Sequence[str]) -> Iterator[psutil.Process]:
    """Run a command that goes on until it is ended; give it when it has said that it is ready."""
    with subprocess.Popen(_line(core, words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


def _line(core: str | None, words: Sequence[str]) -> list[str]:
    return [*(["taskset", "-c", core] if core else []), *_PROGRAM, *words]


def _cpu(processes: Sequence[psutil.Process]) -> float:
    """Return the CPU seconds of processes and of their ended children."""
    return sum(sum(process.cpu_times()[:4]) for process in processes)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
