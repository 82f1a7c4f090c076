"""Who is let into a cluster, what is said of who is not, and what is set of Dask."""

import asyncio
import contextlib
import logging
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

import dask
from distributed import Client, Security

from beanleague.league.run.cluster.certs import make_certs
from beanleague.league.run.cluster.connecting import configure, why_unreachable
from beanleague.league.run.cluster.doors import Refusals
from beanleague.league.run.cluster.node import serve_node
from beanleague.league.run.cluster.scheduler import schedule
from beanleague.league.run.cluster.settings import CA, CERT, KEY, ClusterError, ClusterSettings
from tests.league.run.cluster.processes import free_port
from tests.processes import listening
from tests.waiting import join, until


@contextlib.contextmanager
def scheduling(settings: ClusterSettings, said: list[str]) -> Iterator[None]:
    """Run a scheduler in a thread."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    def say(line: str) -> None:
        said.append(line)
        ready.set()

    async def work() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await schedule(settings, say=say)

    task = loop.create_task(work())
    thread = threading.Thread(target=loop.run_until_complete, args=(task,), daemon=True)
    thread.start()
    assert ready.wait(60)
    try:
        yield
    finally:
        loop.call_soon_threadsafe(task.cancel)
        join(thread)
        loop.close()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Certificates of two clusters."""
    home = tmp_path_factory.mktemp("clusters")
    for name in "ab":
        make_certs(home / name)
    return home / "a", home / "b"


@pytest.fixture(scope="module")
def said() -> list[str]:
    return []


@pytest.fixture(scope="module")
def before() -> set[tuple[str, int]]:
    """Where this process listened before the scheduler began."""
    return listening()


@pytest.fixture(scope="module")
def address(before: set[tuple[str, int]], folders: tuple[Path, Path], said: list[str]) -> Iterator[str]:
    """The address of a scheduler with the first certificates."""
    del before  # looked at first
    address = f"tls://127.0.0.1:{free_port()}"
    with scheduling(ClusterSettings.of(address, folders[0]), said):
        yield address


def client_context(ca: Path) -> ssl.SSLContext:
    """A program that trusts an authority, and has no certificate of its own."""
    context = ssl.create_default_context(cafile=str(ca))
    context.check_hostname = False
    return context


