"""Connections that say nothing, too little or read nothing are closed, and others are served throughout."""

import asyncio
import errno
import logging
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import trustme
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn.server import ServerState

from beanleague.service.endpoint import Certificate
from beanleague.web.security import Headed, network_of
from beanleague.web.serving import Patience, _affordable, _Door, serving
from beanleague.web.settings import SiteSettings
from tests.waiting import TIMEOUT_S, until

LONG_S = 3600.0  # longer than a test
SHORT_S = 0.2
GET = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"
PATIENT = Patience(head=LONG_S, next_head=LONG_S, stuck=LONG_S)
LARGE = 32 * 2**20  # bytes: more than two sockets hold


@contextmanager
def site(patience: Patience, certificate: Certificate | None = None, *, proxy: bool = False) -> Iterator[int]:
    """Serve a page, a stream that never ends, and a large file; give the port."""

    def page(_: Request) -> Response:
        return PlainTextResponse("here")

    def large(_: Request) -> Response:
        return Response(bytes(LARGE))

    async def stream(_: Request) -> Response:
        async def events() -> AsyncIterator[bytes]:
            yield b"begun\n"
            await ended.wait()

        streams.append((asyncio.get_running_loop(), ended := asyncio.Event()))
        return StreamingResponse(events())

    def end() -> None:
        for loop, ended in streams:
            loop.call_soon_threadsafe(ended.set)

    streams: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
    settings = SiteSettings(behind_proxy=proxy)
    app = Starlette(routes=[Route("/", page), Route("/stream", stream), Route("/large", large)])
    app.add_middleware(Headed, settings=settings)
    app.state.site = SimpleNamespace(settings=settings, live=SimpleNamespace(end=end))
    with serving(app, "127.0.0.1:0", certificate, patience) as url:
        yield int(url.rpartition(":")[2])


def connected(port: int, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S, source_address=(source, 0))


def answered(port: int, source: str = "127.0.0.1") -> bool:
    """Whether a visitor is answered."""
    with connected(port, source) as visitor:
        visitor.sendall(GET)
        return visitor.recv(2**16).startswith(b"HTTP/1.1 200 OK")


def closed(connection: socket.socket) -> bool:
    """Wait until the other side closes."""
    try:
        while connection.recv(2**16):
            pass
    except ConnectionResetError:
        pass
    return True


def still_open(connection: socket.socket) -> bool:
    """Whether nothing has come yet, no end either."""
    connection.settimeout(0)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def certificate(authority: trustme.CA, tmp_path: Path) -> Certificate:
    issued = authority.issue_cert("localhost")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "chain.pem")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    return Certificate(tmp_path / "chain.pem", tmp_path / "key.pem")


