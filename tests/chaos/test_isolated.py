"""An isolated league of real processes: none of them is there in two replays of a deal, and no memory is kept."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from beanleague.league.create import create_league
from beanleague.model import LeagueRequest, PlayedMatch
from beanleague.referee.messages import Limits, MatchReport, MatchTask, VoidMatch
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.in_memory import why_not_isolated
from beanleague.referee.temp_folders import MEMORY, PREFIX
from beanleague.store import Store
from tests.chaos import leagues
from tests.chaos.leagues import CODE, SEATS, PoolBeside, new_league, run_league, starting
from tests.league.helpers import SECRET, bundle, contents, keep
from tests.processes import workers_of
from tests.waiting import ending

pytestmark = pytest.mark.slow
DEALS = 4
DISLIKES_ITS_CARDS = """
import os, signal
from beanbot import Bot, run

class Any(Bot):
    def decide(self, view):
        if view.turn >= 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return view.default()

run(Any)
"""
LEFT_OUT = leagues.LEFT_OUT | {"league"}


@pytest.fixture(autouse=True)
def _can_be_isolated() -> None:
    if why := why_not_isolated(Limits()):
        pytest.skip(why)


@dataclass
class Watch:
    """Looks for processes of bots whenever a match is begun.

    `rounds`: the seeds of the matches that were begun while others were played, or at the same time. `strays`:
    processes that were there when a round began. `folders`: where the bots lie.
    """

    rounds: list[list[bytes]] = field(default_factory=list)
    strays: list[psutil.Process] = field(default_factory=list)
    folders: set[str] = field(default_factory=set)

    def __call__(self, pool: WorkerPool) -> WatchedPool:
        """Return a pool that is watched."""
        self.folders |= {bot.folder for bot in pool._setup.bots}
        return WatchedPool(pool, self)


@dataclass
class WatchedPool(PoolBeside):
    """See `Watch`."""

    watch: Watch
    playing: int = 0

    def submit(self, task: MatchTask) -> None:
        if not self.playing:
            self.watch.rounds.append([])
            for worker in workers_of(self.pool):
                self.watch.strays += worker.children(recursive=True)
        self.watch.rounds[-1].append(task.seed)
        self.playing += 1
        self.pool.submit(task)

    def poll(self, timeout: float) -> list[MatchReport]:
        reports = self.pool.poll(timeout)
        self.playing -= sum(isinstance(report, PlayedMatch | VoidMatch) for report in reports)
        return reports


def copies() -> set[Path]:
    return set(MEMORY.glob(f"{PREFIX}*"))


def test_no_process_is_there_in_two_replays_of_a_deal_and_the_results_are_the_same(tmp_path: Path) -> None:
    watch, before = Watch(), copies()
    isolated = new_league(tmp_path / "isolated.db", DEALS, isolate=True)
    run_league(isolated, starting(watch))
    assert [len(set(seeds)) for seeds in watch.rounds] == [DEALS] * SEATS["bohnanza"]
    assert watch.strays == []
    assert all(Path(folder).is_relative_to(MEMORY) for folder in watch.folders)
    assert copies() <= before
    usual = new_league(tmp_path / "usual.db", DEALS)
    run_league(usual)
    with Store(f"sqlite:///{isolated}") as one, Store(f"sqlite:///{usual}") as other:
        assert contents(one, leave_out=LEFT_OUT) == contents(other, leave_out=LEFT_OUT)


def test_the_copy_in_memory_of_a_run_that_is_killed_is_removed_by_the_next(tmp_path: Path) -> None:
    before = copies()
    file = new_league(tmp_path / "killed.db", 40, isolate=True)
    root = Path(__file__).parents[2]
    words, env = [sys.executable, leagues.__file__, str(file)], {"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"}
    with ending(subprocess.Popen(words, stdout=subprocess.PIPE, env=env)) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if int(line):
                break
        (left,) = copies() - before
        run.send_signal(signal.SIGKILL)
    assert any(left.iterdir())
    usual = new_league(tmp_path / "usual.db", 1)
    run_league(usual)
    assert not left.exists()


def test_a_bot_that_kills_itself_in_every_match_is_forgiven_once_and_loses_all_others(tmp_path: Path) -> None:
    file = tmp_path / "killed.db"
    with Store(f"sqlite:///{file}") as store:
        for name, code in (("ann", CODE.format(name="ann", pause_s=0)), ("zoe", DISLIKES_ITS_CARDS)):
            keep(store, bundle(name, code, ["bohnanza-two"]))
        request = LeagueRequest(name="spring", ruleset="bohnanza-two", seats=2, deals=2, secret=SECRET, isolate=True)
        create_league(store, request)
    run_league(file)
    with Store(f"sqlite:///{file}") as store:
        assert [totals.forfeits for totals in store.leagues.totals(1)] == [0, 4]
        assert len(contents(store)["void"]) == 1
