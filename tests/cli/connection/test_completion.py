"""What a shell offers when somebody presses the tab key."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from beanleague.cli import main
from beanleague.cli.connection import completion
from beanproto.v1 import league_pb2 as pb
from tests.cli.helpers import FakeLeague
from tests.cli.test_imports import COMMAND, PLAYING
from tests.waiting import TIMEOUT_S


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a call take longer than people like to wait, as on a busy machine."""
    monkeypatch.setattr(completion, "_TIMEOUT_S", TIMEOUT_S)


def completed(line: str, *words: str) -> list[str]:
    """What click offers for the end of `line`, where `words` were typed before it."""
    *before, incomplete = [*words, *line.split(" ")]
    shell = BashComplete(main, {}, "beanleague", "_BEANLEAGUE_COMPLETE")
    return [item.value for item in shell.get_completions(before, incomplete) if item.type == "plain"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("stand", ["standings"]),
        ("standings s", ["spring"]),
        ("standings x", []),
        ("league show ", ["spring"]),
        ("league create ", []),
        ("league add spring a", ["ann"]),
        ("match list spring --bot b", ["ben"]),
        ("bot show ", ["ann", "ben", "cid"]),
        ("bot logs ann@", ["ann@1"]),
        ("bot logs ann --league ", ["spring"]),
        ("bot check dic", ["dicer"]),
        ("practice farm", ["farmer"]),
        ("compare ann b", ["ben"]),
        ("league create x --game bohnanza-", ["bohnanza-extended", "bohnanza-classic", "bohnanza-two"]),
        ("play --against ann,farmer,c", ["ann,farmer,cid"]),
        ("match show spring/1.", ["spring/1.0", "spring/1.1", "spring/1.2"]),
        ("match replay s", [f"spring/{deal}.{rotation}" for deal in (4, 3, 2, 1) for rotation in (2, 1, 0)]),
        ("match show spring/7", []),
        ("match show autumn/1.", []),
        ("match show spring/1000000000", []),
    ],
)
def test_commands_leagues_bots_and_games_are_completed(spring: str, home: Path, line: str, offered: list[str]) -> None:
    assert completed(line, "--db", str(home / "leagues.db")) == offered


def test_a_database_named_after_the_command_is_looked_into(spring: str, home: Path) -> None:
    assert completed("s", "standings", "--db", str(home / "leagues.db")) == ["spring"]


@pytest.mark.parametrize("url", ["{}/none.db", "{}", "{}/text.db", "postgresql://127.0.0.1:1/none", "x://"])
def test_where_no_database_is_nothing_is_offered_and_nothing_made(tmp_path: Path, url: str) -> None:
    (tmp_path / "text.db").write_text("no database")
    assert completed("bot show ", "--db", url.format(tmp_path)) == []
    assert [path.name for path in tmp_path.iterdir()] == ["text.db"]


def test_the_default_folder_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert completed("bot show ") == []
    assert not list(tmp_path.iterdir())


def test_names_on_a_server_are_completed(league: FakeLeague) -> None:
    league.answers["ListLeagues"] = pb.ListLeaguesResponse(
        leagues=[pb.LeagueInfo(name="autumn"), pb.LeagueInfo(name="a\nb")]
    )
    league.answers["ListBots"] = pb.ListBotsResponse(bots=[pb.BotInfo(name="ann", version=2)])
    assert completed("standings ", "--server", league.address) == ["autumn"]
    assert completed("standings a", "--server", league.address) == ["autumn"]
    assert completed("bot logs ann@", "--server", league.address) == ["ann@1", "ann@2"]
    assert completed("bot logs ", "--server", "127.0.0.1:1") == []


def test_completion_loads_no_more_than_lists_do(spring: str, home: Path) -> None:
    env = {
        **os.environ,
        "_BEANLEAGUE_COMPLETE": "bash_complete",
        "COMP_LINE": f"beanleague --db {shlex.quote(str(home / 'leagues.db'))} standings ",
    }
    patient = "from beanleague.cli.connection import completion; completion._TIMEOUT_S = 60.0"
    program = f"import sys; sys.argv[0] = 'beanleague'; {patient}\n{COMMAND}"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=env)
    assert run.stdout.split() == ["plain,spring"], run.stderr
    assert not set(run.stderr.split()) & PLAYING


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_is_given_its_script(shell: str) -> None:
    env = {**os.environ, "_BEANLEAGUE_COMPLETE": f"{shell}_source"}
    program = "import sys; sys.argv[0] = 'beanleague'; from beanleague.__main__ import main; main()"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env)
    assert "_BEANLEAGUE_COMPLETE" in run.stdout
    assert "beanleague" in run.stdout
