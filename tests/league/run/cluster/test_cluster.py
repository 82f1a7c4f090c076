"""Runs on nodes of a real Dask, in a thread of this process; the matches are made up."""

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import grpc
import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.errors import RunError
from beanleague.league.run.cluster import connecting, link, messenger, node as node_module, orders
from beanleague.league.run.cluster.orders import Answer, Join, Order, Play, Sealed
from beanleague.league.run.cluster.playing import NodeRuns
from beanleague.league.run.cluster.pool import ClusterPools
from beanleague.league.run.cluster.sealing import order_from_bytes, order_to_bytes
from beanleague.league.run.cluster.settings import ClusterSettings
from beanleague.league.run.progress import Progress
from beanleague.referee.deal_pool import start_workers
from beanleague.referee.messages import MatchTask
from beanleague.store import Store
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.chaos.leagues import new_league
from tests.league.conftest import MakeLeague
from tests.league.fakepool import NODE, FakePools
from tests.league.helpers import DERIVED, contents, league_run
from tests.league.run.cluster.clusters import Cluster, cluster
from tests.league.run.cluster.processes import free_port
from tests.processes import listening
from tests.waiting import ending, until

LEFT_OUT = DERIVED | {"node", "run", "void", "deal"}


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "nodes") as made:
        yield made


def play(store: Store, nodes: Cluster, reports: list[Progress] | None = None) -> None:
    """Play the league "spring" on the nodes."""
    report = reports.append if reports is not None else lambda _: None
    league_run(store, ClusterPools(nodes.settings), report=report).play()


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


def test_without_certificates_scheduler_node_and_run_listen_to_this_machine_alone(
    make_league: MakeLeague, nodes: Cluster
) -> None:
    before, during = listening(), set[tuple[str, int]]()
    nodes.add("one", FakePools(before=lambda _: during.update(listening())))
    play(make_league(), nodes)
    assert len(during) > len(before)
    assert {address for address, _ in before | during} == {"127.0.0.1"}


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
    monkeypatch.setattr(orders, "VERSION", "Beanleague 0.0.1 with rules 1")
    pools = FakePools()
    nodes.add("old", pools)
    store, reports = make_league(), list[Progress]()
    run = league_run(store, ClusterPools(nodes.settings), report=reports.append)
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
    with pytest.raises(RunError, match=r"the connection to the scheduler tcp://127.0.0.1:\d+ was lost"):
        play(store, nodes)
    assert store.runs.running() == frozenset()


def test_a_scheduler_whose_host_is_silent_is_given_up(nodes: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[tuple[str, int]] = []

    def give_up_after(connection: socket.socket, silence_s: int) -> None:
        connecting.give_up_after(connection, silence_s)
        host, port = connection.getpeername()
        limits.append((f"tcp://{host}:{port}", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)))

    monkeypatch.setattr(messenger, "give_up_after", give_up_after)
    messenger.DaskLink(nodes.settings).close()
    assert limits == [(nodes.settings.address, 1000 * messenger.LOST_AFTER_S)]


def test_a_scheduler_that_is_not_there_is_named(make_league: MakeLeague) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(RunError, match=f"nothing listens at {address}; start 'beanleague cluster scheduler' there"):
        league_run(make_league(), ClusterPools(ClusterSettings(address))).play()


