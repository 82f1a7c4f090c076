"""Address of a cluster's scheduler, and certificates of its members."""

import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from beanleague.extras import installation
from beanleague.files import MAX_PEM_BYTES, FileError, is_stream, read
from beanleague.league.errors import RunError
from beanleague.names import is_loopback

if TYPE_CHECKING:
    from distributed import Security

CA, CERT, KEY = "ca.pem", "cert.pem", "key.pem"
"""File names of authority, certificate and key in a folder of `make_certs`."""

_ROUNDS = 8  # maximum round trips of a handshake; TLS 1.3 needs three


class ClusterError(RunError):
    """Raised when a cluster cannot be used."""


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """A cluster's scheduler, and the files that authenticate this member.

    Any program that can send to a scheduler or a node can run code there, so all members need a certificate of the
    cluster's own authority, except on the loopback device.

    Raises:
        ClusterError: if the address is malformed, or others could connect without a certificate.
    """

    address: str
    """Address of the scheduler: tls://HOST:PORT, or tcp://HOST:PORT on the loopback device."""
    ca: Path | None = None
    """Certificate of the cluster's authority (PEM)."""
    cert: Path | None = None
    """Certificate signed by this authority (PEM)."""
    key: Path | None = None
    """Private key of the certificate (PEM)."""

    def __post_init__(self) -> None:
        scheme, host, _ = _parse(self.address)
        files = (self.ca, self.cert, self.key)
        if scheme == "tls" and None in files:
            raise ClusterError(
                f"{self.address} needs a certificate; pass the folder created by 'beanleague cluster certs DIR' "
                "with --cluster-tls DIR"
            )
        if scheme == "tcp" and any(files):
            raise ClusterError(f"{self.address} uses no certificates; write tls:// instead of tcp://")
        if scheme == "tcp" and not is_loopback(host):
            raise ClusterError(
                f"{self.address}: without certificates anybody on the network could run programs on all machines "
                "of the cluster; use tls:// and --cluster-tls, or tcp://127.0.0.1:PORT on one machine"
            )

    @classmethod
    def of(cls, address: str, folder: Path | None) -> Self:
        """Return the settings with the files of `make_certs` in `folder`."""
        return cls(address, *(folder / name for name in (CA, CERT, KEY))) if folder else cls(address)

    @property
    def host(self) -> str:
        """The scheduler's host."""
        return _parse(self.address)[1]

    @property
    def port(self) -> int:
        """The scheduler's port."""
        return _parse(self.address)[2]

    def leading_to(self) -> str:
        """Return the address of this machine on the route to the scheduler.

        Raises:
            OSError: if there is no route.
        """
        family, kind, _, _, address = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as way:
            way.connect(address)  # connect only: no data is sent
            host: str = way.getsockname()[0]
            return host

    def check_listening(self, host: str) -> None:
        """Check that a listener at `host` is reachable only with a certificate.

        Raises:
            ClusterError: if others can reach it.
        """
        if _parse(self.address)[0] == "tcp" and not is_loopback(host):
            raise ClusterError(
                f"{host} is reachable from other machines, and without certificates anybody there could run "
                "programs here; use tls:// and --cluster-tls, or leave out --host"
            )

    def security(self) -> "Security | None":
        """Return the certificate files as Dask needs them; None without certificates.

        Raises:
            ClusterError: if a file cannot be read or is malformed, if they do not match, if the certificate is not
                valid now, or if packages are missing.
        """
        require_extra()
        if not (self.ca and self.cert and self.key):
            return None
        _check(self.ca, "CERTIFICATE-----")
        _check(self.cert, "CERTIFICATE-----")
        _check(self.key, "PRIVATE KEY-----")
        from distributed import Security

        cert, key = str(self.cert), str(self.key)
        security = Security(
            require_encryption=True,
            tls_min_version=ssl.TLSVersion.TLSv1_3,
            tls_ca_file=str(self.ca),
            tls_client_cert=cert,
            tls_client_key=key,
            tls_scheduler_cert=cert,
            tls_scheduler_key=key,
            tls_worker_cert=cert,
            tls_worker_key=key,
        )
        try:
            server: ssl.SSLContext = security.get_listen_args("scheduler")["ssl_context"]
            client: ssl.SSLContext = security.get_connection_args("client")["ssl_context"]
            _shake_hands(server, client)
        except ssl.SSLCertVerificationError as error:
            raise ClusterError(
                f"the certificate in {self.cert} is not accepted by the authority in {self.ca}: "
                f"{error.verify_message}; use the three files of one 'beanleague cluster certs' run"
            ) from None
        except ssl.SSLError as error:
            if error.reason == "KEY_VALUES_MISMATCH":
                raise ClusterError(f"the key in {self.key} does not belong to the certificate in {self.cert}") from None
            why = (error.reason or str(error)).replace("_", " ").lower()
            raise ClusterError(f"{self.ca}, {self.cert} and {self.key} cannot be used: {why}") from None
        return security


def require_extra() -> None:
    """Check that the packages for clusters are installed.

    Raises:
        ClusterError: if some are missing.
    """
    try:
        import cryptography  # noqa: F401
        import distributed  # noqa: F401
    except ModuleNotFoundError:
        raise ClusterError(
            f"a cluster needs additional packages; install them with: {installation('cluster')}"
        ) from None


def _parse(address: str) -> tuple[str, str, int]:
    """Return the scheme, the host and the port of an address."""
    try:
        parsed = urlsplit(address)
        plain = not (parsed.path or parsed.query or parsed.fragment or "@" in parsed.netloc)
        if parsed.scheme in {"tls", "tcp"} and parsed.hostname and parsed.port is not None and plain:
            return parsed.scheme, parsed.hostname, parsed.port
    except ValueError:
        pass
    raise ClusterError(f"{address!r} is not the address of a cluster; write tls://HOST:PORT, e.g. tls://192.0.2.1:8786")


def _check(file: Path, mark: str) -> None:
    """Check that a PEM file is readable, and has a section `mark`."""
    if is_stream(file):
        raise ClusterError(f"{file} is a pipe or device; certificates and keys are read more than once: name a file")
    try:
        text = read(file, MAX_PEM_BYTES)
    except FileError as error:
        raise ClusterError(f"{file} {error}; 'beanleague cluster certs' creates such files") from None
    except OSError as error:
        raise ClusterError(
            f"cannot read {file}: {error.strerror}; 'beanleague cluster certs DIR' creates {CA}, {CERT} and {KEY}"
        ) from None
    if mark.encode() not in text:
        raise ClusterError(f"{file} has no line -----BEGIN {mark}; 'beanleague cluster certs' creates such files")
    if b"ENCRYPTED" in text:  # OpenSSL would ask for the passphrase on the terminal
        raise ClusterError(f"the key in {file} has a passphrase; remove it with: openssl pkey -in FILE -out FILE")


def _shake_hands(server: ssl.SSLContext, client: ssl.SSLContext) -> None:
    """Check in memory that both contexts accept each other.

    Raises:
        ssl.SSLError: if one refuses.
    """
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        client.wrap_bio(to_client, to_server, server_hostname="any"),
        server.wrap_bio(to_server, to_client, server_side=True),
    )
    for _ in range(_ROUNDS):
        waiting = False
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                waiting = True
        if not waiting:
            return
