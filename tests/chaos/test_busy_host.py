"""A host with far too much to do: no honest bot loses a decision for it, and the run says how long bots waited."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.league.run.progress import Progress
from beanleague.store.store import Store
from tests.chaos.leagues import SEATS, new_league, run_league
from tests.league.helpers import contents


@pytest.fixture
def _busy_host() -> Iterator[None]:
    """Eight processes a core that never rest."""
    words = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(words) for _ in range(8 * (os.cpu_count() or 1))]
    yield
    for process in busy:
        process.kill()
    for process in busy:
        process.wait()


@pytest.mark.usefixtures("_busy_host")
@pytest.mark.parametrize("deals", [pytest.param(1, id="short"), pytest.param(15, id="long", marks=pytest.mark.slow)])
def test_no_bot_loses_a_decision_and_the_hosts_delay_is_reported(tmp_path: Path, deals: int) -> None:
    league = new_league(tmp_path / "a.db", deals)
    reports: list[Progress] = []
    run_league(league, report=reports.append)
    assert reports[-1].matches_done == SEATS * deals
    assert reports[-1].host_delay > 1
    with Store(f"sqlite:///{league}") as store:
        kept = contents(store)
    assert len(kept["match"]) == SEATS * deals
    assert kept["fault"] == []
