"""Guards for Dask's listeners: they drop silent connections, and log each host without a certificate once.

Dask itself keeps any number of accepted connections forever.
"""

import asyncio
import errno
import logging
import os
import re
import resource
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import dask
from distributed.comm.registry import backends
from distributed.comm.tcp import MAX_BUFFER_SIZE, BaseTCPListener, TCPBackend, TCPListener, TLSBackend, TLSListener
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets
from tornado.tcpserver import TCPServer

from beanleague.names import one_line

HANDSHAKE_S = 10.0
"""Seconds allowed for TLS and Dask's handshake together."""
MOST_STRANGERS = 2_048
"""Maximum number of connections that have not finished their handshake; beyond it the oldest is closed."""

_FILES_OF_STRANGERS = 1 / 4  # share of the process's file limit for strangers' connections
_FILES_OF_A_NODE = 4  # open files per node at the scheduler
_ENOUGH_FILES = 4_096
_FULL = {errno.EMFILE, errno.ENFILE}


def guard_doors(say: Callable[[str], None]) -> None:
    """Install the guards in this process. `say`: called with a line for each refused host."""
    backends["tcp"], backends["tls"] = _GuardedTCP(), _GuardedTLS()
    refusals = logging.getLogger("distributed.comm.tcp")
    refusals.setLevel(logging.WARNING)
    refusals.propagate = False
    for handler in [each for each in refusals.handlers if isinstance(each, Refusals)]:
        refusals.removeHandler(handler)
    refusals.addHandler(Refusals(say))


def too_few_files() -> str:
    """Return a warning if the limit of open files is too low for a scheduler, else ""."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY or files >= _ENOUGH_FILES:
        return ""
    nodes = int(files * (1 - _FILES_OF_STRANGERS)) // _FILES_OF_A_NODE
    return (
        f"This process may open {files:,} files, enough for {nodes:,} nodes; for more, raise 'ulimit -n' before "
        "starting it."
    )


class Door(socket.socket):
    """Listening socket that closes connections that get no descriptor, so that it does not stay ready forever."""

    spare = -1

    @classmethod
    def of(cls, listening: socket.socket) -> "Door":
        """Convert a listening socket."""
        door = cls(fileno=listening.detach())
        door.setblocking(False)
        door.spare = os.open(os.devnull, os.O_RDONLY)
        return door

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection.

        Raises:
            BlockingIOError: if no connection waits, or it was closed for lack of file descriptors.
        """
        try:
            return super().accept()
        except OSError as problem:
            if problem.errno not in _FULL:
                raise
        os.close(self.spare)
        with suppress(OSError):
            super().accept()[0].close()
        self.spare = os.open(os.devnull, os.O_RDONLY)
        raise BlockingIOError

    def close(self) -> None:
        if self.spare >= 0:
            os.close(self.spare)
            self.spare = -1
        super().close()


class _Guarded(BaseTCPListener):
    """Listener that closes connections without a timely handshake, and the oldest connections if there are too many."""

    def __init__(self, *args: object, **settings: object) -> None:
        super().__init__(*args, **settings)  # type: ignore[no-untyped-call]
        self._strangers: dict[IOStream, asyncio.TimerHandle] = {}
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._most = MOST_STRANGERS
        if files != resource.RLIM_INFINITY:
            self._most = min(self._most, int(files * _FILES_OF_STRANGERS))

    async def start(self) -> None:
        """Listen as Dask does, with a socket of class `Door`."""
        self.tcp_server = TCPServer(max_buffer_size=int(MAX_BUFFER_SIZE), **self.server_args)
        self.tcp_server.handle_stream = self._handle_stream  # type: ignore[method-assign]  # as in Dask
        backlog = int(dask.config.get("distributed.comm.socket-backlog"))
        sockets = bind_sockets(self.port, address=self.ip, backlog=backlog)
        self.tcp_server.add_sockets(map(Door.of, sockets))
        self.get_host_port()  # type: ignore[no-untyped-call]

    async def _handle_stream(self, stream: IOStream, address: Any) -> None:  # noqa: ANN401 - an address of any family
        if len(self._strangers) >= self._most:
            oldest = next(iter(self._strangers))
            self._forget(oldest)
            oldest.close()
        self._strangers[stream] = asyncio.get_running_loop().call_later(HANDSHAKE_S, stream.close)
        await super()._handle_stream(stream, address)  # type: ignore[no-untyped-call]

    async def _prepare_stream(self, stream: IOStream, address: str) -> IOStream | None:
        prepared: IOStream | None = await super()._prepare_stream(stream, address)  # type: ignore[misc]  # other base
        if prepared is None:
            self._forget(stream)
        return prepared

    async def on_connection(self, comm: Any, handshake_overrides: dict[str, Any] | None = None) -> None:  # noqa: ANN401
        """Run Dask's handshake, after which the peer no longer counts as a stranger."""
        stream = comm.stream
        try:
            await super().on_connection(comm, handshake_overrides)
        finally:
            self._forget(stream)

    def _forget(self, stream: IOStream) -> None:
        if timer := self._strangers.pop(stream, None):
            timer.cancel()


class _TCPListener(_Guarded, TCPListener):
    pass


class _TLSListener(_Guarded, TLSListener):
    pass


class _GuardedTCP(TCPBackend):
    _listener_class = _TCPListener


class _GuardedTLS(TLSBackend):
    _listener_class = _TLSListener


_HANDSHAKE = re.compile(r"handshake failed with remote '\w+://(?P<host>.+):\d+': (?P<why>.+)")
_SILENT = "Stream is closed"  # Dask's error text if this side closed the connection
_MAX_HOSTS = 1000  # maximum number of hosts that are remembered
_MAX_REFUSAL = 1_000  # maximum length of a peer's text in characters
_QUIET_S = 60.0  # minimum seconds between two log lines about other errors


class Refusals(logging.Handler):
    """Log handler that reports each refused host once, and other messages of Dask at most once in `_QUIET_S`."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say
        self._hosts: set[str] = set()
        self._due = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        found = _HANDSHAKE.search(record.getMessage())
        if not found:
            if time.monotonic() >= self._due:
                self._due = time.monotonic() + _QUIET_S
                self._say(f"Refused: {one_line(record.getMessage(), _MAX_REFUSAL)}")
        elif found["host"] not in self._hosts and len(self._hosts) < _MAX_HOSTS:
            self._hosts.add(found["host"])
            host = found["host"].removeprefix("[").removesuffix("]")
            why = one_line(found["why"], _MAX_REFUSAL)
            what = "it stayed silent" if why == _SILENT else f"it has no certificate of this cluster ({why})"
            self._say(f"Refused connections from {host}: {what}")
