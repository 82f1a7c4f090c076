"""`beanleague practice`, with a referee that plays in this process."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from beanleague.games import record_from_json, verify
from tests.cli.conftest import On, Run
from tests.cli.helpers import write_bot


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_bot(tmp_path / "mine", "mine")


def test_bots_in_folders_and_house_bots_play_and_nothing_is_kept(on: On, run: Run, mine: Path) -> None:
    result = run("practice", "mine", "farmer", "random", "--deals", "2", "--json")
    assert result.exit_code == 0, result.output
    standings = json.loads(result.stdout)["standings"]
    assert {standing["bot"] for standing in standings} == {"mine", "farmer", "random"}
    assert [standing["deals"] for standing in standings] == [2, 2, 2]
    assert sorted(path.name for path in mine.parent.iterdir()) == ["mine"]
    assert json.loads(on("league", "list", "--json").stdout)["leagues"] == []


def test_records_of_all_matches_are_written_and_none_is_overwritten(on: On, run: Run, mine: Path) -> None:
    words = ("practice", "mine", "farmer", "random", "--deals", "1", "--record", "kept")
    assert run(*words).exit_code == 0
    assert sorted(path.name for path in Path("kept").iterdir()) == ["1.0.json", "1.1.json", "1.2.json"]
    before = Path("kept/1.0.json").read_bytes()
    assert verify(record_from_json(before)).problem == ""
    again = run(*words)
    assert again.exit_code == 1
    assert again.stderr == "Error: kept has records already; name a new folder\n"
    assert Path("kept/1.0.json").read_bytes() == before


def test_replay_shows_the_first_match(on: On, run: Run, mine: Path) -> None:
    result = run("practice", "mine", "farmer", "random", "--deals", "1", "--replay")
    assert result.exit_code == 0, result.output
    assert re.search(r"Game over  1\. \w+@1 \$", result.output)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ("practice", "farmr"),
            "Error: farmr does not exist; pass the folder of a bot",
        ),
        (("--server", "x:1", "practice", "farmer"), "Error: practice needs no database and no server"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_line(on: On, run: Run, words: tuple[str, ...], problem: str) -> None:
    result = run(*words)
    assert result.exit_code == 1
    assert result.stderr.startswith(problem)
    assert result.stderr.count("\n") == 1
