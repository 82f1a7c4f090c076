"""Start and end of a server, and calls about the server: version, games, database and tokens."""

import hashlib
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

import beanleague
from beanleague.league.errors import RequestError
from beanleague.model import Token
from beanleague.names import NAME_RULE, is_new_name
from beanleague.referee.temp_folders import TempFolder
from beanleague.referee.this_node import default_workers
from beanleague.service.access import MAX_REQUEST_BYTES, Access, Cost, Role
from beanleague.service.backend import Backend, Calls, Settings
from beanleague.service.bots import BotCalls
from beanleague.service.endpoint import Certificate, ServiceError, can_be_reached
from beanleague.service.gate import ALLOWANCES, Allowance, Gate, ServerLimits, Throttle
from beanleague.service.keeper import LadderKeeper, Repeated, WorstDeals, upkeep
from beanleague.service.ladders import LadderCalls
from beanleague.service.leagues import LeagueCalls, RatingCalls
from beanleague.service.matches import MatchCalls
from beanleague.service.messages import number
from beanleague.service.tables import TableCalls
from beanleague.store import StoreError
from beanleague.store.backup import backup
from beanleague.store.migrations import SCHEMA_VERSION
from beanleague.wire.codec import Codec, Names, WireError
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueServicer, add_LeagueServicer_to_server
from beanproto.v1.table_pb2_grpc import add_TableServicer_to_server

if TYPE_CHECKING:
    from beanleague.referee.messages import StartPool

_MAX_DAYS = 36_500  # maximum validity of a token
_DAY_S = 86_400.0
_PART_BYTES = 2**20  # size of the parts of a backup
_LIMITS = ServerLimits()
_MAX_ANSWER_BYTES = 64 * 2**20  # maximum answer size; records and logs are far smaller
_ENDS = (signal.SIGINT, signal.SIGTERM)
_GRACE_S = 0.5  # time for running calls to end when the server stops
_TOKEN = Codec(Token, pb.TokenInfo)
_ROLES: Names[str] = Names(pb.Role.DESCRIPTOR)


@dataclass(frozen=True, slots=True)
class Serving:
    """A running server."""

    address: str
    """Address of the server, with its actual port."""
    tls: bool
    """Whether the server uses TLS."""
    tokens: bool
    """Whether the server requires tokens."""
    without_tokens: bool
    """Whether no token has been created yet."""
    for_guests: Callable[[Role], AbstractContextManager[grpc.Channel]]
    """Opens a channel for this process; calls without a token get the given role on it."""


class ServerCalls(Calls):
    """Handlers of the calls about the server."""

    def ServerInfo(self, request: pb.ServerInfoRequest, context: grpc.ServicerContext) -> pb.ServerInfoResponse:
        caller = self._access.caller(context)
        return pb.ServerInfoResponse(
            version=beanleague.__version__,
            database=self._backend.store.database.url if caller.may(Role.ORGANISER) else "",
            schema_version=SCHEMA_VERSION,
            workers=default_workers(),
            caller=caller.name,
            role=_ROLES.number[str(caller.role)],
        )

    def Backup(self, request: pb.BackupRequest, context: grpc.ServicerContext) -> Iterator[pb.BackupPart]:
        digest = hashlib.sha256()
        with backup(self._backend.store.database) as copy:
            yield pb.BackupPart(size=os.fstat(copy.fileno()).st_size)
            while data := copy.read(_PART_BYTES):
                digest.update(data)
                yield pb.BackupPart(data=data)
        yield pb.BackupPart(sha256=digest.hexdigest())

    def ListRulesets(self, request: pb.ListRulesetsRequest, context: grpc.ServicerContext) -> pb.ListRulesetsResponse:
        from beanleague.service.rulesets import list_rulesets

        return list_rulesets()

    def NewToken(self, request: pb.NewTokenRequest, context: grpc.ServicerContext) -> pb.NewTokenResponse:
        try:
            role = Role[_ROLES.name(request.role).upper()]
        except WireError:
            raise RequestError("a token needs a role: viewer, author or organiser") from None
        if not is_new_name(request.name):
            raise RequestError(f"a token cannot be called {request.name!r:.60}: {NAME_RULE}")
        days = number("days", request.days, 0, _MAX_DAYS)
        token, text = self._backend.store.tokens.new(request.name, str(role), days * _DAY_S if days else None)
        return pb.NewTokenResponse(info=_TOKEN.encode(token), token=text)

    def ListTokens(self, request: pb.ListTokensRequest, context: grpc.ServicerContext) -> pb.ListTokensResponse:
        return pb.ListTokensResponse(tokens=map(_TOKEN.encode, self._backend.store.tokens.list()))

    def RevokeToken(self, request: pb.RevokeTokenRequest, context: grpc.ServicerContext) -> pb.TokenInfo:
        return _TOKEN.encode(self._backend.store.tokens.revoke(request.name))


