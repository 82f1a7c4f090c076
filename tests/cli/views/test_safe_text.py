"""Nothing that a bot or a stranger writes steers the terminal of who reads it."""

import io
import json
from pathlib import Path

import pytest
from rich.text import Text

from beanleague.cli.views.output import SafeConsole
from beanleague.games import record_from_json
from beanleague.names import replace_controls
from beanleague.wire import record_to_pb
from beanproto.v1.league_pb2 import BotLog, BotLogsResponse, GetMatchResponse, MatchInfo
from tests.cli.conftest import Run
from tests.cli.fake_server import FakeLeague
from tests.cli.helpers import played
from tests.cli.samples import WHEN

CLEAR = "\x1b[2J"


@pytest.mark.parametrize("code", ["\x1b", "\x9b", "\x07", "\x08", "\r", "\x00", "\x7f"])
def test_control_characters_are_replaced(code: str) -> None:
    assert replace_controls(f"a{code}b") == "a\ufffdb"


@pytest.mark.parametrize("code", ["\u202e", "\u2066", "\u200f", "\u061c"])
def test_what_turns_the_direction_of_writing_is_replaced(code: str) -> None:
    assert replace_controls(f"first {code}second") == "first \ufffdsecond"


def test_lines_tabs_and_letters_stay() -> None:
    assert replace_controls("é\tß\n— 豆") == "é\tß\n— 豆"


def test_a_console_writes_its_own_colours_but_no_codes_of_a_text() -> None:
    written = io.StringIO()
    console = SafeConsole(file=written, force_terminal=True, color_system="standard", no_color=False)
    console.print(Text(f"{CLEAR}boom", "red"))
    assert written.getvalue() == "\x1b[31m\ufffd[2Jboom\x1b[0m\n"


def test_logs_are_shown_without_their_control_characters(run: Run, league: FakeLeague) -> None:
    log = BotLog(league="spring", text=f"{CLEAR}one\ntwo\n", updated=WHEN)
    league.answers["BotLogs"] = BotLogsResponse(name="rogue", version=1, logs=[log])
    result = run("bot", "logs", "rogue", "--server", league.address)
    assert result.output.splitlines()[1:] == ["\ufffd[2Jone", "two"]


def test_json_means_what_was_written_and_steers_nothing(run: Run, league: FakeLeague) -> None:
    text = "\x9b2J\x7f\u202e\x1b[2J — 豆\n"
    log = BotLog(league="spring", text=text, updated=WHEN)
    league.answers["BotLogs"] = BotLogsResponse(name="rogue", version=1, logs=[log])
    printed = run("bot", "logs", "rogue", "--json", "--server", league.address).output
    assert json.loads(printed)["logs"][0]["text"] == text
    assert replace_controls(printed) == printed
    assert "— 豆" in printed


def test_an_exported_record_steers_no_terminal_and_is_exact_in_a_file(
    run: Run, league: FakeLeague, tmp_path: Path
) -> None:
    record = played(players=["\x9b2J", "a\x7fb", "\u202ecba"])
    league.answers["GetMatch"] = GetMatchResponse(info=MatchInfo(match="spring/1.0"), record=record_to_pb(record))
    printed = run("match", "export", "spring/1.0", "--server", league.address)
    assert printed.exit_code == 0
    assert replace_controls(printed.stdout) == printed.stdout
    assert record_from_json(printed.stdout) == record
    written = run("match", "export", "spring/1.0", "-o", str(tmp_path / "a.json"), "--server", league.address)
    assert written.exit_code == 0
    text = (tmp_path / "a.json").read_text("utf-8")
    assert record_from_json(text) == record
    assert all(player in text for player in record.players)
