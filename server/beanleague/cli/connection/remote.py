"""A server to ask: its address, how it is reached with TLS and a token, and why it is not."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import grpc

from beanleague.cli.errors import CliError

_LARGEST_MESSAGE = 64 * 1024 * 1024  # bytes; records and logs are far smaller
_PATIENCE = 3.0  # seconds to find out why a server is not reached
_OTHER_NAME = frozenset({62, 64})  # codes of OpenSSL: the certificate is for another host name, or address
_EXPIRED = 10


@dataclass(frozen=True)
class Remote:
    """A server. `server`: "host:port", "https://host:port" (with TLS) or "unix:/path".

    `ca`: a PEM file of the authorities to trust, None for those that are well known. `token`: "" for none.
    """

    server: str
    ca: Path | None = None
    token: str = ""

    @contextmanager
    def channel(self) -> Iterator[grpc.Channel]:
        """Connect.

        Raises:
            CliError: the address is none, a file cannot be used, or the token would be told to others on the way.
        """
        options = [("grpc.max_receive_message_length", _LARGEST_MESSAGE)]
        if not self.server.startswith("unix:") and _is_here(self._host):
            options.append(("grpc.enable_http_proxy", 0))  # no proxy reaches this machine's own addresses
        if self._tls:
            credentials = grpc.ssl_channel_credentials(_authorities(self.ca) if self.ca else None)
            opened = grpc.secure_channel(self._target, credentials, options=options)
        else:
            self._check_plain()
            opened = grpc.insecure_channel(self._target, options=options)
        with opened as channel:
            yield grpc.intercept_channel(channel, _WithToken(self.token)) if self.token else channel

    def why_unreachable(self, details: str) -> str:
        """Look at a server that did not answer, and return what to tell about it. `details`: what gRPC says."""
        missing = (
            f"cannot reach a server at {self.server}; start one with 'beanleague serve', or leave out --server "
            "(and BEANLEAGUE_SERVER)"
        )
        if self.server.startswith("unix:"):
            return missing
        try:
            with socket.create_connection((self._host, self._port), timeout=_PATIENCE) as connection:
                found = self._why_no_tls(connection) if self._tls else self._why_not_plain(connection)
        except OSError:
            return missing
        return found or f"the server at {self.server} broke off: {details}; try again"

    def _why_no_tls(self, connection: socket.socket) -> str:
        try:
            with ssl.create_default_context(cafile=self.ca).wrap_socket(connection, server_hostname=self._host):
                return ""
        except ssl.SSLCertVerificationError as error:
            whose = f"the certificate of the server at {self.server}"
            if error.verify_code in _OTHER_NAME:
                return f"{whose} is for another name ({error.verify_message}); use the name that is in it"
            if error.verify_code == _EXPIRED:
                return f"{whose} has expired; tell its organiser"
            if self.ca:
                return f"{whose} is not vouched for by {self.ca}; ask its organiser for the right file"
            return (
                f"{whose} is not vouched for by anybody known here; ask its organiser for the file of its authority "
                "and give it with --tls-ca"
            )
        except (ssl.SSLError, ConnectionError):
            return f"the server at {self.server} does not speak TLS; write --server {self._target}"

    def _why_not_plain(self, connection: socket.socket) -> str:
        anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        anybody.check_hostname = False
        anybody.verify_mode = ssl.CERT_NONE  # nothing is told to it: it is only seen whether it speaks TLS
        try:
            with anybody.wrap_socket(connection):
                return f"the server at {self.server} speaks TLS; write --server https://{self._target}"
        except (ssl.SSLError, ConnectionError):
            return ""

    def _check_plain(self) -> None:
        if self.server.startswith("unix:") or _is_here(self._host):
            return
        if self.token:
            raise CliError(
                f"without TLS your token could be read on the way to {self.server}; write --server "
                f"https://{self._target}, or unset BEANLEAGUE_TOKEN"
            )
        if self.ca:
            raise CliError(f"--tls-ca is for a server with TLS; write --server https://{self._target}")

    @property
    def _tls(self) -> bool:
        return self.server.startswith("https://")

    @property
    def _target(self) -> str:
        """The server as gRPC writes it."""
        return self.server if self.server.startswith("unix:") else self._parsed.netloc

    @property
    def _host(self) -> str:
        assert self._parsed.hostname, "seen when it was parsed"
        return self._parsed.hostname

    @property
    def _port(self) -> int:
        assert self._parsed.port is not None, "seen when it was parsed"
        return self._parsed.port

    @cached_property
    def _parsed(self) -> SplitResult:
        try:
            parsed = urlsplit(self.server if self._tls else f"//{self.server}")
            if parsed.hostname and parsed.port is not None and not (parsed.path.strip("/") or parsed.username):
                return parsed
        except ValueError:
            pass
        raise CliError(
            f"{self.server!r} is not the address of a server; write host:port, https://host:port for one with TLS, "
            "or unix:/path"
        )


class _WithToken(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):  # type: ignore[type-arg]  # they are generic in their stubs only
    """Sends a token with every call."""

    def __init__(self, token: str) -> None:
        self._metadata = ("authorization", f"Bearer {token}")

    def intercept_unary_unary(self, continuation: Callable[..., Any], client_call_details: Any, request: Any) -> Any:  # noqa: ANN401 - grpc's own
        """Call with the token."""
        return continuation(self._with_token(client_call_details), request)

    def intercept_unary_stream(self, continuation: Callable[..., Any], client_call_details: Any, request: Any) -> Any:  # noqa: ANN401 - grpc's own
        """Call with the token."""
        return continuation(self._with_token(client_call_details), request)

    def _with_token(self, details: Any) -> Any:  # noqa: ANN401 - grpc's own
        return details._replace(metadata=(*(details.metadata or ()), self._metadata))


def _authorities(file: Path) -> bytes:
    try:
        pem = file.read_bytes()
        ssl.create_default_context(cafile=file)
    except ssl.SSLError:
        raise CliError(f"{file} holds no certificate in PEM form; ask the organiser of the server for it") from None
    except OSError as error:
        raise CliError(f"cannot read {file}: {error.strerror}; give the right file with --tls-ca") from None
    return pem


def _is_here(host: str) -> bool:
    """Whether what is sent to this host does not leave this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
