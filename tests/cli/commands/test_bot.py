"""`bot`, with a server whose answers are laid down; and what `bot new` makes."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import pytest

from beanbot import load_bot
from beanbot.practice import play
from beanleague.games import ruleset, rulesets
from beanleague.league.bots.manifest import parse_manifest
from beanleague.starter import BUILDS, FILES
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
from tests.cli.helpers import FakeLeague
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


@pytest.mark.usefixtures("utc")
def test_logs_are_printed_as_they_are(run: Run, league: FakeLeague) -> None:
    log = BotLog(league="spring", text="[bold]a\nb", truncated=True, updated=WHEN)
    league.answers["BotLogs"] = BotLogsResponse(name="trader", version=2, logs=[log])
    assert run("bot", "logs", "trader@2", BEANLEAGUE_SERVER=league.address).output.splitlines() == [
        "--- trader@2 in spring, until 2023-11-14 22:13 UTC, older text was dropped",
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
        f"mine is fine; submit it with: beanleague bot submit {shlex.quote(str(folder))}",
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
    trial = Trial(ruleset="bohnanza", seats=3, decisions=9, fault_count=1, forfeited_seats=[2], log="hello\nboom")
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
        "hello",
        "boom",
        "problem  it failed its trial match of bohnanza",
    ]


def test_a_bot_that_is_not_stored_shows_its_tracebacks_first_and_all_problems(
    run: Run, league: FakeLeague, folder: Path
) -> None:
    error = ["Traceback (most recent call last):", '  File "bot.py", line 3, in trade', "ZeroDivisionError: boom"]
    log = "\n".join(f"[bohnanza, move 5] {line}" for line in ["hello"] * 30 + error + ["hello"] * 30)
    trials = [Trial(ruleset="bohnanza", seats=seats, fault_count=9, log=log) for seats in (3, 5)]
    problems = [Problem(what=f"it failed its trial match with {seats} seats") for seats in (3, 5)]

    def answer(_: TryBotRequest, context: grpc.ServicerContext) -> Iterator[TryBotProgress]:
        yield TryBotProgress(report=BotReport(trials=trials, problems=problems))
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, "mine is not admitted: it had 9 faults")

    league.answers["TryBot"] = answer
    result = run("bot", "submit", str(folder), BEANLEAGUE_SERVER=league.address)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:3] == error
    assert [line for line in result.stdout.splitlines() if "problem" in line] == [
        "problem  it failed its trial match with 3 seats",
        "problem  it failed its trial match with 5 seats",
    ]
    assert "hello" not in result.stdout
    assert result.stderr == f"Error: {folder} cannot be submitted; fix the 2 problems listed above\n"


def test_long_problems_are_wrapped_below_each_other(run: Run, league: FakeLeague, folder: Path) -> None:
    trial = Trial(ruleset="bohnanza", seats=3, fault_count=1)
    mistake = trial.distinct.add(decision="TRADE", count=1)
    mistake.fault.reason = "beans " * 8
    league.answers["TryBot"] = checked(BotReport(trials=[trial], problems=[Problem(where="bot.py", what="beans " * 8)]))
    result = run("bot", "check", str(folder), BEANLEAGUE_SERVER=league.address, COLUMNS="50")
    assert [line.rstrip() for line in result.stdout.splitlines()[2:]] == [
        "  move 0, seat 0, asked TRADE: beans beans beans",
        "    beans beans beans beans beans",
        "problem  bot.py: beans beans beans beans beans",
        "         beans beans beans",
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
    assert result.stderr.startswith(f"Error: {tmp_path / 'nobody'} does not exist; pass a bot folder")
    assert not league.asked


EXAMPLES = Path(__file__).parents[3] / "examples"
BUILT = ("bot.js", "bot.jar", "bot")
NOT_IN_GIT = ("referee.proto", "node_modules", "types", "bot.test.js", "generated", "classes", *BUILT)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("game", [game.id for game in rulesets()])
def test_a_new_bot_of_every_game_plays_without_a_fault(run: Run, here: Path, game: str) -> None:
    assert run("bot", "new", "my-bot", "--game", game).exit_code == 0
    files = [file.name for file in (here / "my-bot").iterdir()]
    assert parse_manifest((here / "my-bot/bot.toml").read_bytes(), files).games == (game,)
    faults: list[str] = []
    seats = ruleset(game).least_seats
    play([load_bot(here / "my-bot")], game=game, deals=1, seats=seats, report=lambda _, what: faults.append(what))
    assert faults == []


def test_its_test_passes(run: Run, here: Path) -> None:
    assert run("bot", "new", "my-bot", "--game", "dice").exit_code == 0
    result = subprocess.run(  # our own program
        [sys.executable, "-m", "unittest"], cwd=here / "my-bot", capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "Ran 1 test" in result.stderr


def test_existing_files_are_not_overwritten(run: Run, here: Path) -> None:
    run("bot", "new", "my-bot", "--game", "duel")
    (here / "my-bot/bot.py").write_text("mine")
    result = run("bot", "new", "my-bot", "--game", "duel")
    assert result.exit_code == 1
    assert "my-bot already exists; choose another name, or remove it" in result.output
    assert (here / "my-bot/bot.py").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("../mine", "--game", "duel"), "'../mine' is not a valid bot name: a name has 1 to 32 characters"),
        (("mine", "--game", "duell"), "unknown ruleset 'duell'; did you mean 'duel'?"),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_bad_name_or_game_makes_nothing(run: Run, here: Path, words: tuple[str, ...], why: str) -> None:
    result = run("bot", "new", *words)
    assert result.exit_code == 1
    assert why in result.output
    assert list(here.iterdir()) == []


def test_the_class_has_a_name_that_python_takes(run: Run, here: Path) -> None:
    run("bot", "new", "bean-2nd", "--game", "duel")
    assert "class Bean2Nd(DuelBot):" in (here / "bean-2nd/bot.py").read_text()


@pytest.mark.parametrize(
    ("language", "game"), [("typescript", "bohnanza"), ("java", "bohnanza-classic"), ("java", "duel"), ("cpp", "dice")]
)
def test_a_new_bot_in_another_language_is_the_example_under_its_name(
    run: Run, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, game: str
) -> None:
    """The examples are built and played by their own tests."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("node", "java"):  # manifests are refused where the program is not installed
        (programs / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(programs))
    result = run("bot", "new", "my-bot", "--game", game, "--language", language)
    assert result.exit_code == 0, result.output
    made = here / "my-bot"
    names = {file.name for file in made.iterdir()}
    manifest = parse_manifest((made / "bot.toml").read_bytes(), {*names, *BUILT})
    assert (manifest.name, manifest.games) == ("my-bot", (game,))
    assert {"README.md", "referee.proto"} < names
    assert not any("sprout" in (made / name).read_text("utf-8") for name in names)
    assert {name for name in names if os.access(made / name, os.X_OK)} == {
        name for name in names if name.endswith(".sh")
    }
    assert f"practice my-bot random --game {game}\n" in (made / "README.md").read_text("utf-8")
    built = f"cd my-bot && {BUILDS[language]}"
    assert built in result.output
    example = {file.name for file in (EXAMPLES / language).iterdir()} - set(NOT_IN_GIT)
    assert names - {"referee.proto"} == example


