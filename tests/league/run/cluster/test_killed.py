"""Nodes, schedulers and runners in processes of their own, with real bots, that are killed."""

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import dask
import psutil
import pytest

from beanleague.league.errors import RunError
from beanleague.league.run.cluster.connecting import configure
from beanleague.league.run.cluster.link import CLOSE_TIMEOUT_S
from beanleague.league.run.cluster.messenger import HEARTBEAT_S, LOST_AFTER_S
from beanleague.league.run.cluster.pool import ClusterPools
from beanleague.league.run.cluster.settings import ClusterSettings
from beanleague.league.run.progress import Progress
from beanleague.store import Store
from tests.chaos.leagues import new_league, run_league
from tests.league.run.cluster.processes import kill, scheduler, start_node, start_runner
from tests.processes import is_alive
from tests.waiting import until


class Run:
    """Plays what is left of the league in `file` in a thread, on the nodes of a cluster."""

    def __init__(self, file: Path, address: str) -> None:
        self.reports: list[Progress] = []
        self._error: list[RunError] = []
        self._thread = threading.Thread(target=self._play, args=(file, ClusterPools(ClusterSettings(address))))
        self._thread.start()

    def _play(self, file: Path, pools: ClusterPools) -> None:
        try:
            run_league(file, pools, self.reports.append)
        except RunError as error:
            self._error.append(error)

    def end(self) -> str:
        """Wait for its end; return why it ended early, "" if it did not."""
        self._thread.join(120)
        assert not self._thread.is_alive()
        return "".join(map(str, self._error))

    @property
    def matches(self) -> int:
        """How many matches it has played."""
        return self.reports[-1].matches_played if self.reports else 0


def descendants(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the workers and bots of a node."""
    return psutil.Process(process.pid).children(recursive=True)


@pytest.fixture
def address() -> Iterator[str]:
    with scheduler() as address:
        yield address


def test_a_node_that_is_killed_leaves_no_bots_and_its_deals_are_played_again(tmp_path: Path, address: str) -> None:
    file = new_league(tmp_path / "a.db", 3, "bohnanza-two", pause_s=0.003)
    first = start_node(address, "a", tmp_path / "cache")
    run = Run(file, address)
    until(lambda: run.matches)
    left = descendants(first)
    kill(first)
    until(lambda: not any(map(is_alive, left)))
    second = start_node(address, "b", tmp_path / "cache")
    assert run.end() == ""
    until(lambda: not descendants(second))
    kill(second)
    with Store(f"sqlite:///{file}") as store:
        assert store.leagues.get("spring").deals_done == 3
        assert sum(deal.voids for deal in store.deals.list(1)) > 0
    assert len(left) > 1


@pytest.mark.slow  # the node and the scheduler are killed in every run
def test_a_runner_that_is_killed_leaves_nothing_on_its_nodes(tmp_path: Path, address: str) -> None:
    file = new_league(tmp_path / "a.db", 30, "bohnanza-two")
    node = start_node(address, "a", tmp_path / "cache")
    runner = start_runner(address, file)
    until(lambda: len(descendants(node)) > 2)
    kill(runner)
    until(lambda: not descendants(node))
    kill(node)


def test_a_run_whose_scheduler_is_killed_ends_with_a_sentence(tmp_path: Path) -> None:
    """Within ten seconds, even if its host were unplugged: see `LOST_AFTER_S`."""
    with scheduler() as address:
        run = Run(new_league(tmp_path / "a.db", 2, "bohnanza-two"), address)
        until(lambda: any("no node is connected" in remark for each in run.reports for remark in each.remarks))
    assert run.end().startswith(f"the connection to the scheduler {address} was lost")
    assert HEARTBEAT_S + LOST_AFTER_S + CLOSE_TIMEOUT_S < 10
    configure()
    assert dask.config.get("distributed.client.heartbeat") == f"{HEARTBEAT_S}s"
