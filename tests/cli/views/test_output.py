"""One printer for all commands: JSON for programs, text that steers no terminal for people; how a run is shown."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from rich.console import Console
from rich.text import Text

from beanleague.cli import main
from beanleague.cli.views.output import Output, SafeConsole, console as screen_of, duration, hanging, local_time
from beanleague.cli.views.progress import RunView, progress_line, run_panel
from beanleague.games import record_from_json
from beanleague.names import replace_controls
from beanleague.wire import record_to_pb
from beanproto.v1 import league_pb2 as pb
from tests.cli.conftest import Run
from tests.cli.helpers import FakeLeague, played, zone
from tests.cli.samples import STANDINGS, WHEN, progress

SHOW_NO_DATA = {
    "bot new": "writes a bot",
    "cluster certs": "writes certificates",
    "cluster scheduler": "runs until it is stopped",
    "node": "runs until it is stopped",
    "match replay": "draws a match",
    "match export": "writes a record, which is JSON already",
    "serve": "runs until it is stopped",
    "play": "is played",
    "site": "writes pages",
    "web": "runs until it is stopped",
}


def commands(group: click.Command = main, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that is not a group, by its words."""
    if not isinstance(group, click.Group):
        yield " ".join(path), group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from commands(command, *path, name)


COMMANDS = dict(commands())


def options(command: click.Command) -> list[click.Option]:
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_that_shows_data_has_json(words: str) -> None:
    has_json = any("--json" in option.opts for option in options(COMMANDS[words]))
    assert has_json is (words not in SHOW_NO_DATA)


def test_the_commands_without_data_exist() -> None:
    assert set(SHOW_NO_DATA) <= set(COMMANDS)


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_and_option_has_a_sentence_of_help(words: str) -> None:
    assert (COMMANDS[words].help or "").strip().endswith(".")
    for option in options(COMMANDS[words]):
        assert (option.help or "").endswith("."), option.opts


def test_json_is_printed_without_reading_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    def page() -> Iterator[str]:
        pytest.fail("was read")
        yield ""

    Output(as_json=True).show(pb.Entrant(bot="ann", version=2), page())
    assert json.loads(capsys.readouterr().out) == {"bot": "ann", "version": 2}


