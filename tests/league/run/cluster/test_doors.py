"""Connections that say nothing, where Dask listens."""

import errno
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.run.cluster import doors
from beanleague.league.run.cluster.certs import make_certs
from beanleague.league.run.cluster.connecting import why_unreachable
from beanleague.league.run.cluster.doors import too_few_files
from beanleague.league.run.cluster.settings import ClusterSettings
from tests.league.fakepool import FakePools
from tests.league.run.cluster.clusters import Cluster, cluster
from tests.league.run.cluster.processes import free_port
from tests.league.run.cluster.test_connecting import scheduling

MOST = 8


@pytest.fixture(params=["tcp", "tls"])
def settings(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ClusterSettings]:
    """A scheduler that knows few strangers, for a short time."""
    monkeypatch.setattr(doors, "MOST_STRANGERS", MOST)
    monkeypatch.setattr(doors, "HANDSHAKE_S", 1.0)
    if request.param == "tls":
        make_certs(tmp_path / "certs")
    address = f"{request.param}://127.0.0.1:{free_port()}"
    made = ClusterSettings.of(address, tmp_path / "certs" if request.param == "tls" else None)
    with scheduling(made, []):
        yield made


def silent(stack: ExitStack, number: int, port: int) -> list[socket.socket]:
    """Connect so often, and say nothing."""
    return [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)) for _ in range(number)]


def is_ended(connection: socket.socket) -> bool:
    """Wait until the other end has closed a connection."""
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True


def test_of_many_who_say_nothing_the_oldest_are_closed_and_others_served(settings: ClusterSettings) -> None:
    with ExitStack() as stack:
        flood = silent(stack, 5 * MOST, settings.port)
        assert all(map(is_ended, flood[: 4 * MOST]))
        assert why_unreachable(settings) == ""
        assert all(map(is_ended, flood))  # in the end, for their silence


def test_a_node_keeps_no_silent_connections_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with cluster(tmp_path) as made, ExitStack() as stack:
        made.add("a", FakePools())
        monkeypatch.setattr(doors, "HANDSHAKE_S", 0.1)
        assert all(map(is_ended, silent(stack, 3, port_of_node(made))))


def port_of_node(made: Cluster) -> int:
    (address,) = made.scheduler.workers
    return int(address.rpartition(":")[2])


def test_a_connection_is_closed_when_no_file_can_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the system would say again and again that somebody waits."""
    accept = socket.socket.accept
    full = [OSError(errno.EMFILE, "Too many open files")]

    def accept_or_not(listening: socket.socket) -> object:
        if full:
            raise full.pop()
        return accept(listening)

    with doors.Door.of(socket.create_server(("127.0.0.1", 0))) as door, ExitStack() as stack:
        door.setblocking(True)
        first, _ = silent(stack, 2, door.getsockname()[1])
        monkeypatch.setattr(socket.socket, "accept", accept_or_not)
        with pytest.raises(BlockingIOError):
            door.accept()
        assert is_ended(first)
        door.accept()[0].close()


def test_a_process_that_may_open_few_files_says_for_how_many_nodes_these_suffice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1024))
    assert too_few_files().startswith("This process may open 1,024 files, enough for 192 nodes")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (65_536, 65_536))
    assert too_few_files() == ""
