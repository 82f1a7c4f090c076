"""Commands on a database of their own, by a server embedded in the command; matches are played by simple policies."""

import html
import json
import os
import re
import shlex
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from click.testing import Result

from beanbot.practice.__main__ import main as practice
from tests.cli.conftest import On, Run
from tests.cli.helpers import write_bot


def failed(message: Result, code: int = 1) -> str:
    """The one or two lines on stderr of a command that failed, printed nothing else and left no traceback."""
    assert message.exit_code == code, message.output
    assert message.stdout == ""
    assert "Traceback" not in message.stderr
    assert 1 <= len(message.stderr.splitlines()) <= 2
    assert message.stderr.startswith("Error: ")
    return message.stderr


def test_an_error_about_missing_data_names_the_database(on: On, run: Run, tmp_path: Path) -> None:
    named = tmp_path / "named.db"
    looked = "Looked in {}; --db FILE names another database."
    missing = failed(on("standings", "autumn", db=str(named)))
    assert missing.splitlines() == ["Error: there is no league 'autumn'; none was created yet", looked.format(named)]
    for words in (("league", "list"), ("bot", "list")):
        assert on(*words, db=str(named)).output.splitlines()[1:] == [looked.format(named)]
    usual = Path(os.environ["XDG_DATA_HOME"], "beanleague", "beanleague.db")
    assert run("league", "list").output.splitlines()[1:] == [looked.format(usual)]


def test_standings_without_a_name_are_those_of_the_only_league(on: On, spring: str, tmp_path: Path) -> None:
    db = str(tmp_path / "one.db")
    empty = str(tmp_path / "empty.db")
    none = failed(on("standings", db=empty)).splitlines()
    assert none[0] == f"Error: no leagues yet; try: beanleague quickstart --db {shlex.quote(empty)}"
    assert on("backup", db).exit_code == 0
    assert on("standings", db=db).stdout == on("standings", spring).stdout
    assert on("league", "create", "autumn", "--game", "bohnanza", "--deals", "1", db=db).exit_code == 0
    assert failed(on("standings", db=db)) == f"Error: name one of the leagues: autumn, {spring}\n"


def test_running_a_league_that_is_done_shows_its_standings(on: On, spring: str) -> None:
    result = on("league", "run", spring)
    assert result.exit_code == 0
    assert result.output.splitlines()[0].startswith("spring: 4 of 4 deals")
    assert "ann@1" in result.output


