"""A cluster of hosts that share nothing but a network, used by its commands."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.run.cluster.certs import make_certs
from beanleague.referee.deal_pool import start_workers
from beanleague.store import Store
from tests.chaos.leagues import LEFT_OUT, new_league, run_league
from tests.league.helpers import contents
from tests.league.run.cluster.hosts import Host, Program, hosts
from tests.waiting import until

ADDRESS = "tls://192.0.2.1:8786"
TLS = ("--cluster-tls", "cluster")
DEALS = 3


@dataclass
class Cluster:
    """A scheduler on the first host, where runs are started, and nodes on the others."""

    first: Host
    others: Sequence[Host]
    scheduler: Program

    def node(self, host: Host, name: str) -> Program:
        """Start a node with one worker."""
        return host.start("beanleague", "node", "--scheduler", ADDRESS, *TLS, "--workers", "1", "--name", name)

    def league(self, deals: int) -> Path:
        """Make a league."""
        return new_league(self.first.home / "a.db", deals, "bohnanza-two")

    def play(self) -> Program:
        """Start a run of it."""
        words = ["league", "run", "spring", "--db", "a.db", "--cluster", ADDRESS, *TLS, "--in-flight", "2"]
        return self.first.start("beanleague", *words, "--trust-bots")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of three hosts, without nodes."""
    with hosts(tmp_path, 3) as (first, *others):
        make_certs(first.home / "cluster")
        for host in others:
            shutil.copytree(first.home / "cluster", host.home / "cluster")
        yield Cluster(first, others, start_scheduler(first))


def start_scheduler(host: Host) -> Program:
    program = host.start("beanleague", "cluster", "scheduler", "--listen", "192.0.2.1:8786", *TLS)
    program.says("Scheduling at")
    return program


def played(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that is stored of a league that has been played, but who played it when."""
    with Store(f"sqlite:///{file}") as store:
        league = store.leagues.get("spring")
        assert league.deals_done == league.deals
        return contents(store, leave_out=LEFT_OUT | {"node"})


def local(folder: Path, deals: int) -> dict[str, list[tuple[object, ...]]]:
    """The same league, played here."""
    folder.mkdir()
    file = new_league(folder / "a.db", deals, "bohnanza-two")

    def start(*args: object, **settings: object) -> object:
        return start_workers(*args, **{**settings, "workers": 1})  # type: ignore[arg-type]

    run_league(file, start)  # type: ignore[arg-type]
    return played(file)


@pytest.mark.slow  # test_cluster.py has nodes on one host
def test_hosts_play_the_matches_that_one_machine_plays(cluster: Cluster, tmp_path: Path) -> None:
    file = cluster.league(DEALS)
    nodes = [cluster.node(host, f"n{number}") for number, host in enumerate(cluster.others)]
    cluster.scheduler.says("has joined", times=2)
    run = cluster.play()
    assert run.end() == 0, run.text
    assert "2 nodes with 2 workers" in run.text
    on_hosts = played(file)
    assert len(on_hosts["match"]) == 2 * DEALS
    with Store(f"sqlite:///{file}") as store:
        assert {each.node.name for each in store.nodes.totals(1)} == {"n0", "n1"}
    assert on_hosts == local(tmp_path / "one", DEALS)
    assert [node.process.poll() for node in nodes] == [None, None]


@pytest.mark.slow
def test_whatever_is_killed_every_deal_counts_once_and_no_process_is_left(cluster: Cluster, tmp_path: Path) -> None:
    """Ten times a node in the middle of deals, once the runner and once the scheduler; another node joins late."""
    deals = 40
    file = cluster.league(deals)
    host, late = cluster.others
    node, run = cluster.node(host, "again"), cluster.play()
    for killed in range(10):
        until(lambda: len(host.others()) > 2)  # a worker and its bots
        node.kill()
        assert_nothing_runs_on(host)
        node = cluster.node(host, "again")
        if killed == 3:
            until(lambda: len(host.others()) > 2)
            run.kill()
            assert_nothing_runs_on(host)
            run = cluster.play()
        elif killed == 6:
            cluster.scheduler.kill()
            assert run.end() == 1
            assert f"the scheduler {ADDRESS} was lost" in run.text
            assert_nothing_runs_on(host)
            cluster.scheduler = start_scheduler(cluster.first)
            run = cluster.play()
        elif killed == 8:
            cluster.node(late, "late")
    assert run.end() == 0, run.text
    assert_nothing_runs_on(host)
    assert_nothing_runs_on(late)
    assert played(file) == local(tmp_path / "one", deals)
    with Store(f"sqlite:///{file}") as store:
        totals = {each.node.name: each for each in store.nodes.totals(1)}
        assert totals.keys() == {"again", "late"}
        assert totals["again"].voids >= 8, "all but the killed runner wrote down what was lost each time"


@pytest.mark.slow
def test_a_run_ends_if_the_host_of_its_scheduler_is_unplugged(cluster: Cluster) -> None:
    """Sooner than Dask would have noticed, which is after 30 s."""
    host, _ = cluster.others
    new_league(host.home / "a.db", 2, "bohnanza-two")
    words = ["league", "run", "spring", "--db", "a.db", "--cluster", ADDRESS, *TLS]
    run = host.start("beanleague", *words)
    until(lambda: "no node is connected" in run.text)
    cluster.first.unplug()
    later = host.start("sleep", "15")
    assert run.end() == 1
    assert later.process.poll() is None
    assert f"the scheduler {ADDRESS} was lost" in run.text


def assert_nothing_runs_on(host: Host) -> None:
    """See that within a minute no worker and no bot is there any more."""
    until(lambda: host.others() == [])
