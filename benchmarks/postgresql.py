"""Deals committed to PostgreSQL and to a SQLite file, in turn: how many in a second, and the CPU that each takes.

The server is one of this machine that is started for it, with the settings of a new one, and reached by a unix socket.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time

from benchmarks.figures import Figure
from benchmarks.store import Committed, committed
from tests.databases import PROGRAMS, PostgreSQL

SIZES = (1, 10, 100)  # deals in a transaction
RUNS = 7
AIM = ">= 0.8"


def measure() -> list[Figure]:
    """Return deals per second, CPU per deal, and PostgreSQL's share of SQLite's speed in the same round."""
    if not PROGRAMS.exists():
        return []
    with _server() as server:
        url = server.url(server.create())
        return [figure for size in SIZES for figure in _compared(server, url, size)]


def _compared(server: PostgreSQL, url: str, size: int) -> list[Figure]:
    deals = max(100, 10 * size)
    rounds = [
        (
            committed(size, deals=deals),
            committed(size, url, deals=deals, cpu=lambda: process_time() + _cpu(server)),
        )
        for _ in range(RUNS)
    ]
    files, servers = zip(*rounds, strict=True)
    what = f"in commits of {size}"
    return [
        *_of("SQLite", files, what),
        *_of("PostgreSQL", servers, what),
        Figure(
            f"postgresql: PostgreSQL to SQLite, {what}",
            "times the deals",
            tuple(there.rate / here.rate for here, there in rounds),
            AIM if size == SIZES[-1] else "",
        ),
    ]


def _of(kind: str, runs: tuple[Committed, ...], what: str) -> list[Figure]:
    return [
        Figure(f"postgresql: {kind}, {what}", "deals a second", tuple(run.rate for run in runs)),
        Figure(f"postgresql: {kind}, {what}", "ms of CPU a deal", tuple(run.cpu_ms for run in runs)),
    ]


@contextmanager
def _server() -> Iterator[PostgreSQL]:
    server = PostgreSQL.new(fsync="on", full_page_writes="on", autovacuum="on", shared_buffers="128MB")
    try:
        yield server
    finally:
        server.remove()


def _cpu(server: PostgreSQL) -> float:
    """Return the CPU time that all processes of the server have taken, in seconds."""
    first = int((server.folder / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])
    children = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="utf-8").split()
    ticks = sum(sum(map(int, _stat(int(pid))[11:13])) for pid in children)
    ticks += sum(map(int, _stat(first)[11:15]))  # its own, and of children that have ended
    return ticks / os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    """Return the fields of a process from the third on."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
