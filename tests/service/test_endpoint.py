"""Servers with TLS, and the files these need."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest

from beanleague.service.endpoint import Certificate, ServiceError
from beanleague.service.server import served
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.service.helpers import certified, guarded, refused


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certified(tmp_path_factory.mktemp("tls"), "localhost", "127.0.0.1")


def missing(folder: Path, good: Certificate) -> Certificate:
    return Certificate(folder / "none.pem", good.key)


def folder_as_key(folder: Path, good: Certificate) -> Certificate:
    return Certificate(good.chain, folder)


def swapped(folder: Path, good: Certificate) -> Certificate:
    return Certificate(good.key, good.chain)


def key_that_is_none(folder: Path, good: Certificate) -> Certificate:
    return Certificate(good.chain, good.chain)


def key_of_another(folder: Path, good: Certificate) -> Certificate:
    return Certificate(good.chain, certified(folder, "localhost").key)


def torn(folder: Path, good: Certificate) -> Certificate:
    (folder / "torn.pem").write_text(good.chain.read_text()[:200])
    return Certificate(folder / "torn.pem", good.key)


def with_passphrase(folder: Path, good: Certificate) -> Certificate:
    (folder / "locked.pem").write_text("-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n")
    return Certificate(good.chain, folder / "locked.pem")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (missing, r"cannot read .*/none\.pem: No such file or directory"),
        (folder_as_key, r"cannot read .*: Is a directory"),
        (swapped, r".*/key\.pem holds no certificate in PEM form"),
        (key_that_is_none, r".*/cert\.pem holds no private key in PEM form"),
        (key_of_another, r"the key in .*/key\.pem is not that of the certificate in .*/cert\.pem"),
        (torn, r".*/torn\.pem and .*/key\.pem cannot be used: "),
        (with_passphrase, r"the key in .*/locked\.pem has a passphrase; remove it with: openssl pkey"),
    ],
)
def test_unusable_files_are_refused_with_the_reason(
    tmp_path: Path, certificate: Certificate, spoil: Callable[[Path, Certificate], Certificate], message: str
) -> None:
    spoilt = spoil(tmp_path, certificate)
    with pytest.raises(ServiceError, match=message), served("127.0.0.1:0", "sqlite://", certificate=spoilt):
        pass


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "0.0.0.0:0"])
def test_a_server_with_a_certificate_is_reached_with_tls_and_tokens_only(
    tmp_path: Path, certificate: Certificate, listen: str
) -> None:
    with guarded(tmp_path, listen=listen, certificate=certificate) as server:
        assert not server.stub("viewer").ListBots(pb.ListBotsRequest()).bots
        with refused(grpc.StatusCode.UNAUTHENTICATED, "requires a token"):
            LeagueStub(server.channel).ListBots(pb.ListBotsRequest())
        with grpc.insecure_channel(server.address) as plain, refused(grpc.StatusCode.UNAVAILABLE, ""):
            LeagueStub(plain).ListBots(pb.ListBotsRequest())


def test_where_others_can_reach_it_tokens_are_demanded_without_being_asked_for(
    tmp_path: Path, certificate: Certificate
) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with served("0.0.0.0:0", url, certificate=certificate) as serving:
        assert (serving.tls, serving.tokens, serving.without_tokens) == (True, True, True)
    with served("127.0.0.1:0", url, certificate=certificate) as serving:
        assert (serving.tls, serving.tokens) == (True, False)


def test_at_a_unix_socket_tokens_are_demanded_without_being_asked_for(tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 'socket'}"
    with served(address, f"sqlite:///{tmp_path / 'a.db'}") as serving:
        assert serving.tokens
        with grpc.insecure_channel(address) as channel, refused(grpc.StatusCode.UNAUTHENTICATED, "requires a token"):
            LeagueStub(channel).ListBots(pb.ListBotsRequest())


def test_the_certificate_made_as_documented_will_do(tmp_path: Path) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "server.md").read_text("utf-8")
    found = re.search(r"^openssl req (?:.*\\\n)*.*$", docs, re.MULTILINE)
    assert found, "docs/server.md tells how to make a certificate"
    try:
        subprocess.run(["bash", "-ec", found[0]], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    except subprocess.CalledProcessError as error:
        if b"not found" in error.stderr:
            pytest.skip("there is no openssl here")
        raise
    made = Certificate(tmp_path / "cert.pem", tmp_path / "key.pem")
    assert made.key.stat().st_mode & 0o077 == 0
    with guarded(tmp_path, listen="0.0.0.0:0", certificate=made) as server:
        assert not server.stub("viewer").ListBots(pb.ListBotsRequest()).bots
