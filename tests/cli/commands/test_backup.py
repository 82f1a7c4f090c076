"""`beanleague backup`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from beanproto.v1.league_pb2 import BackupPart
from tests.cli.conftest import On, Run
from tests.cli.fake_server import FakeLeague


def test_a_backup_is_the_database_again(on: On, spring: str, tmp_path: Path) -> None:
    file = tmp_path / "b.db"
    result = on("backup", str(file), "--json")
    assert result.exit_code == 0, result.output
    data = file.read_bytes()
    assert json.loads(result.stdout) == {
        "file": str(file),
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    assert file.stat().st_mode & 0o077 == 0
    assert on("standings", spring, db=str(file)).stdout == on("standings", spring).stdout


def test_a_file_that_exists_is_overwritten_only_by_force(on: On, spring: str, tmp_path: Path) -> None:
    del spring
    file = tmp_path / "b.db"
    file.write_text("mine")
    refused = on("backup", str(file))
    assert refused.exit_code == 1
    assert "already exists; choose another file, or overwrite it with --force" in refused.stderr
    assert file.read_text() == "mine"
    forced = on("backup", str(file), "--force")
    assert forced.exit_code == 0
    assert forced.stdout == f"Wrote {file}: {file.stat().st_size:,} bytes, verified.\n"


def test_a_backup_that_is_not_whole_leaves_nothing(run: Run, league: FakeLeague, tmp_path: Path) -> None:
    part = BackupPart(data=b"SQLite format 3")
    for parts, message in (
        ([part], "the backup did not arrive whole"),
        ([part, BackupPart(sha256="0" * 64)], "the backup did not arrive whole"),
        ([part, BackupPart(sha256=hashlib.sha256(part.data).hexdigest())], "is damaged"),
    ):
        league.answers["Backup"] = lambda *_, parts=parts: iter(parts)
        result = run("backup", str(tmp_path / "b.db"), "--server", league.address)
        assert result.exit_code == 1
        assert message in result.stderr
        assert list(tmp_path.iterdir()) == []