def is_refused(address: str, context: ssl.SSLContext) -> bool:
    """Whether the scheduler ends a connection before it says anything."""
    host, port = address.removeprefix("tls://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as plain:
        try:
            with context.wrap_socket(plain) as encrypted:
                return not encrypted.recv(1)
        except ssl.SSLError:
            return True


def greet(server: socket.socket) -> None:
    """Be another program that listens."""
    connection, _ = server.accept()
    with connection:
        connection.sendall(b"hello")


def test_with_a_certificate_of_the_cluster_one_is_let_in(address: str, folders: tuple[Path, Path]) -> None:
    settings = ClusterSettings.of(address, folders[0])
    assert why_unreachable(settings) == ""
    context = client_context(folders[0] / CA)
    context.load_cert_chain(folders[0] / CERT, folders[0] / KEY)
    assert not is_refused(address, context)
    configure()
    with Client(address, security=settings.security(), set_as_default=False) as client:
        assert client.scheduler_info()["workers"] == {}


def test_without_a_certificate_one_is_refused(address: str, folders: tuple[Path, Path], said: list[str]) -> None:
    assert is_refused(address, client_context(folders[0] / CA))
    until(lambda: any("peer did not return a certificate" in line for line in said))


def test_each_host_that_is_refused_is_named_once() -> None:
    said: list[str] = []
    refusals = Refusals(said.append)
    for port, why in ((1, "unknown CA"), (2, "unknown CA")):
        words = ("tls://192.0.2.1:8786", f"tls://192.0.2.7:{port}", why)
        line = "Listener on %r: TLS handshake failed with remote %r: %s"
        refusals.emit(logging.LogRecord("distributed.comm.tcp", logging.WARNING, "", 0, line, words, None))
    for _ in range(3):
        refusals.emit(logging.LogRecord("distributed.comm.tcp", logging.WARNING, "", 0, "something else", (), None))
    host = "Refused connections from 192.0.2.7: it has no certificate of this cluster (unknown CA)"
    assert said == [host, "Refused: something else"]


def test_with_a_certificate_of_another_authority_one_is_refused(address: str, folders: tuple[Path, Path]) -> None:
    context = client_context(folders[0] / CA)
    context.load_cert_chain(folders[1] / CERT, folders[1] / KEY)
    assert is_refused(address, context)
    configure()
    security = Security(
        require_encryption=True,
        tls_ca_file=str(folders[0] / CA),
        tls_client_cert=str(folders[1] / CERT),
        tls_client_key=str(folders[1] / KEY),
    )
    with pytest.raises(OSError, match=r"TLS|SSL|closed|Timed out"):
        Client(address, security=security, timeout=2, set_as_default=False)


def test_certificates_of_another_cluster_are_called_so(address: str, folders: tuple[Path, Path]) -> None:
    why = why_unreachable(ClusterSettings.of(address, folders[1]))
    assert why.startswith(f"the scheduler {address} does not belong to the cluster of {folders[1] / CA} (")


def test_nothing_is_said_in_plain_text(address: str) -> None:
    why = why_unreachable(ClusterSettings(address.replace("tls", "tcp")), timeout_s=0.2)
    assert why.endswith("does not respond; it may need certificates (tls://)")


def test_no_page_shows_the_scheduler(address: str, before: set[tuple[str, int]]) -> None:
    """Dask has a web server without TLS."""
    assert {port for _, port in listening() - before} == {int(address.rpartition(":")[2])}


def test_an_address_without_a_scheduler_is_called_so(folders: tuple[Path, Path]) -> None:
    address = f"tls://127.0.0.1:{free_port()}"
    assert why_unreachable(ClusterSettings.of(address, folders[0])).startswith(f"nothing listens at {address}")
    with socket.create_server(("127.0.0.1", 0)) as other:
        thread = threading.Thread(target=greet, args=(other,), daemon=True)
        thread.start()
        address = f"tls://127.0.0.1:{other.getsockname()[1]}"
        assert "does not use TLS" in why_unreachable(ClusterSettings.of(address, folders[0]))
        join(thread)
    assert "there is no machine called 'x.invalid'" in why_unreachable(
        ClusterSettings.of("tls://x.invalid:1", folders[0])
    )


def test_a_port_that_is_taken_is_said(folders: tuple[Path, Path]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        settings = ClusterSettings.of(f"tls://127.0.0.1:{other.getsockname()[1]}", folders[0])
        with pytest.raises(ClusterError, match=r"cannot listen at .*: Address already in use"):
            asyncio.run(schedule(settings))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "node1", "tcp://0.0.0.0"])
def test_a_node_that_others_can_reach_needs_certificates(host: str, tmp_path: Path) -> None:
    settings = ClusterSettings(f"tcp://127.0.0.1:{free_port()}")
    node = serve_node(settings, workers=1, cache=tmp_path, host=host)
    with pytest.raises(ClusterError, match="without certificates anybody there could run programs here"):
        asyncio.run(asyncio.wait_for(node, 5))


def test_a_node_may_name_an_address_that_others_can_reach_if_it_has_certificates(folders: tuple[Path, Path]) -> None:
    ClusterSettings("tcp://127.0.0.1:1").check_listening("127.0.0.1")
    ClusterSettings.of("tls://192.0.2.1:1", folders[0]).check_listening("0.0.0.0")


def test_dask_itself_plays_nothing_again_and_moves_nothing() -> None:
    with dask.config.set({"distributed.scheduler.allowed-failures": 3, "distributed.scheduler.work-stealing": True}):
        configure()
        assert dask.config.get("distributed.scheduler.allowed-failures") == 0
        assert dask.config.get("distributed.scheduler.work-stealing") is False