def test_the_package_has_what_bots_in_other_languages_begin_with() -> None:
    config = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text("utf-8"))
    included = config["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    wanted = {f"{language}/{file}" for language, files in FILES.items() for file in files}
    assert {f"examples/{file}": f"beanleague/_examples/{file}" for file in wanted}.items() <= included.items()


class TestSeveral:
    """Each has its report, in the order of the paths, whatever becomes of the others."""

    def test_are_checked_and_the_command_fails_if_one_is_not_good_enough(
        self, run: Run, league: FakeLeague, folder: Path
    ) -> None:
        bad = folder.with_name("bad")
        bad.mkdir()
        (bad / "bot.toml").write_text("")
        (bad / "broken.py").write_text("")

        def answer(request: TryBotRequest, _: grpc.ServicerContext) -> Iterator[TryBotProgress]:
            if b"broken.py" in request.bundle:
                yield TryBotProgress(report=BotReport(problems=[Problem(where="bot.toml", what="has no name")]))
            else:
                yield TryBotProgress(report=BotReport(manifest=Manifest(name="mine", games=["bohnanza"])))

        league.answers["TryBot"] = answer
        arguments = ("bot", "check", str(folder), "nowhere", str(bad), str(folder))
        result = run(*arguments, BEANLEAGUE_SERVER=league.address)
        assert result.exit_code == 1
        lines = result.stdout.splitlines()
        assert [line for line in lines if line in arguments] == list(arguments[2:])
        assert sum("mine is fine" in line for line in lines) == 2
        assert "problem  bot.toml: has no name" in lines
        assert any(line.startswith("problem  nowhere does not exist") for line in lines)
        assert result.stderr == f"Error: 2 bots of 4 cannot be submitted: nowhere, {bad}\n"

    def test_are_submitted_with_a_line_of_json_each(self, run: Run, league: FakeLeague, folder: Path) -> None:
        league.answers["TryBot"] = submitted(name="mine", version=3, created=True)
        result = run("bot", "submit", "--json", str(folder), str(folder), BEANLEAGUE_SERVER=league.address)
        assert result.exit_code == 0
        assert [json.loads(line)["name"] for line in result.stdout.splitlines()] == ["mine", "mine"]

    def test_a_call_that_is_refused_is_a_problem_of_that_bot(self, run: Run, league: FakeLeague, folder: Path) -> None:
        calls = count()

        def answer(_: TryBotRequest, context: grpc.ServicerContext) -> Iterator[TryBotProgress]:
            if next(calls):
                yield TryBotProgress(submitted=SubmittedBot(name="mine", version=1, created=True))
            else:
                context.abort(grpc.StatusCode.PERMISSION_DENIED, "mine belongs to ann")

        league.answers["TryBot"] = answer
        result = run("bot", "submit", str(folder), str(folder), BEANLEAGUE_SERVER=league.address)
        assert result.exit_code == 1
        assert "mine belongs to ann" in result.stdout
        assert "Submitted mine@1" in result.stdout
