"""Speed for users: whole leagues, from the command to its end, with default settings.

For comparison with the league of trivial bots: a bare stream of the same messages in batches of the same size.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path

import psutil

from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.create import create_league
from beanleague.model import LeagueRequest
from beanleague.store import Store
from benchmarks.bots import trivial
from benchmarks.figures import Figure

RUNS = 5
_BARE_S = 5.0
_INTERVAL_S = 0.1  # between samples of CPU time; use after a process's last sample is lost
_SECRET = bytes(range(32))


@dataclass(frozen=True, slots=True)
class _Case:
    """A league."""

    name: str
    game: str
    deals: int
    house: tuple[str, ...] = ()
    """The house bots that play it; without, as many trivial bots as sit at a table."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Times of one run of a league."""

    matches: int
    decisions: int
    seconds: float
    """Seconds from the start of the command to its end."""
    batch: float
    """Mean number of requests in a message."""
    cpu: dict[str, float]
    """CPU seconds of "parent", "referee" and "bots"."""


CASES = (
    _Case("4 trivial bots", "bohnanza", 400),
    _Case("house bots", "bohnanza", 200, ("trader", "farmer", "random")),
    _Case("house bots, duel", "duel", 60, ("duelist", "random")),
    _Case("house bots, dice", "dice", 60, ("dicer", "random")),
)


def measure() -> list[Figure]:
    """Return the times of leagues, one league at a time in each round."""
    runs, bare = [], []
    for _ in range(RUNS):
        runs.append([_run(case) for case in CASES])
        bare.append(_bare(max(round(runs[-1][0].batch), 1)))
    figures = [
        figure
        for case, of_case in zip(CASES, zip(*runs, strict=True), strict=True)
        for figure in _figures(case, of_case)
    ]
    shares = tuple(run.decisions / run.seconds / rate for (run, *_), rate in zip(runs, bare, strict=True))
    return [
        *figures,
        Figure("bare stream, batches as with 4 trivial bots: decisions", "a second", tuple(bare)),
        Figure("league, 4 trivial bots: share of the bare stream's rate", "", shares, ">= 0.5"),
    ]


def _figures(case: _Case, runs: Sequence[_Run]) -> list[Figure]:
    def figure(what: str, unit: str, values: Sequence[float], aim: str = "") -> Figure:
        return Figure(f"league, {case.name}: {what}", unit, tuple(values), aim)

    idle = [1 - sum(run.cpu.values()) / run.seconds / (cpu_count() or 1) for run in runs]
    trivial_bots = not case.house
    return [
        figure("matches", "a second", [run.matches / run.seconds for run in runs]),
        figure("decisions", "a second", [run.decisions / run.seconds for run in runs], ">= 20,000" * trivial_bots),
        figure("requests in a message", "", [run.batch for run in runs], ">= 8" * trivial_bots),
        *(
            figure(f"CPU of {who}", "us a decision", [run.cpu[who] / run.decisions * 1e6 for run in runs])
            for who in ("parent", "referee", "bots")
        ),
        figure(
            "CPU in all",
            "us a decision",
            [sum(run.cpu.values()) / run.decisions * 1e6 for run in runs],
            "<= 90" * trivial_bots,
        ),
        figure("idle share of the CPUs", "", idle),
    ]


def _run(case: _Case) -> _Run:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "leagues.db")
        _create(case, file)
        words = ["--db", str(file), "league", "run", "bench", "--trust-bots", "--json"]
        start = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-m", "beanleague", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as parent:
            cpu = _watch(psutil.Process(parent.pid))
            seconds = time.perf_counter() - start
            answer = json.loads(parent.communicate()[0])
    return _Run(int(answer["matches_played"]), int(answer["decisions"]), seconds, answer["batch"], cpu)


def _bare(batch: int) -> float:
    """Return the decisions a second of a bare referee for each core, with as many bots as a worker has of four."""
    workers = cpu_count() or 1
    command = [sys.executable, "-m", "benchmarks.bare", str(4 * -(-4 // workers)), str(batch), str(_BARE_S)]
    referees = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(workers)]
    return sum(int(referee.communicate()[0]) for referee in referees) / _BARE_S


def _create(case: _Case, file: Path) -> None:
    """Create a database with the league "bench"; its bots are stored without trials."""
    with Store(f"sqlite:///{file}") as store:
        folders = [folder for folder in house_bots() if folder.name in case.house]
        folders = folders or [trivial(file.parent, number) for number in range(4)]
        for folder in folders:
            made = read_bundle(pack(folder))
            store.bots.add(made.manifest, made.digest, made.data)
        create_league(store, LeagueRequest(name="bench", ruleset=case.game, deals=case.deals, secret=_SECRET))


def _watch(parent: psutil.Process) -> dict[str, float]:
    """Return the CPU seconds of the process and its descendants by their roles, when it has ended."""
    used: dict[psutil.Process, tuple[str, float]] = {}
    while parent.is_running() and parent.status() != psutil.STATUS_ZOMBIE:
        for process in (parent, *_descendants(parent)):
            with suppress(psutil.Error):
                times = process.cpu_times()
                role = used[process][0] if process in used else _role(process, parent)
                used[process] = (role, times.user + times.system)
        time.sleep(_INTERVAL_S)
    return {
        role: sum(seconds for other, seconds in used.values() if other == role)
        for role in ("parent", "referee", "bots")
    }


def _descendants(parent: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return parent.children(recursive=True)
    return []


def _role(process: psutil.Process, parent: psutil.Process) -> str:
    if process == parent:
        return "parent"
    return "referee" if "beanleague.referee.worker" in process.cmdline() else "bots"
