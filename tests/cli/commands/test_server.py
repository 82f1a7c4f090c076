"""`beanleague token` and `backup`."""

import hashlib
import json
import re
from itertools import repeat
from pathlib import Path

import pytest
from click.testing import Result

from beanleague.service.gate import ALLOWANCES
from beanleague.store import Store
from beanproto.v1.league_pb2 import ROLE_VIEWER, BackupPart, NewTokenResponse, TokenInfo
from tests.cli.conftest import On, Run
from tests.cli.helpers import FakeLeague

DOCS = (Path(__file__).parents[3] / "docs" / "server.md").read_text("utf-8")


@pytest.fixture
def fresh(run: Run, tmp_path: Path) -> Run:
    """Run a command on a database of this test."""

    def on_database(*words: str) -> Result:
        return run("--db", str(tmp_path / "a.db"), *words)

    return on_database


def test_a_new_token_is_all_that_is_printed_so_that_it_can_go_to_a_file(fresh: Run, tmp_path: Path) -> None:
    made = fresh("token", "new", "ann", "--role", "author")
    assert made.exit_code == 0
    assert re.fullmatch(r"bean-[0-9a-f]{16}-[\w-]{43}\n", made.stdout)
    assert "Token of ann (author). Send it privately" in made.stderr
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        found = store.tokens.find(made.stdout.strip())
        assert found is not None
        assert (found.name, found.role, found.expires) == ("ann", "author", None)


def test_many_get_a_note_each_with_where_to_sign_in_and_their_token(fresh: Run, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    words = ("token", "new", "--role", "author", "--out", str(folder), "--site", "https://league.example.org")
    names = [f"pupil{number:02}" for number in range(1, 31)]
    made = fresh(*words, *names)
    assert made.output == f"Wrote 30 notes into {folder}. Send each privately to the person named in it.\n"
    assert sorted(file.name for file in folder.iterdir()) == [f"{name}.txt" for name in names]
    note = folder / "pupil07.txt"
    assert note.stat().st_mode & 0o077 == 0
    text = note.read_text()
    (secret,) = set(re.findall(r"bean-[0-9a-f]{16}-[\w-]{43}", text))
    assert "sign in with it: https://league.example.org/sign-in\n" in text
    assert f"    export BEANLEAGUE_TOKEN={secret}\n    beanleague bot new pupil07 --game bohnanza\n" in text
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        found = store.tokens.find(secret)
        assert found is not None
        assert (found.name, found.role) == ("pupil07", "author")
    again = fresh(*words, "ann", "pupil07")
    assert again.stderr == f"Error: {note} already exists; leave pupil07 out, or choose another folder\n"
    assert not (folder / "ann.txt").exists()


def test_a_note_names_the_server_that_made_the_token(run: Run, league: FakeLeague, tmp_path: Path) -> None:
    league.answers["NewToken"] = NewTokenResponse(info=TokenInfo(name="vic", role=ROLE_VIEWER), token="bean-x")
    words = ("token", "new", "vic", "--role", "viewer", "-o", str(tmp_path), "--server", league.address)
    assert run(*words).exit_code == 0
    assert (tmp_path / "vic.txt").read_text() == (
        "The token of vic for Beanleague:\n\n    bean-x\n\nKeep it secret: whoever has it acts as vic.\n\n"
        f"At a command line, where Beanleague is installed:\n\n    export BEANLEAGUE_SERVER={league.address}\n"
        "    export BEANLEAGUE_TOKEN=bean-x\n    beanleague league list\n"
    )


def test_the_list_tells_who_has_one_and_never_the_token(fresh: Run) -> None:
    made = json.loads(fresh("token", "new", "ann", "--role", "viewer", "--days", "1", "--json").stdout)
    assert made["info"]["role"] == "viewer"
    fresh("token", "new", "olga", "--role", "organiser")
    assert fresh("token", "revoke", "olga").output == "The token of olga is revoked.\n"
    shown = fresh("token", "list").output
    rows = [line.split()[:3] for line in shown.splitlines()[2:]]
    assert rows == [["olga", "organiser", "revoked"], ["ann", "viewer", "valid"]]
    listed = fresh("token", "list", "--json").stdout
    assert [token["name"] for token in json.loads(listed)["tokens"]] == ["olga", "ann"]
    assert made["token"] not in shown + listed


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["new", "Ann", "--role", "author"], 1, "a token cannot be called 'Ann': a name has 1 to 32 characters"),
        (["new", "eva", "--role", "king"], 2, "Invalid value for '--role': 'king' is not one of 'viewer'"),
        (["new", "eva"], 2, "Missing option '--role'. Choose from viewer, author, organiser."),
        (["new", "bob", "--role", "viewer"], 1, "bob already has a valid token; revoke it first (token revoke bob)"),
        (["new", "eva", "dan", "--role", "viewer"], 2, "notes need a folder: add --out DIR"),
        (["new", "eva", "eva", "--role", "viewer", "--out", "notes"], 1, "eva is given twice; give each name once"),
        (["new", "a/b", "--role", "viewer", "--out", "notes"], 1, "a token cannot be called 'a/b'"),
        (["revoke", "eva"], 1, "there is no valid token of 'eva'; 'token list' lists them"),
    ],
)
def test_an_impossible_server_command_is_an_error(fresh: Run, words: list[str], code: int, message: str) -> None:
    fresh("token", "new", "bob", "--role", "viewer")
    result = fresh("token", *words)
    assert result.exit_code == code
    assert result.stderr.startswith(f"Error: {message}")
    assert len(result.stderr.splitlines()) <= 2


def test_the_documented_limits_are_those_that_hold() -> None:
    rows = re.findall(r"^\| [^|]+ \| ([\d.]+) \| (\d+) \| (\d+) \|$", DOCS, re.MULTILINE)
    documented = [(float(rate), int(burst), int(under_way)) for rate, burst, under_way in rows]
    assert documented == [(a.rate, a.burst, a.open) for a in ALLOWANCES.values()]


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
    part = BackupPart(data=b"SQLite format 3", size=15)
    for parts, message in (
        ([part], "the backup is incomplete"),
        ([part, BackupPart(sha256="0" * 64)], "the backup is incomplete"),
        ([part, BackupPart(sha256=hashlib.sha256(part.data).hexdigest())], "what the server sent is not a database"),
        (repeat(part), "the server sent more than the 15 bytes that it announced"),
        (repeat(BackupPart(data=b"SQLite format 3")), "the server sent more than the 0 bytes that it announced"),
        ([BackupPart(size=10**18)], "the backup has 1,000,000,000,000,000,000 bytes, but"),
    ):
        league.answers["Backup"] = lambda *_, parts=parts: iter(parts)
        result = run("backup", str(tmp_path / "b.db"), "--server", league.address)
        assert result.exit_code == 1
        assert message in result.stderr
        assert list(tmp_path.iterdir()) == []
