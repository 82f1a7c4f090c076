"""Addresses and certificates of clusters: what is accepted, and what is said of the rest."""

import shutil
import ssl
import stat
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.run.cluster.certs import make_certs
from beanleague.league.run.cluster.settings import CA, CERT, KEY, ClusterError, ClusterSettings

TLS = "tls://192.0.2.1:8786"


@pytest.fixture(scope="module")
def certs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certs") / "cluster"
    make_certs(folder)
    return folder


def why_refused(address: str, folder: Path | None = None) -> str:
    """What is said of these settings."""
    with pytest.raises(ClusterError) as error:
        ClusterSettings.of(address, folder).security()
    return str(error.value)


def mixed(folder: Path, *, ca: Path, cert: Path, key: Path) -> Path:
    """A folder with files of several others."""
    folder.mkdir()
    for source, name in ((ca, CA), (cert, CERT), (key, KEY)):
        shutil.copy(source / name, folder)
    return folder


def test_certificates_of_one_folder_are_used_by_both_ends(certs: Path) -> None:
    security = ClusterSettings.of(TLS, certs).security()
    assert security is not None
    assert security.require_encryption
    for role in ("client", "worker", "scheduler"):
        for args in (security.get_connection_args(role), security.get_listen_args(role)):
            assert args["ssl_context"].verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786"])
def test_no_certificate_is_needed_where_nobody_else_listens(address: str) -> None:
    assert ClusterSettings.of(address, None).security() is None


@pytest.mark.parametrize("address", ["tcp://192.0.2.1:8786", "tcp://0.0.0.0:8786", "tcp://node1:8786", "tcp://[::]:1"])
def test_elsewhere_nothing_is_sent_without_encryption(address: str) -> None:
    assert "anybody on the network could run programs" in why_refused(address)


def test_certificates_are_demanded_and_not_ignored(certs: Path) -> None:
    assert "--cluster-tls DIR" in why_refused(TLS)
    assert "write tls:// instead of tcp://" in why_refused("tcp://127.0.0.1:8786", certs)


@pytest.mark.parametrize(
    "address",
    ["", "host:8786", "tls://host", "tls://host:x", "tls://host:99999", "tls://:8786", "http://host:1", "tls://a@b:1",
     "tls://host:1/path", "tls://[::1:1", "ucx://host:1"],
)  # fmt: skip
def test_a_malformed_address_is_refused_with_an_example(address: str, certs: Path) -> None:
    assert why_refused(address, certs) == (
        f"{address!r} is not the address of a cluster; write tls://HOST:PORT, e.g. tls://192.0.2.1:8786"
    )


def test_a_missing_file_is_named_with_what_makes_it(certs: Path, tmp_path: Path) -> None:
    why = why_refused(TLS, tmp_path)
    assert f"cannot read {tmp_path / CA}: No such file or directory" in why
    assert "beanleague cluster certs" in why


def test_a_file_of_something_else_is_named(certs: Path, tmp_path: Path) -> None:
    folder = mixed(tmp_path / "mixed", ca=certs, cert=certs, key=certs)
    (folder / CERT).write_text("hello")
    assert f"{folder / CERT} has no line -----BEGIN CERTIFICATE-----" in why_refused(TLS, folder)
    (folder / CERT).write_text("-----BEGIN CERTIFICATE-----\nhello\n-----END CERTIFICATE-----\n")
    assert "cannot be used" in why_refused(TLS, folder)


def test_a_certificate_of_another_authority_is_refused_before_anything_is_sent(certs: Path, tmp_path: Path) -> None:
    make_certs(tmp_path / "other")
    folder = mixed(tmp_path / "mixed", ca=certs, cert=tmp_path / "other", key=tmp_path / "other")
    why = why_refused(TLS, folder)
    assert f"the certificate in {folder / CERT} is not accepted by the authority in {folder / CA}" in why


def test_a_key_of_another_certificate_is_refused(certs: Path, tmp_path: Path) -> None:
    make_certs(tmp_path / "other")
    folder = mixed(tmp_path / "mixed", ca=certs, cert=certs, key=tmp_path / "other")
    assert f"the key in {folder / KEY} does not belong to the certificate in {folder / CERT}" in why_refused(
        TLS, folder
    )


def test_a_certificate_that_has_expired_is_called_so(tmp_path: Path) -> None:
    make_certs(tmp_path / "old", days=0)
    assert "certificate has expired" in why_refused(TLS, tmp_path / "old")


def test_only_the_owner_can_read_what_is_made(certs: Path) -> None:
    assert {file.name for file in certs.iterdir()} == {CA, CERT, KEY}
    assert stat.S_IMODE(certs.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in certs.iterdir()} == {0o600}


def test_nothing_is_overwritten_and_nothing_left_behind(certs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / KEY).write_text("mine")
    with pytest.raises(ClusterError, match="exists and is not empty, and nothing is overwritten"):
        make_certs(folder)
    assert (folder / KEY).read_text() == "mine"
    with pytest.raises(ClusterError, match="No such file or directory; choose another folder"):
        make_certs(tmp_path / "nowhere" / "certs")
    assert [file.name for file in tmp_path.iterdir()] == ["full"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    make_certs(tmp_path)
    assert ClusterSettings.of(TLS, tmp_path).security() is not None
