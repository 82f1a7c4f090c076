"""Starting and ending a server."""

from __future__ import annotations

import ipaddress
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
from platformdirs import user_cache_path

from beanleague.league.pools import StartPool
from beanleague.referee.pool import WorkerPool
from beanleague.service.backend import Backend, Settings, status_code
from beanleague.service.errors import Explain, ServiceError
from beanleague.service.servicer import Service
from beanleague.store import StoreError
from beanproto.v1.league_pb2_grpc import add_LeagueServicer_to_server

_THREADS = 16  # calls served at once; a run and a watcher take one each
_LARGEST_REQUEST = 8 * 2**20  # bytes: a bundle of 5 MiB and a little
_LARGEST_ANSWER = 64 * 2**20  # bytes; records and logs are far smaller
_GRACE = 0.5  # seconds that calls under way have to end when the server ends


@contextmanager
def embedded(
    store_url: str, *, cache: Path | None = None, start_pool: StartPool = WorkerPool
) -> Iterator[grpc.Channel]:
    """Start a server for this process alone and give a channel to it; it has ended when this ends.

    `store_url`: an SQLAlchemy URL; if that cannot be opened, the calls that need it tell so. `cache`: a folder for
    unpacked bots, by default in the user's cache folder. `start_pool`: has matches played.
    """
    home = Path(tempfile.mkdtemp(prefix="beanleague-"))  # private: only this user can connect
    try:
        address = f"unix:{home / 'service'}"
        with _server(address, Backend(_settings(store_url, cache, start_pool))):
            options = [("grpc.max_receive_message_length", _LARGEST_ANSWER)]
            with grpc.insecure_channel(address, options=options) as channel:
                yield channel
    finally:
        shutil.rmtree(home, ignore_errors=True)


def serve(
    address: str,
    store_url: str,
    *,
    ready: Callable[[str], None] = lambda _: None,
    cache: Path | None = None,
    start_pool: StartPool = WorkerPool,
) -> None:
    """Serve at `address` ("host:port", port 0 for any, or "unix:/path") until SIGINT or SIGTERM.

    To be called in the main thread. `ready`: told the address once calls are taken. The others: see `embedded`.

    Raises:
        ServiceError: the address cannot be had, or the store cannot be opened.
    """
    _check_address(address)
    backend = Backend(_settings(store_url, cache, start_pool))
    try:
        _ = backend.store
    except StoreError as error:
        raise ServiceError(str(error)) from None
    ended = threading.Event()
    before = {number: signal.signal(number, lambda *_: ended.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with _server(address, backend) as bound:
            ready(bound)
            ended.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _settings(store_url: str, cache: Path | None, start_pool: StartPool) -> Settings:
    return Settings(store_url, cache or user_cache_path("beanleague", appauthor=False) / "bundles", start_pool)


@contextmanager
def _server(address: str, backend: Backend) -> Iterator[str]:
    """Serve at `address`; give the address with its real port. Runs have stopped and the store is closed at the end."""
    threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="call")
    server = grpc.server(
        threads,
        interceptors=[Explain(status_code)],
        options=[
            ("grpc.max_receive_message_length", _LARGEST_REQUEST),
            ("grpc.max_send_message_length", _LARGEST_ANSWER),
            ("grpc.so_reuseport", 0),  # a second server at the same port is a mistake
        ],
    )
    add_LeagueServicer_to_server(Service(backend), server)
    try:
        port = server.add_insecure_port(address)
    except RuntimeError:
        port = 0
    if not port:
        threads.shutdown()
        backend.close()
        raise ServiceError(f"cannot listen at {address}; is another server there, or is it no address of this machine?")
    server.start()
    try:
        yield address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"
    finally:
        backend.stop_runs()
        server.stop(_GRACE).wait()
        threads.shutdown()
        backend.close()


def _check_address(address: str) -> None:
    """Refuse addresses that others can reach: whoever reaches a server can have programs run on it."""
    if address.startswith("unix:"):
        return
    host, colon, port = address.rpartition(":")
    if not colon or not (port.isascii() and port.isdecimal() and int(port) < 2**16):
        raise ServiceError(f"{address!r} is not an address; write host:port, e.g. 127.0.0.1:7411, or unix:/path")
    if host == "localhost":
        return
    try:
        local = ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        local = False
    if not local:
        raise ServiceError(
            f"{address} can be reached by others, and whoever reaches the server can have programs run here; "
            "serve at 127.0.0.1, and let others in by ssh"
        )