class Service(ServerCalls, BotCalls, LeagueCalls, LadderCalls, RatingCalls, MatchCalls, LeagueServicer):
    """Handlers of all calls of league.proto."""


@contextmanager
def embedded(
    store_url: str,
    *,
    cache: Path | None = None,
    start_pool: "StartPool | None" = None,
    run_pool: "StartPool | None" = None,
    trust_bots: bool = False,
    guest: Role | None = None,
) -> Iterator[grpc.Channel]:
    """Start a server for this process alone and yield a channel to it; the context's end stops it.

    `store_url`: SQLAlchemy URL; if the database cannot be opened, calls that need it fail. `cache`: folder for unpacked
        bots, by default in the user's cache folder. `start_pool`: starts the pools that play matches; None for worker
        processes. `run_pool`: starts the pools of runs instead, e.g. on a cluster. `trust_bots`: if no sandbox works,
        run all bots, not only house bots. `guest`: role of calls without a token; None to ignore tokens. Guests of a
        read-only database are viewers.

    Raises:
        ServiceError: if there are guests and the database cannot be opened.
    """
    backend = Backend(Settings(store_url, cache, start_pool, run_pool, trust_bots))
    with closing(backend):
        if guest not in {None, Role.VIEWER}:
            try:
                guest = Role.VIEWER if backend.store.database.obstacle else guest
            except StoreError as error:
                raise ServiceError(str(error)) from None
        access = Access(None) if guest is None else Access(lambda: backend.store.tokens, guest)
        with _private(backend, access) as channel:
            yield channel


@contextmanager
def until_interrupted() -> Iterator[Callable[[], None]]:
    """Yield a function that waits for SIGINT or SIGTERM. Call this in the main thread.

    Python writes signal numbers to a socket at once, in any thread. A lock would miss a signal that arrives just before
    the main thread waits, or in another thread.
    """
    reader, writer = socket.socketpair()
    with reader, writer:
        writer.setblocking(False)

        def wait() -> None:
            while not set(reader.recv(64)) & set(_ENDS):
                pass

        numbers = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        before = {number: signal.signal(number, lambda *_: None) for number in _ENDS}
        try:
            yield wait
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(numbers)


@contextmanager
def served(
    address: str,
    store_url: str,
    *,
    certificate: "Certificate | None" = None,
    require_tokens: bool = False,
    allowances: Mapping[Cost, Allowance] = ALLOWANCES,
    limits: ServerLimits = _LIMITS,
    cache: Path | None = None,
    start_pool: "StartPool | None" = None,
    run_pool: "StartPool | None" = None,
    trust_bots: bool = False,
    ladders: bool = False,
    keep_days: int = 30,
    analyse: bool = False,
) -> Iterator[Serving]:
    """Serve at `address` ("host:port", port 0 for any, or "unix:/path") while the context lasts.

    `certificate`: for TLS. A server that other machines can reach needs one, and requires tokens, as does one at a Unix
        socket; other servers require tokens only if `require_tokens`. `allowances`: limits of each caller; `limits`:
        server-wide limits. `ladders`: whether to play the open ladders; `keep_days`: age at which ladder records are
        packed, 0 for never. `analyse`: whether to analyse the bots' worst deals. Other arguments: see `embedded`.

    Raises:
        ServiceError: if the address or a file cannot be used, or the database cannot be written.
    """
    reachable = can_be_reached(address)
    if reachable and not certificate:
        raise ServiceError(
            f"{address} is reachable from other machines, so it needs a certificate: --tls-cert and --tls-key "
            "(docs/server.md shows how to make one); or serve at 127.0.0.1, and let others connect through ssh"
        )
    import_all()
    credentials = certificate.credentials() if certificate else None
    backend = Backend(Settings(store_url, cache, start_pool, run_pool, trust_bots))
    with closing(backend):
        try:
            store = backend.store
            store.database.check_writable()
        except StoreError as error:
            raise ServiceError(str(error)) from None
        # Access to a Unix socket proves no ownership: a container, or another program of the same user, may have it.
        guarded = require_tokens or reachable or address.startswith("unix:")
        access = Access((lambda: store.tokens) if guarded else None)

        def for_guests(role: Role) -> AbstractContextManager[grpc.Channel]:
            return _private(backend, Access(lambda: store.tokens, role))

        with (
            _server(address, backend, access, Throttle(allowances), credentials, limits) as bound,
            _by_itself(backend, keep_days, ladders=ladders, analyse=analyse),
        ):
            tls, none_yet = certificate is not None, not store.tokens.list()
            yield Serving(bound, tls=tls, tokens=guarded, without_tokens=none_yet, for_guests=for_guests)


