"""`beanleague serve --cluster` plays its leagues on nodes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.referee.deal_pool import start_workers
from beanleague.store.store import Store
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.chaos.leagues import new_league
from tests.league.run.cluster.clusters import cluster


@contextmanager
def server(file: Path, address: str) -> Iterator[LeagueStub]:
    """Serve a database in a process of its own, which plays on a cluster; give a connection to it."""
    words = ["serve", "--db", str(file), "--listen", "127.0.0.1:0", "--cluster", address, "--trust-bots"]
    with subprocess.Popen([sys.executable, "-m", "beanleague", *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            listens = process.stdout.readline().removeprefix("Serving at ").partition(";")[0]
            with grpc.insecure_channel(listens) as channel:
                yield LeagueStub(channel)
        finally:
            process.terminate()


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
