"""Faults of ours: whatever dies, whenever, a league ends as if nothing had happened."""

import contextlib
import math
import os
import random
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from beanleague.model import PlayedMatch
from beanleague.referee.messages import MatchReport, MatchTask, VoidMatch
from tests.chaos import leagues
from tests.chaos.leagues import SEATS, PoolBeside, assert_same, new_league, run_league, starting
from tests.processes import left_in, workers_of
from tests.waiting import LONG_S, ending

ROOT = Path(__file__).parents[2]


@dataclass
class Killers:
    """Somebody kills a worker or a bot's process after every `every` matches, at most `most` times."""

    every: int
    most: float
    chance: random.Random
    workers: int = 0
    bots: int = 0
    voids: list[str] = field(default_factory=list)


@dataclass
class KillingPool(PoolBeside):
    """See `Killers`."""

    killers: Killers
    played: int = 0
    due: bool = False
    """Whether to kill when the next match is sent to a worker."""

    def submit(self, task: MatchTask) -> None:
        if not self.due:
            self.pool.submit(task)
            return
        self.due = False
        workers = workers_of(self.pool)
        worker = workers[task.lane % len(workers)]
        worker.send_signal(signal.SIGSTOP)  # it cannot end the match before it is killed
        self.pool.submit(task)
        self._kill(worker)
        worker.send_signal(signal.SIGCONT)

    def poll(self, timeout: float) -> list[MatchReport]:
        reports = self.pool.poll(timeout)
        for report in reports:
            if isinstance(report, PlayedMatch | VoidMatch):
                if isinstance(report, VoidMatch):
                    self.killers.voids.append(report.why)
                else:
                    self.played += 1
                    left = self.killers.workers + self.killers.bots < self.killers.most
                    self.due |= left and self.played % self.killers.every == 0
        return reports

    def _kill(self, worker: psutil.Process) -> None:
        # A bot's own process only once: the next time it may have killed itself.
        processes = worker.children(recursive=True) if not self.killers.bots else around_bots(worker)
        # The first is a worker, whose matches are surely void; a bot may just have none.
        if processes and self.killers.workers and self.killers.chance.random() < 0.7:
            with contextlib.suppress(psutil.NoSuchProcess):
                self.killers.chance.choice(processes).kill()
            self.killers.bots += 1
        else:
            worker.kill()
            self.killers.workers += 1


def around_bots(worker: psutil.Process) -> list[psutil.Process]:
    """Return the processes of bubblewrap that bots are in, none of which a bot could have killed."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return [process for process in worker.children() if process.name() == "bwrap"]
    return []


def kill_everything(file: Path, chance: random.Random, most: int) -> bool:
    """Run the league in `file`, and kill all of it within `most` matches; return whether that came before its end."""
    words = [sys.executable, leagues.__file__, str(file)]
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    with ending(subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env), LONG_S) as run:
        assert run.stdout is not None
        begun = None
        wanted = chance.randint(0, most)
        for line in run.stdout:
            begun = int(line) if begun is None else begun
            if int(line) >= begun + wanted:
                break
        else:
            assert run.wait() == 0
            return False
        everything = [psutil.Process(run.pid), *psutil.Process(run.pid).children(recursive=True)]
        for process in everything:
            with contextlib.suppress(psutil.NoSuchProcess):  # it died with another
                process.send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(everything, timeout=60)
    assert alive == []
    return True


@pytest.mark.parametrize(
    ("game", "deals", "every", "least", "most"),
    [
        # A third kill could void all that is left of so few deals for the third time, which rightly ends a run.
        pytest.param("bohnanza-two", 12, 6, 1, 2, id="short", marks=pytest.mark.slow),
        pytest.param("bohnanza", 667, 25, 78, math.inf, id="long", marks=pytest.mark.slow),
    ],
)
def test_standings_do_not_depend_on_workers_and_bots_that_are_killed(
    tmp_path: Path, game: str, deals: int, every: int, least: int, most: float
) -> None:
    disturbed = new_league(tmp_path / "disturbed.db", deals, game)
    quiet = Path(shutil.copy(disturbed, tmp_path / "quiet.db"))
    run_league(quiet)
    killers = Killers(every, most, random.Random(deals))
    run_league(disturbed, starting(lambda pool: KillingPool(pool, killers)))
    assert killers.workers + killers.bots >= least
    assert killers.voids
    assert_same(disturbed, quiet)
    assert left_in(tmp_path / "cache") == []


@pytest.mark.slow  # tests/service/test_real.py kills a league once
@pytest.mark.parametrize(
    ("game", "deals", "kills"),
    [pytest.param("bohnanza-two", 10, 2, id="short"), pytest.param("bohnanza", 400, 50, id="long")],
)
def test_a_league_whose_every_process_is_killed_time_and_again_ends_as_if_nothing_had_happened(
    tmp_path: Path, game: str, deals: int, kills: int
) -> None:
    killed = new_league(tmp_path / "killed.db", deals, game)
    whole = Path(shutil.copy(killed, tmp_path / "whole.db"))
    chance = random.Random(kills)
    for _ in range(kills):
        assert kill_everything(killed, chance, most=SEATS[game] * deals // kills // 2)
        assert left_in(tmp_path / "cache") == []
    run_league(killed)
    run_league(whole)
    assert_same(killed, whole)


@pytest.mark.slow  # tests/service/test_runs.py has two runs of a league in one process
def test_of_two_runs_of_a_league_one_plays_and_the_other_says_so(tmp_path: Path) -> None:
    twice = new_league(tmp_path / "twice.db", 1, "bohnanza-two")
    once = Path(shutil.copy(twice, tmp_path / "once.db"))
    words = [sys.executable, leagues.__file__, str(twice)]
    settings = {"cwd": ROOT, "env": {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}}
    # The first pauses itself, so that it goes on for as long as the other takes.
    with ending(subprocess.Popen([*words, "pause"], stdout=subprocess.DEVNULL, **settings)) as first:  # type: ignore[call-overload]
        os.waitid(os.P_PID, first.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        second = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300, **settings)  # type: ignore[call-overload]
        first.send_signal(signal.SIGCONT)
        first.communicate(timeout=300)
    assert (first.returncode, second.returncode) == (0, 1)
    assert "the league is already being run by process" in second.stderr
    assert len(second.stderr.splitlines()) == 1
    run_league(once)
    assert_same(twice, once)
