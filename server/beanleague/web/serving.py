"""Server of a site in a thread of this process, with limits on connections.

Connections are accepted here, since uvicorn would keep silent ones until no other visitor can connect.
"""

import asyncio
import logging
import resource
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from beanleague.service.endpoint import Certificate, ServiceError
from beanleague.web.security import network_of
from beanleague.web.settings import SiteSettings

_IDLE_S = 15  # seconds that an idle connection is kept
_GRACE_S = 1  # seconds that running responses have to end
_MAX_HEAD_BYTES = 32 * 2**10  # maximum size of a request's head
_ACCEPTED_AT_ONCE = 64  # connections accepted before existing ones are served again
_TOLD_EVERY_S = 60.0  # interval of log messages about refusals
_LEAST_READ_BYTES = 16 * 2**10
_GOODBYE_S = 5.0  # for the peer to complete the TLS shutdown
_KEPT_DESCRIPTORS = 512  # descriptors reserved for calls, bots and the database; each connection takes one

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits on connections and their idle times."""

    connections: int = 2048
    """Maximum number of connections."""
    of_address: int = 512
    """Maximum number of connections per IPv4 address or IPv6 /64 network, i.e. per customer.

    A class of 40 behind one address, with live updates, needs up to 280.
    """
    head: float = 10.0
    """Seconds for the TLS handshake and the headers of the first request."""
    next_head: float = _IDLE_S + 5.0
    """Seconds for the headers of each further request, after the previous response."""
    stuck: float = 30.0
    """Seconds within which the peer must read 16 KiB of a response."""
    refused: float = 0.5
    """Seconds to pause after the system refused to accept a connection."""


@contextmanager
def serving(
    app: Starlette, address: str, certificate: Certificate | None = None, patience: Patience | None = None
) -> Iterator[str]:
    """Serve `app` of `make_app` at `address` ("host:port", port 0 for any) inside the block; yield its URL.

    Raises:
        ServiceError: the address or the certificate cannot be used.
    """
    if certificate:
        certificate.credentials()  # raises an error if the files are unusable
    settings: SiteSettings = app.state.site.settings
    patience = _affordable(patience or Patience())
    with _listening(address) as listening:
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_level="error",  # strangers can cause any number of warnings
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=_IDLE_S,
            timeout_graceful_shutdown=_GRACE_S,
            h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
            ssl_certfile=certificate.chain if certificate else None,
            ssl_keyfile=certificate.key if certificate else None,
        )
        server = _Server(config, partial(_Door, listening, patience, by_address=not settings.behind_proxy))
        thread = threading.Thread(target=server.run, name="web", daemon=True)
        thread.start()
        try:
            yield f"{'https' if certificate else 'http'}://{address.rpartition(':')[0]}:{listening.getsockname()[1]}"
        finally:
            app.state.site.live.end()
            server.should_exit = True
            thread.join()


def _affordable(patience: Patience) -> Patience:
    """Return the limits reduced to the available file descriptors, whose limit is raised to the maximum."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = patience.connections + _KEPT_DESCRIPTORS
    if soft < wanted and soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    if soft >= wanted or soft == resource.RLIM_INFINITY:
        return patience
    connections = max(soft - _KEPT_DESCRIPTORS, soft // 4)
    _log.warning(
        "the site holds %d connections at once, not %d: this process may open %d files; raise that to %d (ulimit -n)",
        *(connections, patience.connections, soft, wanted),
    )
    return replace(patience, connections=connections)


def _listening(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    name = host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in name else socket.AF_INET
        return socket.create_server((name, int(port)), family=family, backlog=512)
    except (OSError, ValueError, OverflowError):
        raise ServiceError(
            f"cannot listen at {address}; another server may use it, or it is not an address of this machine"
        ) from None


class _Server(uvicorn.Server):
    """A uvicorn server whose connections are accepted by a `_Door`."""

    def __init__(self, config: uvicorn.Config, open_door: "Callable[[uvicorn.Config, ServerState], _Door]") -> None:
        super().__init__(config)
        self._open_door = open_door

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting connections."""
        assert sockets is None
        self.servers = [self._open_door(self.config, self.server_state)]  # type: ignore[list-item]  # only these methods of asyncio's class are used
        self.started = True


class _Door:
    """Accepts connections. At the limit, the oldest idle connection is closed in favour of a new one.

    If none is idle, the connection whose peer has not read for longest is closed, since slow readers at many addresses
    could otherwise take all connections.
    """

    def __init__(
        self,
        listening: socket.socket,
        patience: Patience,
        config: uvicorn.Config,
        state: ServerState,
        *,
        by_address: bool,
    ) -> None:
        self._listening = listening
        self._config = config
        self._state = state
        self._patience = patience
        self._by_address = by_address
        self._loop = asyncio.get_running_loop()
        self.waiting: dict[_Connection, None] = {}  # idle connections, oldest first
        self.stuck: dict[_Connection, None] = {}  # connections whose peer does not read, longest first
        self._here: defaultdict[str, dict[_Connection, None]] = defaultdict(dict)  # all connections by address
        self._count = 0
        self._refused = 0  # connections refused by the system since the last log message
        self._told = -_TOLD_EVERY_S
        self._pausing: asyncio.TimerHandle | None = None
        listening.setblocking(False)
        self._loop.add_reader(listening, self._accept)

    def close(self) -> None:
        """Stop accepting."""
        self._loop.remove_reader(self._listening)
        if self._pausing:
            self._pausing.cancel()
        for connection in list(self.waiting):
            connection.drop()

    async def wait_closed(self) -> None:
        """Do nothing: uvicorn itself waits for the connections."""

    def _accept(self) -> None:
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                accepted, address = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._pause(error)
                return
            self._admit(accepted, network_of(address[0]) if self._by_address else "")

    def _pause(self, error: OSError) -> None:
        """Pause accepting: connections that the system cannot open stay queued, and would be reported at once again."""
        self._refused += 1
        if time.monotonic() - self._told >= _TOLD_EVERY_S:
            _log.error(
                "the system refused %d connections since the last such message: %s", self._refused, error.strerror
            )
            self._told, self._refused = time.monotonic(), 0
        self._loop.remove_reader(self._listening)
        again = partial(self._loop.add_reader, self._listening, self._accept)
        self._pausing = self._loop.call_later(self._patience.refused, again)

    def _admit(self, accepted: socket.socket, address: str) -> None:
        of_address = self._here.get(address, {})
        full = self._by_address and len(of_address) >= self._patience.of_address
        if full or self._count >= self._patience.connections:
            candidates = (*self.waiting, *self.stuck)
            oldest = next((each for each in candidates if not full or each in of_address), None)
            if oldest is None:
                accepted.close()
                return
            oldest.drop()
        connection = _Connection(self, address, self._patience, self._config, self._state)
        self._here[address][connection] = self.waiting[connection] = None
        self._count += 1
        opening = self._loop.connect_accepted_socket(
            lambda: connection,
            accepted,
            ssl=self._config.ssl,
            ssl_handshake_timeout=self._patience.head if self._config.ssl else None,
            ssl_shutdown_timeout=_GOODBYE_S if self._config.ssl else None,
        )
        connection.opening = self._loop.create_task(opening)
        connection.opening.add_done_callback(partial(self._opened, accepted, connection))

    def _opened(self, accepted: socket.socket, connection: "_Connection", opening: asyncio.Task[object]) -> None:
        connection.opening = None  # a reference cycle would keep 256 KiB of TLS until garbage collection
        if opening.cancelled() or opening.exception():  # the TLS handshake failed; the peer may try again
            accepted.close()
            self.left(connection)

    def note(self, connection: "_Connection", among: "dict[_Connection, None]", *, now: bool) -> None:
        """Add or remove a connection in `among`, which is `waiting` or `stuck`."""
        if not now:
            among.pop(connection, None)
        elif connection in self._here.get(connection.address, ()):
            among[connection] = None

    def left(self, connection: "_Connection") -> None:
        """Remove a closed or closing connection."""
        of_address = self._here.get(connection.address, {})
        if connection in of_address:
            del of_address[connection]
            self.waiting.pop(connection, None)
            self.stuck.pop(connection, None)
            self._count -= 1
            if not of_address:
                del self._here[connection.address]


class _Connection(H11Protocol):
    """Connection with a limited idle time."""

    def __init__(
        self, door: _Door, address: str, patience: Patience, config: uvicorn.Config, state: ServerState
    ) -> None:
        super().__init__(config, state, {})
        self.address = address
        self.opening: asyncio.Task[object] | None = None
        self._door = door
        self._patience = patience
        self._busy = False
        self._late = self.loop.call_later(patience.head, self._end_waiting)
        self._stuck: asyncio.TimerHandle | None = None

    def drop(self) -> None:
        """Close the connection immediately in any state."""
        self._door.left(self)
        if self.transport is not None:
            self.transport.abort()
        elif self.opening:
            self.opening.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister from the door."""
        super().connection_lost(exc)
        self._late.cancel()
        if self._stuck:
            self._stuck.cancel()
        self._door.left(self)

    def handle_events(self) -> None:
        """Handle received data, and update the idle state."""
        super().handle_events()
        self._look()

    def on_response_complete(self) -> None:
        """Continue with the next request."""
        super().on_response_complete()
        self._look()

    def _look(self) -> None:
        busy = self.cycle is not None and not self.cycle.response_complete
        if busy == self._busy:
            return
        self._busy = busy
        self._late.cancel()
        if not busy:
            self._late = self.loop.call_later(self._patience.next_head, self._end_waiting)
        self._door.note(self, self._door.waiting, now=not busy)

    def _end_waiting(self) -> None:
        if self._stuck:  # the peer is still reading the last response
            self._late = self.loop.call_later(self._patience.next_head, self._end_waiting)
        else:
            self.drop()

    def pause_writing(self) -> None:
        """Wait until the peer has read more, with a deadline."""
        super().pause_writing()
        self._door.note(self, self._door.stuck, now=True)
        self._watch_reading()

    def _watch_reading(self, before: int | None = None) -> None:
        left = self.transport.get_write_buffer_size()
        if before is not None and left > before - _LEAST_READ_BYTES:
            self.drop()
        else:
            self._stuck = self.loop.call_later(self._patience.stuck, self._watch_reading, left)

    def resume_writing(self) -> None:
        """Resume writing the response."""
        super().resume_writing()
        self._door.note(self, self._door.stuck, now=False)
        if self._stuck:
            self._stuck.cancel()
            self._stuck = None
