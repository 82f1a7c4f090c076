"""Serving a site at an address, in a thread of this process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from beanleague.service.endpoint import Certificate, ServiceError

_MAX_CONNECTIONS = 800
_IDLE_S = 15  # seconds that a connection without a request is kept
_GRACE_S = 1  # seconds that responses under way have to end
_MAX_HEAD_BYTES = 32 * 2**10  # of a request


@contextmanager
def serving(app: Starlette, address: str, certificate: Certificate | None = None) -> Iterator[str]:
    """Serve `app`, made by `make_app`, at `address` ("host:port", port 0 for any) until this ends; give its URL.

    Raises:
        ServiceError: the address, or the certificate, cannot be used.
    """
    if certificate:
        certificate.credentials()  # says what is wrong with the files
    with _listening(address) as listening:
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_level="warning",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_keep_alive=_IDLE_S,
            timeout_graceful_shutdown=_GRACE_S,
            h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
            ssl_certfile=certificate.chain if certificate else None,
            ssl_keyfile=certificate.key if certificate else None,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="web", daemon=True)
        thread.start()
        try:
            yield f"{'https' if certificate else 'http'}://{address.rpartition(':')[0]}:{listening.getsockname()[1]}"
        finally:
            app.state.site.live.end()
            server.should_exit = True
            thread.join()


@contextmanager
def _listening(address: str) -> Iterator[socket.socket]:
    host, _, port = address.rpartition(":")
    name = host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in name else socket.AF_INET
        listening = socket.create_server((name, int(port)), family=family, backlog=512)
    except (OSError, ValueError, OverflowError):
        raise ServiceError(
            f"cannot listen at {address}; another server may use it, or it is not an address of this machine"
        ) from None
    with listening:
        yield listening
