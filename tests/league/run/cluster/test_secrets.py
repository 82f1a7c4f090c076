"""What Dask is given of a run, and which bots a node refuses."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.run.cluster import link
from beanleague.league.run.cluster.orders import Join, Play, Sealed
from beanleague.league.run.cluster.pool import ClusterPools
from beanleague.league.run.progress import Progress
from beanleague.referee.deal_pool import start_workers
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools
from tests.league.helpers import league_run
from tests.league.run.cluster.clusters import Cluster, cluster, until


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "nodes") as made:
        yield made


def test_seeds_are_sealed_and_the_master_secret_stays(
    make_league: MakeLeague, nodes: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Sealed] = []

    def seal(order: object) -> Sealed:
        sent.append(Sealed(order))
        return sent[-1]

    monkeypatch.setattr(link, "Sealed", seal)
    nodes.add("a", FakePools())
    store = make_league()
    league_run(store, ClusterPools(nodes.settings)).play()  # type: ignore[arg-type]
    orders = [sealed.open() for sealed in sent]
    secret = store.leagues.get("spring").secret
    tasks = [task for order in orders if isinstance(order, Play) for task in order.tasks]
    seeds = {match.seed for task in tasks for match in task.matches}
    assert len(seeds) == 10
    assert any(isinstance(order, Join) for order in orders)
    assert secret
    for sealed in sent:
        assert repr(sealed) == "<sealed>"
        data = pickle.dumps(sealed)
        assert secret not in data
        assert str(tmp_path).encode() not in data  # the database is there
    assert any(seed in pickle.dumps(sealed) for seed in seeds for sealed in sent)  # so would the others be found
    assert not any(repr(seed) in repr(tasks) for seed in seeds)


def test_a_node_without_a_sandbox_refuses_bots_that_the_run_does_not_trust(
    make_league: MakeLeague, nodes: Cluster
) -> None:
    nodes.add("open", partial(start_workers, layers=()))
    store, reports = make_league(), list[Progress]()
    run = league_run(store, ClusterPools(nodes.settings), report=reports.append)  # type: ignore[arg-type]
    thread = threading.Thread(target=run.play)
    thread.start()
    until(lambda: any("node open is not used: no sandbox works" in " ".join(each.remarks) for each in reports))
    assert store.leagues.get("spring").deals_done == 0
    nodes.add("closed", FakePools())
    thread.join(60)
    assert {deal.node.name for deal in store.deals.list(1) if deal.node} == {"closed"}
