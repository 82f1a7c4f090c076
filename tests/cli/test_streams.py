"""Output in the encoding of the terminal, file or pipe, and commands of users without a home folder."""

import io
import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from beanleague.cli.connection.session import Session
from beanleague.cli.params import CliError
from beanleague.cli.streams import echo, echo_csv, echo_json, log_to_stderr
from beanleague.league.bots.cache import default_bundles
from beanleague.league.bots.environments import VARIABLE, Environments
from beanleague.league.errors import LeagueError
from beanleague.signs import make_legible
from beanleague.user_folders import expand_home
from beanproto.v1 import league_pb2 as pb
from tests.cli.conftest import Run
from tests.cli.helpers import FakeLeague, zone
from tests.cli.samples import standings


def in_ascii(command: Callable[[str], None], text: str) -> bytes:
    """Return what a command writes of `text` to a standard output that is ASCII, as under LC_ALL=C."""
    data = io.BytesIO()
    stream = io.TextIOWrapper(data, "ascii")
    make_legible(stream)
    with redirect_stdout(stream):
        command(text)
    stream.flush()
    return data.getvalue()


def test_a_line_is_written_in_the_encoding_of_the_stream() -> None:
    assert in_ascii(echo, "10 ± 1") == b"10 +-1\n"


def test_json_is_the_same_value_in_ascii() -> None:
    printed = in_ascii(echo_json, '{"author": "Zoë 豆 🫘"}')
    assert printed.isascii()
    assert json.loads(printed) == {"author": "Zoë 豆 🫘"}


def test_csv_is_utf_8_on_every_terminal() -> None:
    assert in_ascii(echo_csv, "suspended\nZoë said so\n").decode() == "suspended\nZoë said so\n"


def test_a_table_keeps_its_columns_in_ascii(league: FakeLeague) -> None:
    league.answers["Standings"] = standings()
    command = [sys.executable, "-m", "beanleague", "standings", "x", "--server", league.address]
    plain, full = (
        subprocess.run(command, stdout=subprocess.PIPE, check=True, env={"PYTHONIOENCODING": encoding}).stdout
        for encoding in ("ascii", "utf-8")
    )
    assert plain.isascii()
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in full.decode().splitlines()]
    assert re.search(rb"trader@1 +1712 \+- 23  ", plain)


def test_a_foreign_letter_of_a_bot_does_not_become_a_question_mark_in_json(league: FakeLeague) -> None:
    league.answers["ListBots"] = pb.ListBotsResponse(bots=[pb.BotInfo(name="ann", version=1, author="Zoë")])
    command = [sys.executable, "-m", "beanleague", "bot", "list", "--json", "--server", league.address]
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True, env={"PYTHONIOENCODING": "ascii"}).stdout
    assert json.loads(printed)["bots"][0]["author"] == "Zoë"


def test_the_log_tells_the_zone_of_its_times(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    with pytest.MonkeyPatch.context() as patch, zone("Asia/Kolkata"):
        patch.setattr(root, "handlers", [])
        log_to_stderr(root.level)
        logging.getLogger("beanleague").warning("the ladder waits")
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0530 WARNING the ladder waits\n", capsys.readouterr().err)


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user has no HOME, and no entry in the database of users: containers have such user ids."""

    def nobody(number: int) -> None:
        raise KeyError(number)

    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)


@pytest.mark.usefixtures("homeless")
def test_a_user_without_a_home_is_told_what_to_set(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    listed = run("league", "list")
    assert listed.exit_code == 1
    assert re.fullmatch(
        r"Error: the user with the id \d+ has no known home folder; set HOME or XDG_DATA_HOME to a folder\n",
        listed.stderr,
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("homeless")
def test_bots_and_environments_of_a_user_without_a_home_have_no_place() -> None:
    with pytest.raises(LeagueError, match="set HOME or XDG_CACHE_HOME to a folder"):
        default_bundles()
    with pytest.raises(LeagueError, match="set HOME or XDG_DATA_HOME to a folder"):
        Environments()


@pytest.mark.parametrize("home", ["", "relative"])
@pytest.mark.usefixtures("homeless")
def test_a_home_that_is_no_absolute_path_is_none(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("HOME", home)
    with pytest.raises(CliError, match="has no known home folder"):
        Session().store_url()


@pytest.mark.usefixtures("homeless")
def test_a_database_of_an_unknown_user_is_missing_like_any_other(run: Run) -> None:
    refused = run("league", "list", "--db", "~nobody-of-this-name/a.db")
    assert refused.exit_code == 1
    assert "of the database does not exist" in refused.stderr
    assert expand_home("~/a.db") == Path("~/a.db")
