"""`beanleague cluster`, `beanleague node` and --cluster: what is accepted, and what is said of the rest."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from tests.cli.conftest import Run

TLS = "tls://192.0.2.1:8786"


@pytest.fixture
def certs(run: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "certs"
    result = run("cluster", "certs", str(folder))
    assert result.exit_code == 0, result.output
    return folder


def why_not(run: Run, *words: str, code: int = 1, **environment: str) -> str:
    """What a command says that fails."""
    result = run(*words, **environment)
    assert result.exit_code == code, result.output
    return " ".join(result.stderr.split())


def test_certificates_are_made_once(run: Run, certs: Path) -> None:
    assert {file.name for file in certs.iterdir()} == {"ca.pem", "cert.pem", "key.pem"}
    assert "nothing is overwritten; choose a new folder" in why_not(run, "cluster", "certs", str(certs))


@pytest.mark.parametrize("words", ["cluster certs {}", "cluster scheduler", "node --scheduler tcp://127.0.0.1:1"])
def test_each_command_says_what_to_install(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "-m pip install 'cryptography" in why_not(run, *(word.format(tmp_path / "certs") for word in words.split()))


def test_a_scheduler_that_others_can_reach_needs_certificates(run: Run) -> None:
    why = why_not(run, "cluster", "scheduler", "--listen", "0.0.0.0:8786")
    assert "could run programs on all machines of the cluster" in why
    assert "--cluster-tls DIR" in why
    assert "write HOST:PORT" in why_not(run, "cluster", "scheduler", "--listen", "tcp://127.0.0.1:8786")
    assert "'nonsense' is not an address" in why_not(run, "cluster", "scheduler", "--listen", "nonsense")


def test_a_node_needs_a_scheduler_and_a_certificate(run: Run, certs: Path) -> None:
    assert "Missing option '--scheduler'" in why_not(run, "node", code=2)
    assert f"{TLS} needs a certificate" in why_not(run, "node", "--scheduler", TLS)
    assert f"{TLS} needs a certificate" in why_not(run, "node", BEANLEAGUE_CLUSTER=TLS)
    assert "must be used together" in why_not(run, "node", "--scheduler", TLS, "--tls-ca", "ca.pem", code=2)
    files = ["--tls-ca", "a", "--tls-cert", "b", "--tls-key", "c"]
    both = why_not(run, "node", "--scheduler", TLS, *files, "--cluster-tls", str(certs), code=2)
    assert "--cluster-tls cannot be used with --tls-ca" in both
    named = why_not(run, "node", "--scheduler", TLS, *files, BEANLEAGUE_CLUSTER_TLS=str(certs))
    assert "cannot read a: No such file or directory" in named  # what is typed beats the environment


@pytest.mark.parametrize("words", ["league run spring", "compare a b --game duel", "serve"])
def test_a_cluster_that_cannot_be_used_is_refused_before_anything_is_opened(
    run: Run, tmp_path: Path, words: str
) -> None:
    command = [*words.split(), "--db", str(tmp_path / "a.db")]
    assert "'foo' is not the address of a cluster" in why_not(run, *command, "--cluster", "foo")
    assert "'foo' is not the address of a cluster" in why_not(run, *command, BEANLEAGUE_CLUSTER="foo")
    assert "could run programs" in why_not(run, *command, "--cluster", "tcp://192.0.2.1:8786")
    assert "cannot read" in why_not(run, *command, "--cluster", TLS, "--cluster-tls", str(tmp_path))
    assert "name its scheduler with --cluster" in why_not(run, *command, "--cluster-tls", str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_cluster_belongs_to_the_server_that_plays(run: Run) -> None:
    command = ["league", "run", "spring", "--server", "127.0.0.1:1"]
    assert "'beanleague serve --cluster ADDRESS'" in why_not(run, *command, "--cluster", "tcp://127.0.0.1:8786")
    assert "cannot reach a server" in why_not(run, *command, BEANLEAGUE_CLUSTER="tcp://127.0.0.1:8786")


def test_nodes_say_themselves_how_many_workers_they_have(run: Run) -> None:
    words = ["league", "run", "spring", "--cluster", "tcp://127.0.0.1:8786", "--workers", "2"]
    assert "beanleague node --workers" in why_not(run, *words, code=2)
