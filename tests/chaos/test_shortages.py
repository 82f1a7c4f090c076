"""A host that is short of something: no honest bot pays for it, and the run says what is short."""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from beanleague.league.create import create_league
from beanleague.league.errors import RunError
from beanleague.model import LeagueRequest
from beanleague.referee.messages import Limits
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.cgroups import ControlGroup, ControlGroups, find
from beanleague.referee.temp_folders import PREFIX
from beanleague.store import Store
from tests.chaos.leagues import assert_same, new_league, run_league, starting
from tests.league.helpers import SECRET, bundle, contents, keep
from tests.processes import workers_of

DEALS = 1
HONEST = "from beanbot import Bot, run\nclass Any(Bot):\n    decide = lambda self, view: view.default()\nrun(Any)\n"
HOARDER = """
import contextlib, os, threading, time
from beanbot import Bot, run

class Any(Bot):
    asked = 0

    def decide(self, view):
        self.asked += 1
        if self.asked == 3:
            with contextlib.suppress(RuntimeError):  # no more can be started
                for _ in range(THREADS):
                    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
            LAST
        return view.default()

run(Any)
"""
EXIT = "os._exit(1)"
HARD = resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def run_by_command(file: Path, files: int) -> subprocess.CompletedProcess[str]:
    """Run the league in `file` as a user does, who may have this number of open files."""
    words = [sys.executable, "-m", "beanleague", "--db", str(file), "league", "run", "spring", "--trust-bots"]
    limit = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (files, files))
    return subprocess.run([*words, "--workers", "2"], capture_output=True, text=True, check=False, preexec_fn=limit)


@pytest.mark.slow  # tests/referee/test_host.py has a worker without open files
def test_a_league_without_open_files_costs_no_bot_anything_and_goes_on_when_it_has_them(tmp_path: Path) -> None:
    """First the run may have too few from the start, then its workers may open no more in the middle of it."""
    short = new_league(tmp_path / "short.db", DEALS, "bohnanza-two")
    plenty = Path(shutil.copy(short, tmp_path / "plenty.db"))

    refused = run_by_command(short, 30)
    assert refused.returncode == 1
    assert "2 bot processes of a match: they take 80 open files (allowed: 30, ulimit -n)" in refused.stderr
    assert "Traceback" not in refused.stderr

    stopped = r"deal \d of (ann|bob)@1, .* failed 3 times in a row: a worker process has reached its limit of"
    with pytest.raises(RunError, match=stopped):
        run_league(short, starting(_few_files), clock=lambda: 20 * time.monotonic())  # pauses of 2 and 10 s
    with Store(f"sqlite:///{short}") as store:
        kept = contents(store)
        assert kept["fault"] == kept["match"] == []
        assert len(kept["void"]) >= 3

    run_league(short)
    run_league(plenty)
    assert_same(short, plenty)


def _few_files(pool: WorkerPool) -> WorkerPool:
    """Let the workers open no more files from now on."""
    for worker in workers_of(pool):
        resource.prlimit(worker.pid, resource.RLIMIT_NOFILE, (30, HARD))
    return pool


@pytest.fixture
def tight() -> Iterator[ControlGroup]:
    """A group for a run and its bots with room for 150 processes and threads, like a small container."""
    places = [place for place in find(Limits()).places if place[0] == "pids"]
    if not places or find(Limits()).unified:
        pytest.skip("no control group of version 1 limits processes here")
    made = ControlGroups(tuple(places)).make(f"{PREFIX}tight-{os.getpid()}", replace(Limits(), processes=147))
    yield made
    for below in (path for folder in made.folders for path in folder.iterdir() if path.is_dir()):
        below.rmdir()  # of a bot that had not quite ended when its worker looked
    assert made.remove()


def hoarder(threads: int, last: str) -> str:
    return HOARDER.replace("THREADS", str(threads)).replace("LAST", last)


@pytest.mark.slow  # tests/referee/test_blame.py has the same without processes
@pytest.mark.parametrize(
    ("bob", "last"),
    [
        pytest.param(HONEST + "#", f"time.sleep(0.5); {EXIT}", id="alone"),
        pytest.param(HONEST + "#", EXIT, id="at once"),
        pytest.param(hoarder(9, "pass"), f"time.sleep(0.5); {EXIT}", id="beside one that seems usual"),
    ],
)
def test_a_bot_that_uses_up_the_threads_of_a_container_and_exits_pays_for_it_and_ends_no_run(
    tmp_path: Path, tight: ControlGroup, bob: str, last: str
) -> None:
    tmp_path.chmod(0o755)
    file = tmp_path / "a.db"
    with Store(f"sqlite:///{file}") as store:
        for name, code in (("ann", HONEST), ("bob", bob), ("cat", hoarder(54, last))):
            keep(store, bundle(name, code, ["bohnanza"]))
        create_league(store, LeagueRequest(name="spring", ruleset="bohnanza", seats=3, deals=2, secret=SECRET))
    words = [sys.executable, "-P", "-m", "beanleague", "--db", str(file), "league", "run", "spring", "--workers", "1"]
    run = subprocess.run(tight.enter(words), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    with Store(f"sqlite:///{file}") as store:
        assert [totals.forfeits for totals in store.leagues.totals(1)] == [0, 0, 6]