def test_practice_puts_a_bot_before_a_decision_of_a_leagues_match(
    on: On, spring: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It asks the command for the match, which here is called in this process."""

    def called(words: list[str], **_: object) -> CompletedProcess[bytes]:
        result = on(*words[1 + words.index("beanleague") :])
        return CompletedProcess(words, result.exit_code, result.stdout_bytes, result.stderr_bytes)

    monkeypatch.setattr("subprocess.run", called)
    assert practice(["farmer", "--at", f"{spring}/1.0:0"]) == 0
    assert capsys.readouterr().out.startswith(f"{spring}/1.0, move 0 (bohnanza, seat 0 of 3, turn 1, PLANT_FIRST)")
    assert practice(["farmer", "--at", "gone/1.0:0"]) == 1
    assert capsys.readouterr().err.startswith("practice: there is no league 'gone'")


def test_a_match_replays_in_a_pipe(on: On, spring: str) -> None:
    text = on("match", "replay", f"{spring}/1.0").output
    assert "is dealt" in text
    assert "turn 1  pile 89" in text
    assert "Game over. 1. " in text


def test_a_match_of_a_league_is_verified_with_the_digest_of_its_seed(on: On, spring: str) -> None:
    result = on("match", "verify", f"{spring}/1.0")
    assert result.exit_code == 0
    digest = json.loads(on("league", "deals", spring, "--json").stdout)["deals"][0]["seed_digest"]
    assert result.output.endswith(f"Seed digest: {digest}\n")


@pytest.mark.slow  # a shorter one: test_a_match_that_cannot_be_analysed_is_an_error
def test_a_match_is_analysed(on: On, record: Path) -> None:
    found = json.loads(on("match", "analyse", str(record), "--play-outs", "10", "--json").stdout)
    assert len(found["shares"]) == len(found["players"])


@pytest.mark.slow  # a shorter one: test_a_match_that_cannot_be_analysed_is_an_error
def test_a_bot_is_reported_on_by_its_newest_matches(on: On, spring: str) -> None:
    result = on("bot", "report", "ann", "--limit", "2", "--json")
    assert "progress: 2 of 2 matches\n" in result.stderr
    found = json.loads(result.stdout)
    assert (found["bot"], found["matches"], found["before"]) == ("ann", 2, None)


def test_house_bots_say_what_they_would_do(on: On, record: Path) -> None:
    found = json.loads(on("match", "ask", str(record), "1", "farmer", "trader", "--json").stdout)
    assert [each["bot"] for each in found["bots"]] == ["farmer", "trader"]
    assert found["seat"] == 0


@pytest.mark.slow  # a shorter one: test_a_match_that_cannot_be_analysed_is_an_error
def test_a_page_has_the_course_and_the_mistakes_of_a_seat(on: On, record: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = on("match", "replay", str(record), "--course", "--seat", "1", "--single-file", str(page))
    assert result.exit_code == 0, result.output
    (options,) = re.findall(r'data-options="([^"]*)"', page.read_text("utf-8"))
    course = json.loads(html.unescape(options))["course"]
    assert len(course["shares"]) == len(course["moments"][0]["chances"]) == 3
    assert len(course["mistakes"]) <= 3
    assert {mistake["seat"] for mistake in course["mistakes"]} <= {1}


def test_a_match_that_cannot_be_analysed_is_an_error(on: On, record: Path) -> None:
    text = json.loads(record.read_text())
    record.write_text(json.dumps({**text, "moves": text["moves"][1:]}))
    assert "cannot be replayed" in failed(on("match", "analyse", str(record)))
    assert "--course is drawn in a page" in on("match", "replay", str(record), "--course").stderr


@pytest.fixture
def record(on: On, spring: str, tmp_path: Path) -> Path:
    """An exported match."""
    file = tmp_path / "match.json"
    result = on("match", "export", f"{spring}/1.0", "-o", str(file))
    assert result.exit_code == 0, result.output
    return file


def test_an_export_is_self_contained(on: On, record: Path, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none" / "x.db")
    assert on("match", "verify", str(record), db=nowhere).exit_code == 0
    assert "Game over" in on("match", "replay", "--plain", str(record), db=nowhere).output


def test_an_export_goes_to_stdout_and_overwrites_only_by_force(on: On, spring: str, record: Path) -> None:
    text = on("match", "export", f"{spring}/1.0").stdout
    assert text == record.read_text()
    record.write_text("mine")
    assert "already exists" in failed(on("match", "export", f"{spring}/1.0", "-o", str(record)))
    assert record.read_text() == "mine"
    assert on("match", "export", f"{spring}/1.0", "-o", str(record), "--force").exit_code == 0
    assert record.read_text() == text
    assert list(record.parent.iterdir()) == [record]


def test_verify_names_the_first_event_that_differs(on: On, record: Path) -> None:
    data = json.loads(record.read_text())
    changed = next(i for i, event in enumerate(data["events"]) if event["event"] == "harvested")
    data["events"][changed]["dollars"] += 1
    record.write_text(json.dumps(data))
    message = on("match", "verify", str(record))
    assert message.exit_code == 1
    assert f"the rules do not reproduce {record}: events[{changed}]" in message.stderr
    assert '"event": "harvested"' in message.stderr
    verdict = on("match", "verify", str(record), "--json")
    assert verdict.exit_code == 1
    assert json.loads(verdict.stdout)["event"] == changed
    assert json.loads(verdict.stdout)["reproduced"] is False


def test_a_file_that_is_not_a_record_is_an_error(on: On, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text("not JSON")
    for command in ("verify", "replay"):
        assert "is not a match record: record: not JSON at line 1" in failed(on("match", command, str(file)))


def test_a_source_that_is_neither_file_nor_match_is_an_error(on: On, spring: str) -> None:
    assert "there is no file nothing.json" in failed(on("match", "verify", "nothing.json"))
    assert "deal 99 does not exist" in failed(on("match", "verify", f"{spring}/99.0"))
    assert "is not a match" in failed(on("match", "verify", f"{spring}/first"))


def test_an_invalid_url_is_an_error(on: On) -> None:
    assert "neither SQLite nor PostgreSQL" in failed(on("league", "list", db="nonsense://x"))


def test_quickstart_goes_on_with_a_stopped_league_and_then_makes_another(on: On, tmp_path: Path) -> None:
    db = str(tmp_path / "quick.db")
    first = json.loads(on("quickstart", "--deals", "2", "--json", db=db).stdout)
    assert first["league"] == "quickstart"
    assert first["state"] == "done"
    assert {standing["bot"] for standing in first["standings"]} == {"trader", "merchant", "haggler", "farmer"}
    again = on("quickstart", "--deals", "2", db=db)
    assert "already submitted: farmer@1" in again.output
    assert "created the league quickstart-2" in again.output
    steps = again.output.partition("What to do next:\n")[2].splitlines()
    assert [step[27:] for step in steps] == [
        f"beanleague standings quickstart-2 --db {shlex.quote(db)}",
        f"beanleague match replay quickstart-2/1.0 --db {shlex.quote(db)}",
        f"beanleague web --db {shlex.quote(db)}",
        f"beanleague play --game bohnanza --against farmer --db {shlex.quote(db)}",
        "beanleague bot new mybot --game bohnanza",
    ]
    stopped = ["league", "create", "quickstart-3", "--game", "bohnanza", "--deals", "2"]
    assert on(*stopped, db=db).exit_code == 0
    assert json.loads(on("quickstart", "--deals", "2", "--json", db=db).stdout)["league"] == "quickstart-3"


def test_quickstart_of_another_game_is_a_league_of_its_own(on: On, tmp_path: Path) -> None:
    """With the house bots that play it; a league of another game that was stopped is left as it is."""
    db = str(tmp_path / "quick.db")
    duel = on("quickstart", "--deals", "1", "--game", "duel", db=db)
    assert duel.exit_code == 0, duel.output
    assert "created the league quickstart: 1 deal of duel, 2 matches each" in duel.output
    assert on("league", "create", "quickstart-2", "--game", "duel", "--deals", "1", db=db).exit_code == 0
    two = json.loads(on("quickstart", "--deals", "1", "--game", "bohnanza-two", "--json", db=db).stdout)
    assert two["league"] == "quickstart-3"
    assert {standing["bot"] for standing in two["standings"]} == {"gardener", "journeyman", "apprentice", "novice"}
    assert "there are: bohnanza, " in failed(on("quickstart", "--deals", "1", "--game", "chess", db=db))


def test_a_version_before_is_reported_on_where_it_played(
    on: On, spring: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first version of the bot did, and nothing of the second is asked for in that league."""
    texts: list[str] = []
    monkeypatch.setattr("beanleague.cli.commands.bot.say", lambda text, *_, **__: texts.append(text))
    second = write_bot(home / "second", "ann", "changed = True\n")
    assert "Submitted ann@2" in on("bot", "submit", str(second)).stdout
    both = "2 matches"
    for words, progress in ((["ann@2"], ""), (["ann@2", "--since", "2"], both), (["ann", "--since", "2"], both)):
        result = on("bot", "report", *words, "--limit", "2")
        assert result.exit_code == 0
        assert result.stderr.partition(",")[0] == progress
    assert [text.count("\n") for text in texts] == [0, 2, 2]
    assert "ann@2 does not play in the league" in failed(on("bot", "report", "ann@2", "--league", spring))


def test_a_report_has_the_next_better_bot_beside_or_the_one_that_is_asked_for(
    on: On, spring: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[list[str]], str]] = []

    def say(text: str, *words: str, **_: object) -> None:
        asked.append(([json.loads(line)["for"] for line in text.splitlines()], words[-1]))

    monkeypatch.setattr("beanleague.cli.commands.bot.say", say)
    standings = json.loads(on("standings", spring, "--json").stdout)["standings"]
    first, second, third = (standing["bot"] for standing in standings)
    for words in ((second,), (first,), (first, "--against", third)):
        assert on("bot", "report", *words, "--limit", "2").exit_code == 0
    assert asked == [
        ([[second, f"{first}@1"]] * 2, f"{first}@1"),
        ([[first]] * 2, ""),
        ([[first, third]] * 2, third),
    ]
