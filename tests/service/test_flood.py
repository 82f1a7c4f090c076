"""Connections without calls do not keep others out: they are dropped, and the proxy of docs/server.md limits them."""

import queue
import re
import resource
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from beanleague.referee.messages import MatchTask
from beanleague.service.gate import ALLOWANCES, ServerLimits
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests import nginx
from tests.league.fakepool import FakePools
from tests.league.helpers import bundle, keep
from tests.nginx import NGINX, block_of, free_port
from tests.service.helpers import Guarded, WithToken, certified, code, guarded
from tests.waiting import until

PAGE = (Path(__file__).parents[2] / "docs" / "server.md").read_text("utf-8")
STREAM_MODULE = Path("/usr/share/nginx/modules/ngx_stream_module.so")
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])  # and empty settings
PER_ADDRESS = int(re.findall(r"limit_conn callers (\d+);", PAGE)[0])
AT_ONCE = 200
CALL_TIMEOUT_S = 60
PATIENT = ServerLimits(connections=64, idle_ms=600_000)


def connect(port: int, data: bytes) -> socket.socket:
    """Connect from 127.0.0.2, send this, and then nothing."""
    opened = socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.2", 0))
    opened.sendall(data)
    return opened


def flood(port: int, count: int, data: bytes, *, kept: int, stack: ExitStack) -> int:
    """Open so many connections, and keep those that the server does not close; return how many these are.

    `data`: sent over each. `kept`: how many are expected to stay; the end of all others is waited for.
    """
    held: set[socket.socket] = set()
    for start in range(0, count, AT_ONCE):
        for _ in range(min(AT_ONCE, count - start)):
            try:
                held.add(connect(port, data))
            except OSError:
                continue  # closed already
        while len(held) > kept:
            readable, _, _ = select.select(list(held), [], [], CALL_TIMEOUT_S)
            assert readable, f"{len(held)} connections stay open"
            gone = {each for each in readable if closed(each)}
            for each in gone:
                each.close()
            held -= gone
    for each in held:
        stack.enter_context(each)
    return len(held)


def closed(connection: socket.socket) -> bool:
    """Whether the server has closed this connection; what it sent before is read."""
    try:
        return not connection.recv(2**16)
    except OSError:
        return True


