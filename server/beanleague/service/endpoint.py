"""Endpoint of a server: its address, whether other machines can reach it, and its certificate."""

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from beanleague.files import MAX_PEM_BYTES, FileError, is_stream, read
from beanleague.names import is_loopback


class ServiceError(Exception):
    """Raised when the server cannot be started; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Certificate of a server: its files."""

    chain: Path
    """PEM file with the server's certificate, then the intermediate ones."""
    key: Path
    """PEM file with the private key."""

    def credentials(self) -> grpc.ServerCredentials:
        """Read the files.

        Raises:
            ServiceError: if a file cannot be read, is malformed, or the files do not match.
        """
        chain, key = _read(self.chain), _read(self.key)
        if b"-----BEGIN CERTIFICATE-----" not in chain:
            raise ServiceError(f"{self.chain} contains no PEM certificate (-----BEGIN CERTIFICATE-----)")
        if b"PRIVATE KEY-----" not in key:
            raise ServiceError(f"{self.key} contains no PEM private key (-----BEGIN PRIVATE KEY-----)")
        if b"ENCRYPTED" in key:
            raise ServiceError(
                f"the key in {self.key} has a passphrase; remove it with: openssl pkey -in FILE -out FILE"
            )
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.chain, self.key)
        except ssl.SSLError as error:
            if error.reason == "KEY_VALUES_MISMATCH":
                raise ServiceError(
                    f"the key in {self.key} does not belong to the certificate in {self.chain}"
                ) from None
            why = (error.reason or str(error)).replace("_", " ").lower()
            raise ServiceError(f"{self.chain} and {self.key} cannot be used: {why}") from None
        return grpc.ssl_server_credentials([(key, chain)])


def can_be_reached(address: str) -> bool:
    """Return whether other machines can reach an address; host names count as reachable.

    Raises:
        ServiceError: if the address is malformed.
    """
    if address.startswith("unix:"):
        return False
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isascii() and port.isdecimal() and len(port) < 6 and int(port) < 2**16):
        raise ServiceError(f"{address!r} is not an address; write host:port, e.g. 127.0.0.1:7411, or unix:/path")
    return not is_loopback(host)


def _read(file: Path) -> bytes:
    if is_stream(file):
        raise ServiceError(f"{file} is a pipe or device; certificates and keys are read more than once: name a file")
    try:
        return read(file, MAX_PEM_BYTES)
    except FileError as error:
        raise ServiceError(f"{file} {error}") from None
    except OSError as error:
        raise ServiceError(f"cannot read {file}: {error.strerror}") from None
