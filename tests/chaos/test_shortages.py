"""A host that is short of something: no honest bot pays for it, and the run says what is short."""

import resource
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from beanleague.league.errors import RunError
from beanleague.referee.pool import WorkerPool
from beanleague.store import Store
from tests.chaos.leagues import assert_same, new_league, run_league, starting
from tests.league.helpers import contents
from tests.processes import workers_of

DEALS = 1
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
    assert "2 bot processes of a match: that takes 80 open files, and 30 are allowed (ulimit -n)" in refused.stderr
    assert "Traceback" not in refused.stderr

    stopped = r"deal \d of (ann|bob)@1, .* failed 3 times in a row: a worker process has no open files left"
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
