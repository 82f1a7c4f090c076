"""`beanleague token`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import Result

from beanleague.service.gate import ALLOWANCES
from beanleague.store.store import Store
from tests.cli.conftest import Run

DOCS = (Path(__file__).parents[3] / "docs" / "server.md").read_text("utf-8")


@pytest.fixture
def on(run: Run, tmp_path: Path) -> Run:
    """Run a command on a database of this test."""

    def on_database(*words: str) -> Result:
        return run("--db", str(tmp_path / "a.db"), *words)

    return on_database


def test_a_new_token_is_all_that_is_printed_so_that_it_can_go_to_a_file(on: Run, tmp_path: Path) -> None:
    made = on("token", "new", "ann", "--role", "author")
    assert made.exit_code == 0
    assert re.fullmatch(r"bean-[0-9a-f]{16}-[\w-]{43}\n", made.stdout)
    assert "Token of ann (author). Send it in secret" in made.stderr
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        found = store.tokens.find(made.stdout.strip())
        assert found is not None
        assert (found.name, found.role, found.expires) == ("ann", "author", None)


def test_the_list_tells_who_has_one_and_never_the_token(on: Run) -> None:
    made = json.loads(on("token", "new", "ann", "--role", "viewer", "--days", "1", "--json").stdout)
    assert made["info"]["role"] == "viewer"
    on("token", "new", "olga", "--role", "organiser")
    assert on("token", "revoke", "olga").output == "The token of olga is revoked.\n"
    shown = on("token", "list").output
    rows = [line.split()[:3] for line in shown.splitlines()[2:]]
    assert rows == [["olga", "organiser", "revoked"], ["ann", "viewer", "valid"]]
    listed = on("token", "list", "--json").stdout
    assert [token["name"] for token in json.loads(listed)["tokens"]] == ["olga", "ann"]
    assert made["token"] not in shown + listed


def test_without_tokens_the_list_says_how_to_make_one(on: Run, tmp_path: Path) -> None:
    text = on("token", "list").output
    assert text == f"No tokens yet; create one with: beanleague token new NAME --role viewer --db {tmp_path / 'a.db'}\n"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["new", "Ann", "--role", "author"], 1, "a token cannot be called 'Ann': a name is 1 to 32 of"),
        (["new", "eva", "--role", "king"], 2, "Invalid value for '--role': 'king' is not one of 'viewer'"),
        (["new", "eva"], 2, "Missing option '--role'. Choose from viewer, author, organiser."),
        (["new", "bob", "--role", "viewer"], 1, "there is a valid token of bob; revoke that first (token revoke bob)"),
        (["revoke", "eva"], 1, "there is no valid token of 'eva'; 'token list' lists them"),
    ],
)
def test_what_cannot_be_done_is_an_error(on: Run, words: list[str], code: int, message: str) -> None:
    on("token", "new", "bob", "--role", "viewer")
    result = on("token", *words)
    assert result.exit_code == code
    assert result.stderr.startswith(f"Error: {message}")
    assert len(result.stderr.splitlines()) <= 2


def test_the_documented_limits_are_those_that_hold() -> None:
    rows = re.findall(r"^\| that [^|]+ \| ([\d.]+) \| (\d+) \| (\d+) \|$", DOCS, re.MULTILINE)
    documented = [(float(rate), int(burst), int(under_way)) for rate, burst, under_way in rows]
    assert documented == [(a.rate, a.burst, a.open) for a in ALLOWANCES.values()]
