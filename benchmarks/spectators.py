"""Spectators of a running league: response times of pages, and the site's cost relative to the league's.

The service, which plays the league, the site in front of it and the spectators are processes of their own, so that the
CPU of each is known. Every spectator opens the standings, keeps their live updates, and sometimes opens another page.
"""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.create import create_league
from beanleague.model import LeagueRequest
from beanleague.store import Store
from benchmarks.figures import Figure

SPECTATORS = 200
SECONDS = 60.0
_READS_S = 60.0  # mean time for which a spectator looks at a page before the next
_DEALS = 20_000  # more than are played
_ADDRESSES = 8  # of this machine, from which spectators come: visitors are limited by address
_PAGES = ("", "/history", "/matrix", "/deals")
_WARM_CPU_S = 8.0  # of the service and all its processes: bots have started, deals are played
_ADDRESS = re.compile(rb"127\.0\.0\.1:\d+")


def measure() -> list[Figure]:
    """Return the times of pages, and the CPU of the site."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "leagues.db"
        _make_league(database)
        with (
            started("serve", "--db", str(database), "--listen", "127.0.0.1:0") as (service, server),
            started("web", "--server", server, "--listen", "127.0.0.1:0") as (site, address),
            started("league", "run", "bench", "--server", server, waits=False),
        ):
            while _cpu(service) < _WARM_CPU_S:
                time.sleep(0.5)
            before = _cpu(site), _cpu(service)
            start = time.perf_counter()
            watched = asyncio.run(_watch(int(address.rpartition(":")[2])))
            seconds = time.perf_counter() - start  # more than SECONDS on a busy machine
            web, league = _cpu(site) - before[0], _cpu(service) - before[1]
    pages = sorted(watched.pages)
    return [
        Figure(f"{SPECTATORS} spectators: a page, 95th percentile", "ms", (1000 * pages[int(0.95 * len(pages))],)),
        Figure(f"{SPECTATORS} spectators: a page, median", "ms", (1000 * pages[len(pages) // 2],)),
        Figure(f"{SPECTATORS} spectators: pages", "a second", (len(pages) / seconds,)),
        Figure(
            f"{SPECTATORS} spectators: live updates that reached each",
            "a minute",
            (60 * watched.updates / seconds / SPECTATORS,),
        ),
        Figure(f"{SPECTATORS} spectators: CPU of the site", "% of a core", (100 * web / seconds,)),
        Figure(f"{SPECTATORS} spectators: CPU of the site, of the league's", "%", (100 * web / league,), aim="<= 3"),
        Figure(f"{SPECTATORS} spectators: refused or broken", "requests", (watched.failures,), aim="0"),
    ]


@dataclass(slots=True)
class _Watched:
    """Observations of spectators."""

    pages: list[float] = field(default_factory=list)
    """Seconds from the request for a page to its end."""
    updates: int = 0
    """Live updates of the standings that came."""
    failures: int = 0
    """Requests without a good answer."""


def _make_league(database: Path) -> None:
    with Store(f"sqlite:///{database}") as store:
        for bundle in house_bots("bohnanza"):
            made = read_bundle(pack(bundle))
            store.bots.add(made.manifest, made.digest, made.data)
        bots = ("trader", "farmer", "random")
        create_league(store, LeagueRequest(name="bench", ruleset="bohnanza", bots=bots, deals=_DEALS))


@contextmanager
def started(*words: str, waits: bool = True, before: bytes = b"") -> Iterator[tuple[psutil.Process, str]]:
    """Run a command; give its process and, if `waits`, the address that it names when it is ready, after `before`."""
    command = [sys.executable, "-u", "-m", "beanleague", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            address = ""
            while waits and not address:
                assert process.stdout
                line = process.stdout.readline()
                assert line, f"beanleague {words[0]} has ended"
                found = _ADDRESS.search(line.partition(before)[2] if before else line)
                address = found[0].decode() if found else ""
            yield psutil.Process(process.pid), address
        finally:
            process.terminate()


def _cpu(process: psutil.Process) -> float:
    """Return the CPU seconds of a process and of all that it has started."""
    seconds = 0.0
    for each in [process, *process.children(recursive=True)]:
        with suppress(psutil.Error):
            times = each.cpu_times()
            seconds += times.user + times.system
    return seconds


async def _watch(port: int) -> _Watched:
    """Let spectators look at the league, who come in the first seconds."""
    watched = _Watched()
    end = time.monotonic() + SECONDS
    chance = random.Random(1)
    arrivals = [chance.uniform(0, SECONDS / 6) for _ in range(SPECTATORS)]
    async with asyncio.TaskGroup() as group:
        for number, arrival in enumerate(arrivals):
            origin = f"127.0.1.{1 + number % _ADDRESSES}"
            group.create_task(_follow(port, origin, arrival, end, watched))
            group.create_task(_read(port, origin, arrival, end, random.Random(number), watched))
    return watched


async def _read(port: int, origin: str, arrival: float, end: float, chance: random.Random, watched: _Watched) -> None:
    """Open the standings, then other pages."""
    page = ""
    await asyncio.sleep(arrival)
    while time.monotonic() < end:
        start = time.perf_counter()
        reader, writer = await _asked(port, origin, f"/leagues/bench{page}")
        answer = await reader.read(-1)
        writer.close()
        if answer.startswith(b"HTTP/1.1 200") and answer.rstrip().endswith(b"</html>"):
            watched.pages.append(time.perf_counter() - start)
        else:
            watched.failures += 1
        page = chance.choice(_PAGES)
        await asyncio.sleep(max(0.0, min(chance.expovariate(1 / _READS_S), end - time.monotonic())))


async def _follow(port: int, origin: str, arrival: float, end: float, watched: _Watched) -> None:
    """Read the live updates of the standings."""
    await asyncio.sleep(arrival)
    reader, writer = await _asked(port, origin, "/leagues/bench/live")
    watched.failures += not (await reader.readline()).startswith(b"HTTP/1.1 200")
    with suppress(TimeoutError):
        async with asyncio.timeout(end - time.monotonic()):
            while line := await reader.readline():
                watched.updates += line.startswith(b"event: standings")
    writer.close()


async def _asked(port: int, origin: str, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(origin, 0), limit=2**20)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    return reader, writer