class TestTime:
    @pytest.mark.parametrize("said", [b"", b"GET", GET[:-2], b"GET / HTTP/1.1\r\nx: y\r\n"])
    def test_a_connection_without_a_whole_head_is_closed(self, said: bytes) -> None:
        with site(replace(PATIENT, head=SHORT_S)) as port, connected(port) as silent:
            silent.sendall(said)
            assert closed(silent)
            assert answered(port)

    def test_a_byte_now_and_then_does_not_keep_it(self) -> None:
        with site(replace(PATIENT, head=SHORT_S)) as port, connected(port) as slow:
            slow.settimeout(0.01)
            with pytest.raises(ConnectionError):  # noqa: PT012  # each byte may be the one too many
                for _ in range(round(TIMEOUT_S * 100)):
                    slow.sendall(b"x")
                    try:
                        if not slow.recv(1):
                            raise ConnectionResetError
                    except TimeoutError:
                        continue

    def test_silence_before_tls_is_closed(self, certificate: Certificate) -> None:
        with site(replace(PATIENT, head=SHORT_S), certificate) as port, connected(port) as silent:
            assert closed(silent)

    def test_silence_after_tls_is_closed(self, certificate: Certificate, authority: trustme.CA) -> None:
        context = ssl.create_default_context()
        authority.configure_trust(context)
        with (
            site(replace(PATIENT, head=1.0), certificate) as port,
            context.wrap_socket(connected(port), server_hostname="localhost") as silent,
        ):
            assert closed(silent)

    @pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\n"])
    def test_a_connection_that_was_answered_is_closed_without_another_head(self, said: bytes) -> None:
        with site(replace(PATIENT, next_head=SHORT_S)) as port, connected(port) as idle:
            idle.sendall(GET)
            assert idle.recv(2**16).startswith(b"HTTP/1.1 200 OK")
            idle.sendall(said)
            assert closed(idle)

    def test_a_connection_that_reads_nothing_of_a_response_is_closed(self) -> None:
        with site(replace(PATIENT, stuck=SHORT_S)) as port, connected(port) as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**12)
            reader.sendall(GET.replace(b"/ ", b"/large "))
            until(lambda: port_of(reader) not in established(port))
            assert answered(port)

    def test_a_slow_reader_gets_the_whole_response(self) -> None:
        with site(replace(PATIENT, next_head=SHORT_S)) as port, connected(port) as reader:
            reader.sendall(GET.replace(b"/ ", b"/large ").replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
            read = 0
            while some := reader.recv(2**18):
                read += len(some)
            assert read > LARGE


def port_of(connection: socket.socket) -> int:
    return int(connection.getsockname()[1])


def established(port: int) -> set[int]:
    """The ports from which connections to `port` are open on its side, by the kernel's table."""
    found = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        local, remote, state = line.split()[1:4]
        if int(local.rpartition(":")[2], 16) == port and state == "01":
            found.add(int(remote.rpartition(":")[2], 16))
    return found


class TestNumber:
    def test_the_oldest_that_says_nothing_makes_room(self) -> None:
        with site(replace(PATIENT, connections=3)) as port, ExitStack() as stack:
            silent = [stack.enter_context(connected(port)) for _ in range(3)]
            assert answered(port)
            assert closed(silent[0])
            assert still_open(silent[2])

    def test_a_request_under_way_is_not_closed_for_another(self) -> None:
        with site(replace(PATIENT, connections=2)) as port, connected(port) as stream:
            stream.sendall(GET.replace(b"/ ", b"/stream "))
            assert stream.recv(2**16)
            for _ in range(5):
                with connected(port):
                    assert answered(port)
            stream.settimeout(0)
            with suppress(BlockingIOError):
                stream.recv(2**16)  # what had come already
            assert still_open(stream)

    def test_a_stuck_reader_makes_room_if_all_have_requests_under_way(self) -> None:
        with site(replace(PATIENT, connections=1)) as port, connected(port) as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**12)
            reader.sendall(GET.replace(b"/ ", b"/large "))

            def made_room() -> bool:
                with suppress(ConnectionError):  # until the response fills what is between them
                    answered(port)
                return port_of(reader) not in established(port)

            until(made_room)
            assert answered(port)

    def test_an_address_that_takes_many_loses_its_own(self) -> None:
        with site(replace(PATIENT, of_address=2)) as port, connected(port, "127.0.0.2") as other, ExitStack() as stack:
            silent = [stack.enter_context(connected(port)) for _ in range(5)]
            assert all(closed(each) for each in silent[:3])
            assert still_open(other)
            assert still_open(silent[4])
            assert answered(port, "127.0.0.3")

    def test_behind_a_proxy_all_come_from_one_address(self) -> None:
        with site(replace(PATIENT, of_address=1), proxy=True) as port, connected(port) as first, connected(port):
            assert answered(port)
            assert still_open(first)

    @pytest.mark.parametrize(
        ("address", "network"),
        [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
            ("fe80::1%eth0", "fe80::/64"),
            ("unknown", "unknown"),
        ],
    )
    def test_of_ipv6_a_network_counts_as_one(self, address: str, network: str) -> None:
        assert network_of(address) == network


class TestDescriptors:
    def test_a_system_that_refuses_is_asked_slowly_and_named_once_a_minute(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        asked = 0

        async def run() -> None:
            us, them = socket.socketpair()
            often = asyncio.Event()
            with us, them:
                them.sendall(b"x")  # there is always somebody

                def refuses() -> None:
                    nonlocal asked
                    asked += 1
                    if asked == 5:
                        often.set()
                    raise OSError(errno.EMFILE, "Too many open files")

                listening = SimpleNamespace(accept=refuses, fileno=us.fileno, setblocking=us.setblocking)
                config = uvicorn.Config(Starlette())
                door = _Door(listening, replace(PATIENT, refused=0.001), config, ServerState(), by_address=True)  # type: ignore[arg-type]
                await asyncio.wait_for(often.wait(), TIMEOUT_S)
                door.close()

        asyncio.run(run())
        assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [
            "the system refused 1 connections since the last such message: Too many open files"
        ]

    @pytest.mark.parametrize(
        ("soft", "hard", "raised", "connections"),
        [(20000, 20000, None, 2048), (1024, 20000, 20000, 2048), (1024, 1024, None, 512), (256, 256, None, 64)],
    )
    def test_a_share_is_kept_for_others(
        self,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        soft: int,
        hard: int,
        raised: int | None,
        connections: int,
    ) -> None:
        limits = []
        monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
        monkeypatch.setattr(resource, "setrlimit", lambda _, both: limits.append(both))
        assert _affordable(Patience()).connections == connections
        assert limits == ([(raised, raised)] if raised else [])
        assert ("ulimit -n" in caplog.text) == (connections < 2048)
