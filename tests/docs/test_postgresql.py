"""What the documentation says of PostgreSQL works as written."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.databases import PROGRAMS, PostgreSQL

DOCS = Path(__file__).parents[2] / "docs"
PASSWORD = "sword:fish"
SUPERUSER = {
    "beanleague": "CREATE ROLE postgres SUPERUSER LOGIN",
    "postgres": "ALTER ROLE beanleague RENAME TO nobody",
}
"""What makes the superuser that of Debian."""


def lines(page: str, word: str) -> list[str]:
    """Return the lines of the example that has this word, without what installs programs."""
    (found,) = [
        text
        for text in re.findall(r"^```sh\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
        if word in text
    ]
    return [line for line in found.splitlines() if not line.startswith(("apt-get", "pip"))]


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture
def server(port: int) -> Iterator[PostgreSQL]:
    """A server like that of Debian: it asks for passwords, and its own user is `postgres`."""
    if not PROGRAMS.exists():
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")

    def ask(data: Path) -> None:
        rules = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        (data.parent / "hba.conf").write_text(rules, encoding="utf-8")

    server = PostgreSQL.new(ask, hba_file="'hba.conf'", listen_addresses="'127.0.0.1'", port=str(port))
    yield server
    server.remove()


@pytest.fixture
def environment(tmp_path: Path, server: PostgreSQL, port: int) -> dict[str, str]:
    """The environment of somebody who follows the documentation, on a port that is free."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BEANLEAGUE", "PYTHON", "PG"))}
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}:{PROGRAMS}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PGPORT": str(port),
        "SERVER": str(server.folder),
    }


def script(page: str, word: str) -> str:
    """Return the lines of an example, in which the user `postgres` of the database is nobody's on this machine."""
    as_postgres = 'runuser() { shift 3; PGHOST="$SERVER" PGUSER=postgres "$@"; }'
    return "\n".join(["set -e", as_postgres, *lines(page, word)])


@pytest.mark.slow
def test_from_nothing_to_a_league_and_to_a_restored_backup(
    server: PostgreSQL, environment: dict[str, str], tmp_path: Path
) -> None:
    """What is not as printed: port and password, and where `serve` listens."""
    for user, statement in SUPERUSER.items():
        words = ["psql", "-h", str(server.folder), "-U", user, "-c", statement, "postgres"]
        subprocess.run(words, env=environment, check=True, capture_output=True)
    setting_up = (
        script("server.md", "createuser")
        .replace("5432", environment["PGPORT"])
        .replace("PASSWORD", PASSWORD.replace(":", r"\:"))
        .replace("beanleague serve", "exec beanleague serve --listen 127.0.0.1:0")
    )
    with pexpect.spawn(
        "bash", ["-c", setting_up], env=environment, cwd=tmp_path, timeout=120, encoding="utf-8"
    ) as shell:
        for question in ("Enter password for new role:", "Enter it again:"):
            shell.expect_exact(question)
            shell.sendline(PASSWORD)
        shell.expect(r"Serving at (\S+);")
        listing = ["beanleague", "--server", shell.match.group(1), "league", "list"]
        served = subprocess.run(listing, env=environment, check=True, capture_output=True, text=True).stdout
        shell.sendintr()
        shell.expect(pexpect.EOF)
    assert "quickstart" in served
    restoring = ["bash", "-c", script("backup.md", "pg_dump")]
    done = subprocess.run(restoring, env=environment, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == served