NODES = {"same": replace(NODE, name="same"), "other": replace(NODE, name="other", cpu="another CPU")}


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A cluster whose nodes "same" and "other" have different CPUs."""
    monkeypatch.setattr(node_module, "this_node", NODES.__getitem__)
    with cluster(tmp_path / "nodes") as made:
        yield made


def started(store: Store, models: Cluster) -> tuple[list[Progress], Callable[[], None]]:
    """Start a run on the nodes; return its reports, and what waits for its end."""
    reports = list[Progress]()
    run = league_run(store, ClusterPools(models.settings), report=reports.append)
    thread = threading.Thread(target=run.play)
    thread.start()
    return reports, lambda: thread.join(60)


def test_deals_and_those_that_failed_are_kept_with_their_nodes(store: Store, models: Cluster) -> None:
    held, let_go = threading.Event(), threading.Event()

    def hold(_: MatchTask) -> None:
        held.set()
        let_go.wait(60)

    models.add("other", FakePools(before=hold))
    _, ended = started(store, models)
    assert held.wait(60)
    models.add("same", FakePools())
    models.lose("other")
    ended()
    let_go.set()
    assert {deal.node for deal in store.deals.list(1)} == {NODES["same"]}
    voids = store.deals.voids(1, limit=99)
    assert {void.node for void in voids} == {NODES["other"]}
    assert [(each.node.name, each.deals, each.voids) for each in store.nodes.totals(1)] == [
        ("other", 0, len(voids)),
        ("same", 10, 0),
    ]


def test_a_node_with_another_cpu_than_the_league_demands_is_not_used(make_league: MakeLeague, models: Cluster) -> None:
    store, unused = make_league(one_cpu=True), FakePools()
    first = FakePools()
    run = league_run(store, first, in_flight=1)
    first.before = lambda _: run.stop() if first.played >= 10 else None
    run.play()
    assert store.leagues.get("spring").cpu == NODE.cpu
    before = store.leagues.get("spring").deals_done
    models.add("other", unused)
    reports, ended = started(store, models)
    why = "node other is not used: its CPU is another CPU, but this league is played only on a CPU"
    until(lambda: any(why in each.remarks for each in reports))
    assert store.leagues.get("spring").deals_done == before < 10
    models.add("same", FakePools())
    ended()
    assert {deal.node.name for deal in store.deals.list(1)[before:] if deal.node} == {"same"}
    assert store.leagues.get("spring").deals_done == 10
    assert unused.started == 0
    assert reports[-1].remarks == (why,)


def test_seeds_are_sealed_and_the_master_secret_stays(
    make_league: MakeLeague, nodes: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bytes] = []

    def keep(order: Order) -> bytes:
        sent.append(order_to_bytes(order))
        return sent[-1]

    monkeypatch.setattr(link, "order_to_bytes", keep)
    nodes.add("a", FakePools())
    store = make_league()
    league_run(store, ClusterPools(nodes.settings)).play()
    opened = [order_from_bytes(data) for data in sent]
    secret = store.leagues.get("spring").secret
    tasks = [task for order in opened if isinstance(order, Play) for task in order.tasks]
    seeds = {match.seed for task in tasks for match in task.matches}
    assert len(seeds) == 10
    assert any(isinstance(order, Join) for order in opened)
    assert secret
    assert repr(Sealed(sent[0], b"")) == "<sealed>"
    for data in sent:
        assert secret not in data
        assert str(tmp_path).encode() not in data  # the database is there
    assert any(seed in data for seed in seeds for data in sent)  # so would the others be found
    assert not any(repr(seed) in repr(tasks) for seed in seeds)


def test_a_node_without_a_sandbox_refuses_bots_that_the_run_does_not_trust(
    make_league: MakeLeague, nodes: Cluster
) -> None:
    nodes.add("open", partial(start_workers, layers=()))
    store, reports = make_league(), list[Progress]()
    run = league_run(store, ClusterPools(nodes.settings), report=reports.append)
    thread = threading.Thread(target=run.play)
    thread.start()
    until(lambda: any("node open is not used: no sandbox works" in " ".join(each.remarks) for each in reports))
    assert store.leagues.get("spring").deals_done == 0
    nodes.add("closed", FakePools())
    thread.join(60)
    assert {deal.node.name for deal in store.deals.list(1) if deal.node} == {"closed"}


@contextmanager
def server(file: Path, address: str) -> Iterator[LeagueStub]:
    """Serve a database in a process of its own, which plays on a cluster; give a connection to it."""
    words = ["serve", "--db", str(file), "--listen", "127.0.0.1:0", "--cluster", address, "--trust-bots"]
    command = [sys.executable, "-m", "beanleague", *words]
    with ending(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as process:
        assert process.stdout is not None
        try:
            listens = process.stdout.readline().removeprefix("Serving at ").partition(";")[0]
            with grpc.insecure_channel(listens) as channel:
                yield LeagueStub(channel)
        finally:
            process.terminate()


@pytest.mark.slow  # test_killed.py plays one of real bots on two nodes in every run
def test_a_server_plays_a_league_of_real_bots_on_a_node(tmp_path: Path) -> None:
    file = new_league(tmp_path / "a.db", 2, "bohnanza-two")
    with cluster(tmp_path / "nodes") as nodes:
        nodes.add("moor", start_workers)
        with server(file, nodes.settings.address) as stub:
            *_, last = stub.RunLeague(pb.RunLeagueRequest(name="spring"))
    assert [(node.node.name, node.deals) for node in last.nodes] == [("moor", 2)]
    with Store(f"sqlite:///{file}") as store:
        assert [deal.node and deal.node.name for deal in store.deals.list(1)] == ["moor", "moor"]
        assert store.leagues.get("spring").deals_done == 2