def test_a_line_is_printed_whole_and_other_texts_are_fitted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "ten words of a text " * 2
    Output(as_json=False).show({}, [text, Text(text)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == text
    assert all(len(line) <= 20 for line in lines[1:])
    assert " ".join(" ".join(lines[1:]).split()) == text.strip()


@pytest.mark.parametrize("given", ["0", "000", "garbage", "-5", "1.5", "99999999999", ""])
@pytest.mark.parametrize("name", ["COLUMNS", "LINES"])
def test_a_size_that_is_none_is_taken_for_unknown(monkeypatch: pytest.MonkeyPatch, name: str, given: str) -> None:
    for each in ("COLUMNS", "LINES"):
        monkeypatch.delenv(each, raising=False)
    unknown = screen_of().size
    monkeypatch.setenv(name, given)
    assert screen_of().size == unknown


@pytest.mark.parametrize("given", ["1", "10"])
def test_a_screen_has_some_room_however_small_it_is_said_to_be(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("COLUMNS", given)
    monkeypatch.setenv("LINES", given)
    screen = screen_of()
    assert screen.size == (20, 10)
    assert not screen.fits()


@pytest.mark.parametrize(
    ("reader", "seconds", "shown"),
    [
        ("UTC", 1_700_000_000, "2023-11-14 22:13 UTC"),
        ("Asia/Kolkata", 1_700_000_000, "2023-11-15 03:43 +05:30"),
        ("America/St_Johns", 1_700_000_000, "2023-11-14 18:43 -03:30"),
        ("Europe/Berlin", 1_700_000_000, "2023-11-14 23:13 +01:00"),
        ("Europe/Berlin", 1_690_000_000, "2023-07-22 06:26 +02:00"),
        ("Europe/London", 1_700_000_000, "2023-11-14 22:13 UTC"),
        ("no/zone", 1_700_000_000, "2023-11-14 22:13 UTC"),
        ("own-5:30:15", 1_700_000_000, "2023-11-15 03:43 +05:30:15"),
        ("UTC", 0, "-"),
    ],
)
def test_a_time_is_the_readers_and_says_its_zone(reader: str, seconds: int, shown: str) -> None:
    with zone(reader):
        assert local_time(Timestamp(seconds=seconds)) == shown


CLEAR = "\x1b[2J"


@pytest.mark.parametrize("code", ["\x1b", "\x9b", "\x07", "\x08", "\r", "\x00", "\x7f"])
def test_control_characters_are_replaced(code: str) -> None:
    assert replace_controls(f"a{code}b") == "a\ufffdb"


@pytest.mark.parametrize("code", ["\u202e", "\u2066", "\u200f", "\u061c"])
def test_characters_that_change_the_writing_direction_are_replaced(code: str) -> None:
    assert replace_controls(f"first {code}second") == "first \ufffdsecond"


def test_lines_tabs_and_letters_stay() -> None:
    assert replace_controls("é\tß\n— 豆") == "é\tß\n— 豆"


def test_a_console_writes_its_own_colours_but_no_codes_of_a_text() -> None:
    written = io.StringIO()
    console = SafeConsole(file=written, force_terminal=True, color_system="standard", no_color=False)
    console.print(Text(f"{CLEAR}boom", "red"))
    assert written.getvalue() == "\x1b[31m\ufffd[2Jboom\x1b[0m\n"


def test_logs_are_shown_without_their_control_characters(run: Run, league: FakeLeague) -> None:
    log = pb.BotLog(league="spring", text=f"{CLEAR}one\ntwo\n", updated=WHEN)
    league.answers["BotLogs"] = pb.BotLogsResponse(name="rogue", version=1, logs=[log])
    result = run("bot", "logs", "rogue", "--server", league.address)
    assert result.output.splitlines()[1:] == ["\ufffd[2Jone", "two"]


def test_json_means_what_was_written_and_steers_nothing(run: Run, league: FakeLeague) -> None:
    text = "\x9b2J\x7f\u202e\x1b[2J — 豆\n"
    log = pb.BotLog(league="spring", text=text, updated=WHEN)
    league.answers["BotLogs"] = pb.BotLogsResponse(name="rogue", version=1, logs=[log])
    printed = run("bot", "logs", "rogue", "--json", "--server", league.address).output
    assert json.loads(printed)["logs"][0]["text"] == text
    assert replace_controls(printed) == printed
    assert "— 豆" in printed


def test_an_exported_record_steers_no_terminal_and_is_exact_in_a_file(
    run: Run, league: FakeLeague, tmp_path: Path
) -> None:
    record = played(players=["\x9b2J", "a\x7fb", "\u202ecba"])
    league.answers["GetMatch"] = pb.GetMatchResponse(info=pb.MatchInfo(match="spring/1.0"), record=record_to_pb(record))
    printed = run("match", "export", "spring/1.0", "--server", league.address)
    assert printed.exit_code == 0
    assert replace_controls(printed.stdout) == printed.stdout
    assert record_from_json(printed.stdout) == record
    written = run("match", "export", "spring/1.0", "-o", str(tmp_path / "a.json"), "--server", league.address)
    assert written.exit_code == 0
    text = (tmp_path / "a.json").read_text("utf-8")
    assert record_from_json(text) == record
    assert all(player in text for player in record.players)


def console(*, terminal: bool = False) -> Console:
    settings = {"force_terminal": terminal, "color_system": None, "legacy_windows": False}
    return Console(file=io.StringIO(), width=80, height=24, highlight=False, **settings)  # type: ignore[arg-type]


def written(on: Console) -> str:
    assert isinstance(on.file, io.StringIO)
    return on.file.getvalue()


def test_a_line_tells_deals_speed_and_the_time_left() -> None:
    assert progress_line(progress()) == "30 of 100 deals, 35.2 matches/s, 9,812 decisions/s, 2:07 left"
    assert progress_line(progress(pb.RUN_STATE_STARTING)) == "starting the bots"
    assert progress_line(progress(pb.RUN_STATE_DONE)) == "100 of 100 deals, 35.2 matches/s, 9,812 decisions/s"


def test_the_panel_tells_bar_figures_and_standings() -> None:
    on = console()
    on.print(run_panel("spring", progress(), STANDINGS))
    lines = [line.rstrip() for line in written(on).splitlines()]
    assert lines[0].startswith("spring  ━━━━━━━━━")
    assert lines[0].endswith("30%  2:07 left")
    assert lines[1] == "30 of 100 deals, 35.2 matches/s, 9,812 decisions/s, 0:12 so far"
    assert lines[3] == "rank  bot       rating      deals  mean $   wins  win %  faults  ranks"


def test_the_panel_tells_of_deals_played_again() -> None:
    on = console()
    message = progress()
    message.voided_deals = 2
    on.print(run_panel("spring", message, ()))
    assert "2 deals replayed after platform failures" in " ".join(written(on).split())


def test_the_start_tells_of_owners_whose_bots_must_share_tables() -> None:
    message = progress(pb.RUN_STATE_STARTING)
    message.shared_owners.add(name="ann", bots=2, together=True)
    assert progress_line(message).startswith("starting the bots, bots of ann have to share tables")
    on = console()
    on.print(run_panel("spring", message, ()))
    assert "bots of ann have to share tables" in " ".join(written(on).split())


def test_nodes_of_a_cluster_are_shown_with_their_workers_and_speed() -> None:
    message = progress()
    message.nodes.add(node=pb.Node(name="left", cpu="a CPU"), workers=8, deals=1234, deals_per_second=5.67)
    message.nodes.add(node=pb.Node(name="right", cpu="a CPU"), workers=0, deals=2)
    assert "9,812 decisions/s, 1 node with 8 workers, 2:07 left" in progress_line(message)
    on = console()
    on.print(run_panel("spring", message, ()))
    lines = [line.split() for line in written(on).splitlines()]
    assert lines[-4] == ["node", "workers", "deals/s", "deals", "CPU"]
    assert lines[-2:] == [["left", "8", "5.7", "1,234", "a", "CPU"], ["right", "gone", "0.0", "2", "a", "CPU"]]


def test_of_hundreds_of_nodes_some_are_shown() -> None:
    message = progress()
    for number in range(100):
        message.nodes.add(node=pb.Node(name=f"node{number}"), workers=2)
    on = console()
    on.print(run_panel("spring", message, ()))
    for text in (progress_line(message), written(on)):
        assert "100 nodes with 200 workers" in text
    assert "and 88 more nodes" in written(on)
    assert len(written(on).splitlines()) < 22


def test_remarks_on_a_cluster_are_shown_before_the_first_deal() -> None:
    lacks = "no nodes: start some with 'beanleague node'"
    for state, line in (
        (pb.RUN_STATE_STARTING, lacks),
        (pb.RUN_STATE_PLAYING, f"30 of 100 deals, 35.2 matches/s, 9,812 decisions/s; {lacks}"),
    ):
        message = progress(state)
        message.remarks.append(lacks)
        message.nodes.add(node=pb.Node(name="left"), workers=0)
        assert progress_line(message) == line
        on = console()
        on.print(run_panel("spring", message, ()))
        assert lacks in written(on)
        assert written(on).splitlines()[0].endswith("  waiting")
        assert "0 nodes" not in written(on)


def test_a_run_that_goes_on_without_some_nodes_does_not_wait() -> None:
    message = progress()
    message.remarks.append("node old is not used: it has Beanleague 0.1.0")
    message.nodes.add(node=pb.Node(name="left"), workers=1)
    assert progress_line(message).endswith("2:07 left; node old is not used: it has Beanleague 0.1.0")


def test_the_end_tells_what_the_host_kept_bots_waiting() -> None:
    message = progress(pb.RUN_STATE_DONE)
    message.host_delay = 75.2
    waited = "bots waited 1:15 for a CPU (not charged to them)"
    assert progress_line(message).endswith(f", {waited}")
    on = console()
    on.print(run_panel("spring", message, ()))
    assert waited in " ".join(written(on).split())


def test_plain_lines_come_at_every_tenth_or_five_seconds_and_never_twice_a_second(
    capsys: pytest.CaptureFixture[str],
) -> None:
    on = console()
    with RunView(on, "spring", draw=False) as view:
        for deals, seconds in ((0, 0.0), (11, 0.5), (12, 1.2), (13, 2.4), (14, 6.1), (15, 6.4), (21, 6.9), (29, 7.5)):
            view.show(progress(deals_done=deals, seconds=seconds))
        view.show(progress(pb.RUN_STATE_DONE, seconds=8.0))
    lines = [line.split(" deals")[0] for line in capsys.readouterr().out.splitlines()]
    assert lines == [f"spring: {deals} of 100" for deals in (0, 12, 15, 29, 100)]
    assert "trader@1" in written(on)


def test_a_plain_line_that_says_nothing_new_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    with RunView(console(), "spring", draw=False) as view:
        for seconds in (0.0, 6.0, 12.0):
            view.show(progress(pb.RUN_STATE_STARTING, seconds=seconds))
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_plain_lines_may_go_to_stderr_and_leave_stdout_alone(capsys: pytest.CaptureFixture[str]) -> None:
    on = console()
    with RunView(on, "spring", draw=False, to_stderr=True) as view:
        view.show(progress(pb.RUN_STATE_DONE))
    assert capsys.readouterr() == ("", "spring: 100 of 100 deals, 35.2 matches/s, 9,812 decisions/s\n")
    assert written(on) == ""


def test_the_live_view_keeps_the_standings_between_their_updates_and_puts_the_cursor_back() -> None:
    on = console(terminal=True)
    with RunView(on, "spring", draw=True) as view:
        view.show(progress())
        later = progress(deals_done=50)
        later.ClearField("standings")
        view.show(later)
    last = written(on).rpartition("50 of 100 deals")[2]
    assert "trader@1" in last
    assert last.endswith("\x1b[?25h")


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (67, "1:07"), (3599.6, "1:00:00"), (7325, "2:02:05")])
def test_times_are_minutes_and_seconds(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_line_that_is_just_full_leaves_no_space_at_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    wrapped = hanging(Text("a line of just this many that goes on"), 2)
    assert wrapped.plain.splitlines() == ["a line of just this many", "  that goes on"]