@contextmanager
def _by_itself(backend: Backend, keep_days: int, *, ladders: bool, analyse: bool) -> Iterator[None]:
    """Play and maintain ladders, and analyse worst deals, while this context lasts."""
    with ExitStack() as work:
        if ladders:
            work.enter_context(closing(Repeated(LadderKeeper(backend).look, "playing ladders")))
            work.enter_context(closing(upkeep(backend.store, keep_days)))
        if analyse:
            work.enter_context(closing(Repeated(WorstDeals(backend).look, "analysing worst deals")))
        yield


@contextmanager
def _private(backend: Backend, access: Access) -> Iterator[grpc.Channel]:
    """Serve this process alone, and yield a channel."""
    with TempFolder() as home:  # only this user can connect
        address = f"unix:{home.path / 'service'}"
        with _server(address, backend, access, Throttle({})):
            options = [("grpc.max_receive_message_length", _MAX_ANSWER_BYTES)]
            with grpc.insecure_channel(address, options=options) as channel:
                yield channel


_CANNOT_LISTEN = "cannot listen at {}; another server may use it, or it is not an address of this machine"


def _check_free(address: str) -> None:
    """Check that the address is free before gRPC does, which would print lines of its own.

    Raises:
        ServiceError: if it is not.
    """
    if address.startswith("unix:"):
        return
    host, _, port = address.rpartition(":")
    try:
        for family, kind, _, _, place in socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind(place)
                trial.listen()
    except (OSError, OverflowError):
        raise ServiceError(_CANNOT_LISTEN.format(address)) from None


@contextmanager
def _server(
    address: str,
    backend: Backend,
    access: Access,
    throttle: Throttle,
    credentials: grpc.ServerCredentials | None = None,
    limits: ServerLimits = _LIMITS,
) -> Iterator[str]:
    """Serve at `address`; yield the address with its actual port. At the end all runs have stopped."""
    _check_free(address)
    threads = ThreadPoolExecutor(limits.threads, thread_name_prefix="call")
    server = grpc.server(
        threads,
        interceptors=[Gate(access, throttle, limits, backend.check_rows)],
        maximum_concurrent_rpcs=limits.threads,
        options=[
            ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
            ("grpc.max_send_message_length", _MAX_ANSWER_BYTES),
            ("grpc.so_reuseport", 0),  # fail if another server uses the port
            ("grpc.max_allowed_incoming_connections", limits.connections),
            ("grpc.max_concurrent_streams", limits.threads),
            ("grpc.max_metadata_size", 8 * 2**10),  # maximum size of the metadata in bytes
            ("grpc.server_handshake_timeout_ms", limits.idle_ms),
            ("grpc.max_connection_idle_ms", limits.idle_ms),
            ("grpc.keepalive_time_ms", 60_000),  # detects callers that have vanished
        ],
    )
    add_LeagueServicer_to_server(Service(backend, access), server)
    add_TableServicer_to_server(TableCalls(backend, access, limits.send_s), server)
    try:
        port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    except RuntimeError:
        port = 0
    if not port:
        threads.shutdown()
        raise ServiceError(_CANNOT_LISTEN.format(address))
    server.start()
    try:
        yield address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"
    finally:
        backend.stop_runs()
        server.stop(_GRACE_S).wait()
        threads.shutdown()
        backend.wait_for_runs()


def cluster_pools(address: str, certificates: Path | None) -> "StartPool":
    """Return a factory of pools on the cluster with the scheduler at `address`.

    `certificates`: folder created by `beanleague cluster certs`.

    Raises:
        ServiceError: the address or the certificates cannot be used, or packages are missing.
    """
    from beanleague.league.run.cluster.settings import ClusterError, ClusterSettings

    try:
        settings = ClusterSettings.of(address, certificates)
        settings.security()
    except ClusterError as error:
        raise ServiceError(str(error)) from None
    from beanleague.league.run.cluster.pool import ClusterPools

    return ClusterPools(settings)


def import_all() -> None:
    """Import all modules that calls would import late, since an upgrade may replace the files of a running server."""
    from beanleague import games, wire
    from beanleague.league import counting, friendly  # noqa: F401
    from beanleague.league.uses import analyses, reports, worst_deals  # noqa: F401
    from beanleague.referee import pool  # noqa: F401
    from beanleague.service import pairs, rulesets, running, trials  # noqa: F401

    for package in (games, games.core, wire):
        for name in package.__all__:
            getattr(package, name)
