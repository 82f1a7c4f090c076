"""`beanleague practice`, with a referee that plays in this process."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import beanleague.service.server
from beanleague.games import record_from_json, verify
from beanleague.model import FaultKind
from beanleague.referee.messages import MatchResult, MatchTask
from tests.cli.conftest import On, Run
from tests.cli.helpers import write_bot
from tests.league.fakepool import FakePools, play


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


def test_the_line_that_a_new_bot_is_shown_runs(on: On, run: Run, mine: Path) -> None:
    """There are fewer bots than the game has seats at least, so one sits there twice."""
    result = run("practice", "mine", "random", "--game", "bohnanza", "--deals", "1", "--json")
    assert result.exit_code == 0, result.output
    assert {standing["bot"] for standing in json.loads(result.stdout)["standings"]} == {"mine", "random", "mine-2"}
    alone = run("practice", "mine", "--deals", "1", "--seats", "4", "--json")
    assert alone.exit_code == 0, alone.output
    standings = json.loads(alone.stdout)["standings"]
    assert {standing["bot"] for standing in standings} == {"mine", "mine-2", "mine-3", "mine-4"}


def test_faults_and_what_bots_write_are_shown(run: Run, mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(task: MatchTask, bots: Mapping[int, str]) -> MatchResult:
        in_practice = task.label.startswith("practice/")
        return play(task, bots, lambda bot, _: FaultKind.ILLEGAL if in_practice and bots[bot] == "mine@1" else None)

    pools = FakePools(play=failing, logs="here I am\n")
    embedded = functools.partial(beanleague.service.server.embedded, cache=mine.parent / "cache", start_pool=pools)
    monkeypatch.setattr(beanleague.service.server, "embedded", embedded)
    result = run("practice", "mine", "farmer", "random", "--deals", "1")
    assert result.exit_code == 0, result.output
    assert "mine@1 in practice: illegal" in result.output
    assert "last in practice/1." in result.output
    assert "mine@1 wrote:\n    here I am" in result.output


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
