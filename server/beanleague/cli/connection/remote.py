"""A remote server: address, TLS, token, and diagnosis of failed connections."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import grpc

from beanleague.cli.connection.checking import check
from beanleague.cli.params import CliError
from beanleague.cli.streams import echo
from beanleague.files import MAX_PEM_BYTES, FileError, read
from beanleague.names import hide_password, is_loopback

_MAX_MESSAGE_BYTES = 64 * 1024 * 1024  # maximum message size; records and logs are far smaller
_DIAGNOSE_TIMEOUT_S = 3.0
_WRONG_NAME = frozenset({62, 64})  # OpenSSL codes for a certificate of another host name or address
_EXPIRED = 10
_RETRY_AFTER = "retry-after-ms"  # metadata key of the server's requested pause; see league.proto
_MAX_PATIENCE_S = 120.0  # maximum wait per call; a server's allowances recover in a few seconds
_TOLD_FROM_S = 1.0  # waits shorter than this are not reported


@dataclass(frozen=True)
class Remote:
    """Remote server and the settings for connecting to it."""

    server: str
    """Address of the server: "host:port", "https://host:port" (with TLS) or "unix:/path"."""
    ca: Path | None = None
    """PEM file of the trusted certificate authorities; None for the system's own."""
    token: str = ""
    """Token sent with every call; "" for none."""

    @contextmanager
    def channel(self, *, patient: bool = True) -> Iterator[grpc.Channel]:
        """Connect to the server. `patient`: repeat calls refused by a rate limit after the server's delay.

        Raises:
            CliError: the address is invalid, a file cannot be used, or the token would be sent unencrypted.
        """
        options = [("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES)]
        if not self.server.startswith("unix:") and is_loopback(self._host):
            options.append(("grpc.enable_http_proxy", 0))  # proxies cannot reach loopback addresses
        if self._tls:
            credentials = grpc.ssl_channel_credentials(_read_authorities(self.ca) if self.ca else None)
            opened = grpc.secure_channel(self._target, credentials, options=options)
        else:
            self._check_plain()
            opened = grpc.insecure_channel(self._target, options=options)
        with opened as channel:
            yield grpc.intercept_channel(channel, _Calls(self, patient=patient))

    def why_unreachable(self, details: str) -> str:
        """Return an error message that explains why the server did not answer. `details`: gRPC's reason."""
        missing = (
            f"cannot reach a server at {self.server}; start one with 'beanleague serve', or leave out --server "
            "(and unset BEANLEAGUE_SERVER)"
        )
        if self.server.startswith("unix:"):
            return missing
        try:
            where = (self._host, self._parsed.port)
            with socket.create_connection(where, timeout=_DIAGNOSE_TIMEOUT_S) as connection:
                found = self._why_no_tls(connection) if self._tls else self._why_not_plain(connection)
        except OSError:
            return missing
        return found or f"the server at {self.server} closed the connection: {details}; try again"

    def _why_no_tls(self, connection: socket.socket) -> str:
        try:
            with ssl.create_default_context(cafile=self.ca).wrap_socket(connection, server_hostname=self._host):
                return ""
        except ssl.SSLCertVerificationError as error:
            certificate = f"the certificate of the server at {self.server}"
            if error.verify_code in _WRONG_NAME:
                return f"{certificate} is for another name ({error.verify_message}); use the name in the certificate"
            if error.verify_code == _EXPIRED:
                return f"{certificate} has expired; ask its operator to renew it"
            if self.ca:
                return f"{certificate} is not signed by an authority in {self.ca}; ask its operator for the right file"
            return (
                f"{certificate} is not signed by a trusted authority; ask its operator for the authority's certificate "
                "and pass it with --tls-ca"
            )
        except (ssl.SSLError, ConnectionError):
            return f"the server at {self.server} does not use TLS; use --server {self._target}"

    def _why_not_plain(self, connection: socket.socket) -> str:
        unverified = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        unverified.check_hostname = False
        unverified.verify_mode = ssl.CERT_NONE  # no certificate check: nothing is sent, this only detects TLS
        try:
            with unverified.wrap_socket(connection):
                return f"the server at {self.server} requires TLS; use --server https://{self._target}"
        except (ssl.SSLError, ConnectionError):
            return ""

    def _check_plain(self) -> None:
        if self.server.startswith("unix:") or is_loopback(self._host):
            return
        if self.token:
            raise CliError(
                f"without TLS your token could be intercepted on the way to {self.server}; use --server "
                f"https://{self._target}, or unset BEANLEAGUE_TOKEN"
            )
        if self.ca:
            raise CliError(f"--tls-ca requires TLS; use --server https://{self._target}")

    @property
    def _tls(self) -> bool:
        return self.server.startswith("https://")

    @property
    def _target(self) -> str:
        """Address in gRPC's format."""
        return self.server if self.server.startswith("unix:") else self._parsed.netloc

    @property
    def _host(self) -> str:
        assert self._parsed.hostname, "checked when parsed"
        return self._parsed.hostname

    @cached_property
    def _parsed(self) -> SplitResult:
        try:
            parsed = urlsplit(self.server if self._tls else f"//{self.server}")
            if parsed.hostname and parsed.port is not None and not (parsed.path.strip("/") or "@" in parsed.netloc):
                return parsed
        except ValueError:
            pass
        raise CliError(
            f"{hide_password(self.server)!r} is not a server address; use host:port, https://host:port (with TLS) or "
            "unix:/path"
        )


class _Calls(
    grpc.UnaryUnaryClientInterceptor,  # type: ignore[type-arg]  # generic in the stubs only
    grpc.UnaryStreamClientInterceptor,  # type: ignore[type-arg]
    grpc.StreamStreamClientInterceptor,  # type: ignore[type-arg]
):
    """gRPC interceptor that adds the token to calls without one, and checks the answers of `remote`.

    If `patient`, rate-limited calls are repeated. Repeating is safe, since the server refuses a call before it reads
    the request.
    """

    def __init__(self, remote: Remote, *, patient: bool) -> None:
        self._server = remote.server
        self._token = (("authorization", f"Bearer {remote.token}"),) if remote.token else ()
        self._patient = patient

    def intercept_unary_unary(self, continuation: Callable[..., Any], client_call_details: Any, request: Any) -> Any:  # noqa: ANN401 - grpc's own
        """Make a call, and repeat it while the server asks to wait and patience lasts."""
        left = self._patience(client_call_details)
        while True:
            call = continuation(self._with_token(client_call_details), request)
            wait = _told_to_wait(call, left)
            if wait is None:
                break
            left -= wait
            time.sleep(wait)
        if call.code() is grpc.StatusCode.OK:
            check(call.result(), self._server)
        return call

    def intercept_unary_stream(self, continuation: Callable[..., Any], client_call_details: Any, request: Any) -> Any:  # noqa: ANN401 - grpc's own
        """Return the stream of a call; the call is repeated until the server accepts it."""
        details = self._with_token(client_call_details)
        return _Answers(lambda: continuation(details, request), self._patience(details), self._server)

    def intercept_stream_stream(self, continuation: Callable[..., Any], client_call_details: Any, requests: Any) -> Any:  # noqa: ANN401 - grpc's own
        """Make a call once, unchecked: its messages are not those of league.proto."""
        return continuation(self._with_token(client_call_details), requests)

    def _with_token(self, details: Any) -> Any:  # noqa: ANN401 - grpc's own
        metadata = tuple(details.metadata or ())
        signed = any(key == "authorization" for key, _ in metadata)
        return details if signed else details._replace(metadata=(*metadata, *self._token))

    def _patience(self, details: Any) -> float:  # noqa: ANN401 - grpc's own
        """Return the total seconds that a call may wait."""
        return (details.timeout or _MAX_PATIENCE_S) if self._patient else 0.0


class _Answers:
    """Stream of answers of a call that is repeated until the server accepts it; answers are checked."""

    def __init__(self, start: Callable[[], Any], patience: float, server: str) -> None:
        self._start = start
        self._left = patience
        self._server = server
        self._cancelled = threading.Event()
        self._call = start()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:  # noqa: ANN401 - a message
        while True:
            try:
                answer = next(self._call)
            except grpc.RpcError as error:
                wait = _told_to_wait(error, self._left)
                if wait is None or self._cancelled.wait(wait):
                    raise
                self._left -= wait
            else:
                check(answer, self._server)
                return answer
            self._call = self._start()
            if self._cancelled.is_set():
                self._call.cancel()

    def cancel(self) -> object:
        """Cancel the call."""
        self._cancelled.set()
        return self._call.cancel()


def _told_to_wait(call: Any, patience: float) -> float | None:  # noqa: ANN401 - a call or its error, which is one too
    """Return the delay before repeating a call; None if it exceeds `patience`, or the call ended otherwise."""
    if call.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
        return None
    told = [value for key, value in call.trailing_metadata() or () if key == _RETRY_AFTER]
    if not told or not str(told[0]).isdecimal():
        return None
    wait = max(1, int(told[0])) / 1000
    if wait > patience:
        return None
    if wait >= _TOLD_FROM_S:
        echo(f"The server accepts no more calls for now; retrying in {wait:.0f} s.", err=True)
    return wait


def _read_authorities(file: Path) -> bytes:
    try:
        pem = read(file, MAX_PEM_BYTES)
        if not pem.strip():
            raise CliError(f"{file} is empty; pass the right file with --tls-ca")
        ssl.create_default_context(cadata=pem.decode("ascii", "ignore"))  # comments in the file may not be ASCII
    except FileError as error:
        raise CliError(f"{file} {error}; pass the right file with --tls-ca") from None
    except ssl.SSLError:
        raise CliError(f"{file} contains no PEM certificate; ask the server's operator for the right file") from None
    except OSError as error:
        raise CliError(f"cannot read {file}: {error.strerror}; pass the right file with --tls-ca") from None
    return pem
