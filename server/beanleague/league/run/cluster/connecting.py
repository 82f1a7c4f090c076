"""Connections to a scheduler: configuration of Dask, and diagnosis of failures, which Dask's errors lack."""

import logging
import resource
import socket
import ssl
import tomllib
from pathlib import Path

import dask

from beanleague.league.run.cluster.settings import ClusterSettings

_MAX_FILES = 65_536


def configure() -> None:
    """Apply `dask.toml`, which overrides the user's own configuration of Dask, and raise the limit of open files.

    Call it before any part of Dask is started. A scheduler has about three connections to each node.
    """
    dask.config.set(tomllib.loads(Path(__file__).with_name("dask.toml").read_text("utf-8")))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, _MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    for name in ("distributed", "distributed.client"):  # our own messages replace Dask's log
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


_HELLO_BYTES = 1  # bytes read of a scheduler's first message


def why_unreachable(settings: ClusterSettings, timeout_s: float = 5.0) -> str:
    """Try to connect to the scheduler; return the reason of a failure, else "".

    Raises:
        ClusterError: if the certificate cannot be used; see `ClusterSettings.security`.
    """
    security = settings.security()
    connected = False
    hint = "it may need certificates (tls://)" if security is None else "another program may listen there"
    what = f"the scheduler {settings.address}"
    try:
        with socket.create_connection((settings.host, settings.port), timeout=timeout_s) as connection:
            connected = True
            if security is None:
                heard = connection.recv(_HELLO_BYTES)
            else:
                context: ssl.SSLContext = security.get_connection_args("client")["ssl_context"]
                with context.wrap_socket(connection) as encrypted:
                    # In TLS 1.3 the server rejects a certificate only after the handshake.
                    heard = encrypted.recv(_HELLO_BYTES)
    except TimeoutError:
        if connected:
            return f"{what} does not respond; {hint}"
        return f"{what} does not answer; is a firewall between here and there?"
    except ConnectionRefusedError:
        return f"nothing listens at {settings.address}; start 'beanleague cluster scheduler' there"
    except socket.gaierror:
        return f"there is no machine called {settings.host!r} (in {settings.address})"
    except ssl.SSLCertVerificationError as error:
        return (
            f"{what} does not belong to the cluster of {settings.ca} ({error.verify_message}); both need the same "
            "folder of 'beanleague cluster certs'"
        )
    except ssl.SSLError as error:
        if "ALERT" in (error.reason or ""):
            return f"{what} refuses the certificate in {settings.cert}; both need the same folder of 'cluster certs'"
        return f"{what} does not use TLS, or is another program"
    except OSError as error:
        return f"{what} cannot be reached: {error.strerror or error}"
    return "" if heard else f"{what} closes the connection; {hint}"


def give_up_after(connection: socket.socket, silence_s: int) -> None:
    """End a TCP connection when sent data has not been acknowledged for `silence_s` seconds.

    The kernel acknowledges data itself, so that a busy or stopped program is not cut off unless its buffers fill up.
    """
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * silence_s)
