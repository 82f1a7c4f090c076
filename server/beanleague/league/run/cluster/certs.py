"""Certificates of a cluster, from an authority that signs no others."""

import os
import secrets
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from beanleague.league.run.cluster.settings import CA, CERT, KEY, ClusterError

_PEM = serialization.Encoding.PEM
_CLOCKS_APART = timedelta(days=1)  # tolerance for hosts whose clocks are slow


def make_certs(folder: Path, *, days: int = 365) -> None:
    """Create a folder with the files for each machine of a cluster: authority, certificate, private key.

    Only their owner can read them. They are valid for `days`. The authority's private key is discarded, so that no
    other certificate for the cluster can be made.

    Raises:
        ClusterError: if the folder is not empty, or cannot be written.
    """
    until = datetime.now(UTC) + timedelta(days=days)
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    # unique name, since errors about two authorities of the same name would be confusing
    issuer = f"Beanleague cluster {secrets.token_hex(4)}"
    authority = _builder(issuer, issuer, authority_key, until)
    member = _builder("Member of a Beanleague cluster", issuer, key, until)
    ca = _sign(authority.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True), authority_key)
    both_ends = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    member = member.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    cert = _sign(member.add_extension(both_ends, critical=True), authority_key)
    secret = key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    _write(folder, {CA: ca, CERT: cert, KEY: secret})


def _builder(name: str, issuer: str, key: ec.EllipticCurvePrivateKey, until: datetime) -> x509.CertificateBuilder:
    def named(common: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])

    return x509.CertificateBuilder(
        subject_name=named(name),
        issuer_name=named(issuer),
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=datetime.now(UTC) - _CLOCKS_APART,
        not_valid_after=until,
    )


def _sign(certificate: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> bytes:
    return certificate.sign(key, hashes.SHA256()).public_bytes(_PEM)


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Write the files into a new or empty folder: all or none."""
    try:
        with tempfile.TemporaryDirectory(prefix=".certs-", dir=folder.absolute().parent) as beside:
            made = Path(beside, "made")
            made.mkdir(mode=0o700)
            for name, content in files.items():
                with open(made / name, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                    file.write(content)
            made.rename(folder)
    except FileExistsError:
        raise _not_empty(folder) from None
    except OSError as error:
        if folder.is_dir() and any(folder.iterdir()):
            raise _not_empty(folder) from None
        raise ClusterError(f"cannot write {folder}: {error.strerror}; choose another folder") from None


def _not_empty(folder: Path) -> ClusterError:
    return ClusterError(f"{folder} exists and is not empty, and nothing is overwritten; choose a new folder")
