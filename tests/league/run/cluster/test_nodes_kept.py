"""Deals of a cluster are kept with their nodes, and leagues that demand it are played on one model of CPU."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.league.run.cluster import node as node_module
from beanleague.league.run.cluster.pool import ClusterPools
from beanleague.league.run.progress import Progress
from beanleague.referee.messages import MatchTask
from beanleague.store.store import Store
from tests.league.conftest import MakeLeague
from tests.league.fakepool import NODE, FakePools
from tests.league.helpers import league_run
from tests.league.run.cluster.clusters import Cluster, cluster, until

NODES = {"same": replace(NODE, name="same"), "other": replace(NODE, name="other", cpu="another CPU")}


@pytest.fixture
def nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A cluster whose nodes "same" and "other" have different CPUs."""
    monkeypatch.setattr(node_module, "this_node", NODES.__getitem__)
    with cluster(tmp_path / "nodes") as made:
        yield made


def started(store: Store, nodes: Cluster) -> tuple[list[Progress], Callable[[], None]]:
    """Start a run on the nodes; return its reports, and what waits for its end."""
    reports = list[Progress]()
    run = league_run(store, ClusterPools(nodes.settings), report=reports.append)  # type: ignore[arg-type]
    thread = threading.Thread(target=run.play)
    thread.start()
    return reports, lambda: thread.join(60)


def test_deals_and_those_that_failed_are_kept_with_their_nodes(store: Store, nodes: Cluster) -> None:
    held, let_go = threading.Event(), threading.Event()

    def hold(_: MatchTask) -> None:
        held.set()
        let_go.wait(60)

    nodes.add("other", FakePools(before=hold))
    _, ended = started(store, nodes)
    assert held.wait(60)
    nodes.add("same", FakePools())
    nodes.lose("other")
    ended()
    let_go.set()
    assert {deal.node for deal in store.deals.list(1)} == {NODES["same"]}
    voids = store.deals.voids(1, limit=99)
    assert {void.node for void in voids} == {NODES["other"]}
    assert [(each.node.name, each.deals, each.voids) for each in store.nodes.totals(1)] == [
        ("other", 0, len(voids)),
        ("same", 10, 0),
    ]


def test_a_node_with_another_cpu_than_the_league_demands_is_not_used(make_league: MakeLeague, nodes: Cluster) -> None:
    store, unused = make_league(one_cpu=True), FakePools()
    first = FakePools()
    run = league_run(store, first, in_flight=1)
    first.before = lambda _: run.stop() if first.played >= 10 else None
    run.play()
    assert store.leagues.get("spring").cpu == NODE.cpu
    before = store.leagues.get("spring").deals_done
    nodes.add("other", unused)
    reports, ended = started(store, nodes)
    why = "node other is not used: its CPU is another CPU, and this league is played on a CPU alone"
    until(lambda: any(why in each.remarks for each in reports))
    assert store.leagues.get("spring").deals_done == before < 10
    nodes.add("same", FakePools())
    ended()
    assert {deal.node.name for deal in store.deals.list(1)[before:] if deal.node} == {"same"}
    assert store.leagues.get("spring").deals_done == 10
    assert unused.started == 0
    assert reports[-1].remarks == (why,)