def call(guest: Guarded, port: int, authority: Path | None = None) -> pb.ServerInfoResponse:
    """Call the server at this port with the token of an author, from 127.0.0.1, over a connection of its own."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    target = f"localhost:{port}"
    credentials = grpc.ssl_channel_credentials(authority.read_bytes()) if authority else None
    with (
        grpc.secure_channel(target, credentials, options) if credentials else grpc.insecure_channel(target, options)
    ) as channel:
        stub = LeagueStub(grpc.intercept_channel(channel, WithToken(guest.token("author"))))
        answer: pb.ServerInfoResponse = stub.ServerInfo(pb.ServerInfoRequest(), timeout=CALL_TIMEOUT_S)
        return answer


def port_of(guest: Guarded) -> int:
    return int(guest.address.rpartition(":")[2])


class TestServer:
    def test_a_connection_without_a_call_has_ten_seconds(self) -> None:
        assert ServerLimits().idle_ms == 10_000

    @pytest.mark.parametrize("data", [b"", PREFACE[:9], PREFACE], ids=["silent", "half a handshake", "idle"])
    def test_an_idle_connection_is_dropped_and_callers_connect_again(self, tmp_path: Path, data: bytes) -> None:
        with guarded(tmp_path, limits=ServerLimits(idle_ms=300)) as guest:
            caller = guest.stub("author")
            caller.ServerInfo(pb.ServerInfoRequest())
            with connect(port_of(guest), data) as idle:
                idle.settimeout(CALL_TIMEOUT_S)
                while not closed(idle):
                    pass
            caller.ServerInfo(pb.ServerInfoRequest())  # its own connection was idle as long, too

    def test_alone_it_can_be_filled_from_one_address(self, tmp_path: Path) -> None:
        """Or else the test of the proxy would show nothing."""
        with guarded(tmp_path, limits=PATIENT) as guest, ExitStack() as stack:
            assert flood(port_of(guest), AT_ONCE, PREFACE, kept=64, stack=stack) == 64
            with pytest.raises(grpc.RpcError) as refused:
                call(guest, port_of(guest))
            assert code(refused.value) is grpc.StatusCode.UNAVAILABLE


@contextmanager
def before(upstream: int, folder: Path) -> Iterator[int]:
    """Run nginx as docs/server.md says, but at a free port, which is given, and with its files in `folder`."""
    port = free_port()
    config = block_of(PAGE)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for was, becomes in {
        "0.0.0.0:7411": f"127.0.0.1:{port}",
        "127.0.0.1:7412": f"127.0.0.1:{upstream}",
        "/run/beanleague-nginx.pid": f"{folder}/nginx.pid",
        "/var/log/nginx/beanleague.log": f"{folder}/nginx.log",
        "worker_rlimit_nofile 8192": f"worker_rlimit_nofile {min(8192, hard)}",
    }.items():
        assert was in config
        config = config.replace(was, becomes)
    with nginx.running(folder, config, port):
        yield port


@pytest.mark.skipif(
    not (NGINX and STREAM_MODULE.exists()), reason="nginx and its stream module are not installed (docs/server.md)"
)
def test_behind_the_proxy_a_flood_from_one_address_does_not_keep_others_out(tmp_path: Path) -> None:
    certificate = certified(tmp_path, "localhost")
    with (
        guarded(tmp_path, certificate=certificate, limits=PATIENT) as guest,
        before(port_of(guest), tmp_path) as port,
        ExitStack() as stack,
    ):
        call(guest, port, tmp_path / "authority.pem")
        assert flood(port, 2000, b"", kept=PER_ADDRESS, stack=stack) == PER_ADDRESS
        for _ in range(3):
            assert call(guest, port, tmp_path / "authority.pem").version


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Guarded]:
    """A server with the limits of callers, which runs the league "spring" until the test ends."""
    ends = threading.Event()
    pools = FakePools()

    def wait(_: MatchTask) -> None:
        ends.wait(0.1)

    pools.before = wait
    with guarded(tmp_path, allowances=ALLOWANCES, pools=pools) as server:
        for number in range(3):
            keep(server.store, bundle(f"bot{number}"))
        organiser = server.stub("organiser")
        organiser.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", deals=10_000))
        try:
            list(organiser.RunLeague(pb.RunLeagueRequest(name="spring", workers=1, detach=True)))
            yield server
        finally:
            ends.set()


def test_a_thousand_streams_of_a_run_leave_room_for_reads_and_for_who_follows_it_later(running: Guarded) -> None:
    asked = pb.FollowRunRequest(name="spring")
    callers = [running.stub(f"viewer{number}", "viewer") for number in range(10)]
    streams = [caller.FollowRun(asked) for caller in callers for _ in range(100)]  # each ends when it is cancelled
    begun, ended = queue.SimpleQueue[bool](), queue.SimpleQueue[grpc.StatusCode]()
    for stream in streams:
        threading.Thread(target=_read, args=(stream, begun, ended), daemon=True).start()
    follow = sum(begun.get(timeout=CALL_TIMEOUT_S) for _ in streams)
    assert 0 < follow < len(streams)
    vic = running.stub("vic", "viewer")
    assert vic.ShowLeague(pb.ShowLeagueRequest(name="spring")).state == pb.LEAGUE_STATE_RUNNING
    for stream in streams:
        stream.cancel()  # type: ignore[no-untyped-call, unused-ignore]
    by_gate = {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.CANCELLED}  # the latter to make room for others
    ends = {ended.get(timeout=CALL_TIMEOUT_S) for _ in streams}
    assert grpc.StatusCode.RESOURCE_EXHAUSTED in ends
    assert ends <= {*by_gate, grpc.StatusCode.UNAVAILABLE}  # the last by gRPC
    until(lambda: _follows(vic))


def _read(stream: Any, begun: "queue.SimpleQueue[bool]", ended: "queue.SimpleQueue[grpc.StatusCode]") -> None:
    """Read a stream to its end: say whether it began, and how it ended."""
    first = True
    try:
        for _ in stream:
            if first:
                begun.put(True)
                first = False
    except grpc.RpcError as error:
        ended.put(code(error))
    if first:
        begun.put(False)


def _follows(stub: LeagueStub) -> bool:
    """Whether a caller gets the progress of the run."""
    stream: Any = stub.FollowRun(pb.FollowRunRequest(name="spring"), timeout=CALL_TIMEOUT_S)
    try:
        next(stream)
    except grpc.RpcError:
        return False
    stream.cancel()
    return True
