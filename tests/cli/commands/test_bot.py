"""`bot` with a server whose answers are laid down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from beanproto.v1.league_pb2 import (
    BotLog,
    BotLogsResponse,
    BotReport,
    Manifest,
    Problem,
    SubmittedBot,
    Trial,
    TryBotProgress,
    TryBotRequest,
)
from tests.cli.conftest import Run
from tests.cli.fake_server import FakeLeague
from tests.cli.samples import WHEN


def checked(report: BotReport) -> Callable[[TryBotRequest, object], Iterator[TryBotProgress]]:
    """Answer with this report."""
    return lambda *_: iter([TryBotProgress(report=report)])


def submitted(**fields: Any) -> Callable[[TryBotRequest, object], Iterator[TryBotProgress]]:
    """Answer, if the bot is to be stored, with the version it became."""

    def answer(request: TryBotRequest, _: object) -> Iterator[TryBotProgress]:
        assert request.submit
        yield TryBotProgress(report=BotReport())
        yield TryBotProgress(submitted=SubmittedBot(**fields))

    return answer


def test_logs_are_printed_as_they_are(run: Run, league: FakeLeague) -> None:
    log = BotLog(league="spring", text="[bold]a\nb", truncated=True, updated=WHEN)
    league.answers["BotLogs"] = BotLogsResponse(name="trader", version=2, logs=[log])
    assert run("bot", "logs", "trader@2", BEANLEAGUE_SERVER=league.address).output.splitlines() == [
        "--- trader@2 in spring, until 2023-11-14 22:13, older text was dropped",
        "[bold]a",
        "b",
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a bot."""
    (tmp_path / "bot.toml").write_text('name = "mine"\ngames = ["bohnanza"]\ncommand = ["python", "bot.py"]\n')
    (tmp_path / "bot.py").write_text("print('hello')\n")
    return tmp_path


def test_check_tells_what_was_found(run: Run, league: FakeLeague, folder: Path) -> None:
    manifest = Manifest(name="mine", games=["bohnanza"])
    trial = Trial(ruleset="bohnanza", seats=3, decisions=245)
    league.answers["TryBot"] = checked(
        BotReport(manifest=manifest, digest="ab" * 32, files=2, unpacked_bytes=99, trials=[trial])
    )
    result = run("bot", "check", str(folder), BEANLEAGUE_SERVER=league.address)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "mine  plays bohnanza",
        "2 files, 99 bytes, digest abababababababab",
        "trial match of bohnanza, 3 seats: 245 decisions, 0 faults",
        f"mine is fine; submit it with: beanleague bot submit {folder}",
    ]


def test_check_of_a_bad_bot_tells_every_problem_and_fails(run: Run, league: FakeLeague, folder: Path) -> None:
    problems = [Problem(where="bot.toml: name", what="is missing"), Problem(where="bot.toml: games", what="is missing")]
    league.answers["TryBot"] = checked(BotReport(problems=problems))
    result = run("bot", "check", str(folder), BEANLEAGUE_SERVER=league.address)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "problem  bot.toml: name: is missing",
        "problem  bot.toml: games: is missing",
    ]
    assert result.stderr == f"Error: {folder} cannot be submitted; fix the 2 problems listed above\n"


def test_check_of_a_bot_that_fails_its_trial_shows_faults_and_log(run: Run, league: FakeLeague, folder: Path) -> None:
    trial = Trial(ruleset="bohnanza", seats=3, decisions=9, fault_count=1, forfeited_seats=[2], log="Traceback\nboom")
    mistake = trial.distinct.add(decision="TRADE", count=3)
    mistake.fault.seat, mistake.fault.move, mistake.fault.reason = 2, 7, "the process ended"
    problem = Problem(what="it failed its trial match of bohnanza")
    league.answers["TryBot"] = checked(BotReport(manifest=Manifest(name="mine"), trials=[trial], problems=[problem]))
    result = run("bot", "check", str(folder), BEANLEAGUE_SERVER=league.address)
    assert result.exit_code == 1
    assert [line.strip() for line in result.stdout.splitlines()][2:] == [
        "trial match of bohnanza, 3 seats: 9 decisions, 1 fault",
        "move 7, seat 2, asked TRADE: the process ended (3 times)",
        "forfeited: seat 2",
        "it wrote:",
        "Traceback",
        "boom",
        "problem  it failed its trial match of bohnanza",
    ]


def test_faults_in_a_trial_that_was_good_enough_are_reported(run: Run, league: FakeLeague, folder: Path) -> None:
    report = BotReport(manifest=Manifest(name="mine"), trials=[Trial(ruleset="bohnanza", fault_count=2)])
    league.answers["TryBot"] = checked(report)
    check = run("bot", "check", str(folder), BEANLEAGUE_SERVER=league.address)
    assert "mine had 2 faults in its trial matches; submit it with:" in check.output
    league.answers["TryBot"] = submitted(name="mine", version=1, created=True, report=report)
    submit = run("bot", "submit", str(folder), BEANLEAGUE_SERVER=league.address)
    assert "Warning: it had 2 faults in its trial matches; see them with: beanleague bot check" in submit.output


@pytest.mark.parametrize(
    ("created", "message"),
    [(True, "Submitted mine@3 (digest abab)."), (False, "Already submitted as mine@3: identical files (digest abab).")],
)
def test_submit_tells_the_version(run: Run, league: FakeLeague, folder: Path, created: bool, message: str) -> None:
    league.answers["TryBot"] = submitted(name="mine", version=3, digest="abab", created=created)
    assert run("bot", "submit", str(folder), BEANLEAGUE_SERVER=league.address).output == f"{message}\n"


def test_warnings_are_shown_at_check_and_at_submit(run: Run, league: FakeLeague, folder: Path) -> None:
    log = "warning: Mine.awnser is never called by a game; is answer meant?\nhello\n"
    trials = [Trial(ruleset="bohnanza", seats=seats, log=log) for seats in (3, 5)]
    report = BotReport(manifest=Manifest(name="mine"), trials=trials)
    league.answers["TryBot"] = checked(report)
    check = run("bot", "check", str(folder), BEANLEAGUE_SERVER=league.address).output
    league.answers["TryBot"] = submitted(name="mine", version=1, created=True, report=report)
    submit = run("bot", "submit", str(folder), BEANLEAGUE_SERVER=league.address).output
    warning = "warning: Mine.awnser is never called by a game; is answer meant?"
    assert check.splitlines().count(warning) == submit.splitlines().count(warning) == 1
    assert "mine plays, with 1 warning; submit it with" in check
    assert "hello" not in submit


def test_a_missing_bot_is_an_error_without_a_call_to_the_server(run: Run, league: FakeLeague, tmp_path: Path) -> None:
    result = run("bot", "submit", str(tmp_path / "nobody"), BEANLEAGUE_SERVER=league.address)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {tmp_path / 'nobody'} does not exist; pass the folder of a bot")
    assert not league.asked
