"""Runs on nodes of a real Dask, in a thread of this process; the matches are made up."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from beanleague.league.errors import RunError
from beanleague.league.run.cluster import link, reach
from beanleague.league.run.cluster import node as node_module
from beanleague.league.run.cluster.orders import Answer, Join
from beanleague.league.run.cluster.pool import ClusterPools
from beanleague.league.run.cluster.runs import NodeRuns
from beanleague.league.run.cluster.settings import ClusterSettings
from beanleague.league.run.progress import Progress
from beanleague.referee.messages import MatchTask
from beanleague.store.store import Store
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools
from tests.league.helpers import DERIVED, contents, league_run
from tests.league.run.cluster.clusters import Cluster, cluster, until
from tests.league.run.cluster.processes import free_port

LEFT_OUT = DERIVED | {"node", "run", "void", "deal"}


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "nodes") as made:
        yield made


def play(store: Store, nodes: Cluster, reports: list[Progress] | None = None) -> None:
    """Play the league "spring" on the nodes."""
    report = reports.append if reports is not None else lambda _: None
    league_run(store, ClusterPools(nodes.settings), report=report).play()  # type: ignore[arg-type]


def written(store: Store) -> str:
    """Return what the first bot wrote."""
    return "".join(log.text for log in store.logs.get(1))


def test_a_league_played_on_nodes_has_the_results_of_any_other(make_league: MakeLeague, nodes: Cluster) -> None:
    pools = {name: FakePools(order=order, logs="beans\n") for order, name in enumerate("ab")}
    for name, each in pools.items():
        nodes.add(name, each)
    store, whole, reports = make_league(), make_league(), list[Progress]()
    play(store, nodes, reports)
    league_run(whole, FakePools(logs="beans\n")).play()
    assert contents(store, leave_out=LEFT_OUT | {"bot_log"}) == contents(whole, leave_out=LEFT_OUT | {"bot_log"})
    assert {name: each.played > 0 for name, each in pools.items()} == {"a": True, "b": True}
    assert sum(each.played for each in pools.values()) == 40
    assert [each.node.name for each in reports[-1].nodes] == ["a", "b"]
    assert sum(each.deals for each in reports[-1].nodes) == 10
    assert written(store).count("beans") == written(whole).count("beans")
    assert "last words" in written(store)


def test_a_node_gets_each_bundle_once(make_league: MakeLeague, nodes: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    brought = list[int]()
    join = NodeRuns.join

    def counted(runs: NodeRuns, run: str, order: Join, say: Callable[[Answer], None]) -> Answer:
        brought.append(len(order.bundles))
        return join(runs, run, order, say)

    monkeypatch.setattr(NodeRuns, "join", counted)
    nodes.add("a", FakePools())
    play(make_league(), nodes)
    play(make_league(), nodes)
    assert brought == [0, 5, 0]


def test_all_matches_of_a_deal_are_played_on_one_node(make_league: MakeLeague, nodes: Cluster) -> None:
    pools = [FakePools(), FakePools()]
    for number, each in enumerate(pools):
        nodes.add(str(number), each)
    play(make_league(isolate=True), nodes)
    first, second = ({task.seed for task in each.tasks} for each in pools)
    assert not first & second
    assert len(first | second) == 10


def test_a_run_without_nodes_says_so_and_waits_for_one(make_league: MakeLeague, nodes: Cluster) -> None:
    store, reports = make_league(), list[Progress]()
    thread = threading.Thread(target=play, args=(store, nodes, reports))
    thread.start()
    until(lambda: any("no node is connected" in " ".join(each.remarks) for each in reports))
    nodes.add("late", FakePools())
    thread.join(60)
    assert store.leagues.get("spring").deals_done == 10
    assert reports[-1].remarks == ()


def test_deals_of_a_node_that_goes_are_void_and_played_elsewhere(make_league: MakeLeague, nodes: Cluster) -> None:
    held, let_go = threading.Event(), threading.Event()

    def hold(_: MatchTask) -> None:
        held.set()
        let_go.wait(60)

    nodes.add("a", FakePools(before=hold))
    store, whole, reports = make_league(), make_league(), list[Progress]()
    thread = threading.Thread(target=play, args=(store, nodes, reports))
    thread.start()
    assert held.wait(60)
    nodes.add("b", FakePools())
    nodes.lose("a")
    thread.join(60)
    let_go.set()
    league_run(whole, FakePools()).play()
    assert contents(store, leave_out=LEFT_OUT) == contents(whole, leave_out=LEFT_OUT)
    assert sum(deal.voids for deal in store.deals.list(1)) == reports[-1].voided_deals > 0


def test_a_node_of_another_version_is_not_used(
    make_league: MakeLeague, nodes: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_module, "VERSION", "Beanleague 0.0.1 with rules 1")
    pools = FakePools()
    nodes.add("old", pools)
    store, reports = make_league(), list[Progress]()
    run = league_run(store, ClusterPools(nodes.settings), report=reports.append)  # type: ignore[arg-type]
    thread = threading.Thread(target=run.play)
    thread.start()
    until(lambda: any("node old is not used: it has Beanleague 0.0.1" in " ".join(each.remarks) for each in reports))
    run.stop()
    thread.join(60)
    assert pools.started == 0


def test_a_run_whose_scheduler_goes_ends_with_a_sentence(make_league: MakeLeague, nodes: Cluster) -> None:
    store = make_league()
    stopping = threading.Event()

    def stop(_: MatchTask) -> None:
        if not stopping.is_set():
            stopping.set()
            threading.Thread(target=nodes.call, args=(nodes.scheduler.close(),)).start()

    nodes.add("a", FakePools(before=stop))
    with pytest.raises(RunError, match=r"the connection to the scheduler tcp://127.0.0.1:\d+ is lost"):
        play(store, nodes)
    assert store.runs.running() == frozenset()


def test_a_scheduler_whose_host_is_silent_is_given_up(nodes: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[tuple[str, int]] = []

    def give_up_after(connection: socket.socket, silence_s: int) -> None:
        reach.give_up_after(connection, silence_s)
        host, port = connection.getpeername()
        limits.append((f"tcp://{host}:{port}", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)))

    monkeypatch.setattr(link, "give_up_after", give_up_after)
    link.DaskLink(nodes.settings).close()
    assert limits == [(nodes.settings.address, 1000 * link.LOST_AFTER_S)]


def test_a_scheduler_that_is_not_there_is_named(make_league: MakeLeague) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(RunError, match=f"nothing listens at {address}; start 'beanleague cluster scheduler' there"):
        league_run(make_league(), ClusterPools(ClusterSettings(address))).play()  # type: ignore[arg-type]
