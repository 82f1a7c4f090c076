"""What the README, docs/data.md and docs/cli.md say works as written."""

import csv
import gzip
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from beanleague.games import record_from_json, record_to_json, verify
from beanproto.v1 import league_pb2, referee_pb2
from tests.cli.conftest import On
from tests.cli.views.test_output import COMMANDS, SHOW_NO_DATA
from tests.docs.pages import ROOT, blocks, shell, submit_house_bots, trusting

PAGE = "docs/data.md"


@pytest.fixture
def files(on: On, spring: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the page's commands were typed."""
    monkeypatch.chdir(tmp_path)
    (commands,) = blocks(PAGE, "sh")
    for line in commands.splitlines():
        words, _, file = line.replace("spring", spring, 1).partition(" > ")
        result = on(*shlex.split(words)[1:])
        assert result.exit_code == 0, result.output
        if file:
            Path(file).write_text(result.stdout)
    return tmp_path


def test_every_seat_of_every_match_is_a_row(files: Path, on: On, spring: str) -> None:
    rows = list(csv.DictReader(io.StringIO((files / "spring.csv").read_text())))
    listed = json.loads(on("match", "list", spring, "--limit", "5000", "--json").stdout)["matches"]
    assert len(rows) == 3 * len(listed) == 36
    assert [rows[0][name] for name in ("match", "deal", "seat")] == [f"{spring}/4.2", "4", "0"]
    assert [(row["bot"], row["score"]) for row in rows[:3]] == [
        (seat["bot"], str(seat["score"])) for seat in listed[0]["seats"]
    ]


def test_every_match_is_a_line_with_its_record(files: Path, on: On, spring: str) -> None:
    with gzip.open(files / "spring.jsonl.gz", "rt", encoding="utf-8") as lines:  # our own
        matches = [json.loads(line) for line in lines]
    assert [match.pop("match") for match in matches][:4] == [
        f"{spring}/{name}" for name in ("1.0", "1.1", "1.2", "2.0")
    ]
    records = [record_from_json(json.dumps(match)) for match in matches]
    assert len(records) == 12
    assert verify(records[-1]).problem == ""
    assert on("match", "export", f"{spring}/1.0").stdout == record_to_json(records[0])
    refused = on("match", "export", "--league", spring, "-o", "spring.jsonl.gz")
    assert "already exists" in refused.stderr


def test_a_folder_gets_a_file_for_each_match_and_is_continued(
    on: On, spring: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("match", "export", "--league", spring, "-o", "all")
    assert "Wrote 12 matches to all\n" in on(*words).stderr
    (tmp_path / "all/2.1.json").unlink()
    (tmp_path / "all/3.0.json").write_text("mine")
    assert "Wrote 1 match to all; 11 were there already\n" in on(*words).stderr
    assert len(list((tmp_path / "all").iterdir())) == 12
    assert (tmp_path / "all/3.0.json").read_text() == "mine"


def test_matches_that_a_bot_lost_are_listed(on: On, spring: str) -> None:
    words = ("match", "list", spring, "--bot", "ann", "--lost")
    lost = json.loads(on(*words, "--json").stdout)["matches"]
    assert 0 < len(lost) < 12
    assert all(seat["place"] > 1 for match in lost for seat in match["seats"] if seat["bot"] == "ann")
    first = json.loads(on(*words, "--limit", "1", "--json").stdout)
    assert first["matches"] == lost[:1]
    rest = json.loads(on(*words, "--after", first["next_after"], "--json").stdout)
    assert rest["matches"] == lost[1:]
    assert rest["next_after"] == ""


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("list", "spring", "--lost"), "--lost needs --bot"),
        (("list", "spring", "--csv", "--json"), "cannot be used together"),
        (("export",), "name a match, or a league with --league"),
        (("export", "--league", "spring"), "name the output"),
    ],
)
def test_contradictory_options_are_wrong_usage(on: On, words: tuple[str, ...], why: str) -> None:
    result = on("match", *words)
    assert result.exit_code == 2
    assert why in result.stderr


@pytest.mark.slow  # pandas and matplotlib take seconds to import; tox -e contract runs this
@pytest.mark.usefixtures("files")
def test_the_pages_programs_print_tables_and_draw_a_plot(tmp_path: Path) -> None:
    first, second = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for code in blocks(PAGE, "python")
    )
    assert [line.split()[:2] for line in first.splitlines()[-3:]] == [["ann", "12"], ["ben", "12"], ["cid", "12"]]
    assert (tmp_path / "spring.png").read_bytes().startswith(b"\x89PNG")
    assert "blue" in second
    assert len(blocks(PAGE, "python")[0].splitlines()) <= 10


DOCS = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
ROW = re.compile(r"^\|(?: (?P<commands>[^|]+) \|)? `(?P<message>[A-Z]\w+)` \| (?P<keys>`.+`) \|$", re.MULTILINE)
LISTED = {row["message"]: re.findall(r"`(\w+)`", row["keys"]) for row in ROW.finditer(DOCS)}
MESSAGES = {**referee_pb2.DESCRIPTOR.message_types_by_name, **league_pb2.DESCRIPTOR.message_types_by_name}


@pytest.mark.parametrize("message", LISTED)
def test_the_keys_listed_are_the_fields_of_the_message(message: str) -> None:
    assert LISTED[message] == [field.name for field in MESSAGES[message].fields]


def test_every_message_inside_an_answer_is_listed() -> None:
    own = {"OptionValue", "Timestamp"}  # message in words
    inside = {field.message_type.name for name in LISTED for field in MESSAGES[name].fields if field.message_type}
    assert inside - own <= set(LISTED)


@pytest.mark.parametrize("words", [words for words in COMMANDS if words not in SHOW_NO_DATA])
def test_the_json_of_every_command_is_listed(words: str) -> None:
    section = DOCS[DOCS.index("## JSON") : DOCS.index("## Reference")]
    assert f"`{words}" in section


def test_the_keys_of_a_run_are_listed() -> None:
    keys = re.findall(r"`(\w+)`", DOCS[DOCS.index("print a `Progress`") : DOCS.index("Messages inside these")])
    assert keys == ["Progress", "league", *(field.name for field in MESSAGES["Progress"].fields)]


README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder outside of the project with the README's bot, and two house bots, which are submitted."""
    (toml,), (program,) = blocks("README.md", "toml"), blocks("README.md", "python")
    (tmp_path / "neighbour").mkdir()
    (tmp_path / "neighbour" / "bot.py").write_text(program)
    (tmp_path / "neighbour" / "bot.toml").write_text(toml)
    submit_house_bots(("farmer", "random"), "bohnanza", tmp_path)
    return tmp_path


def fresh_shell(script: str, folder: Path) -> str:
    """Run `script` after the README's line that activates its environment, here that of the tests."""
    install, activate = blocks("README.md", "sh")[0].splitlines(keepends=True)
    assert (install, activate) == ("make league\n", ". .venv/bin/activate\n")
    if not Path(sys.prefix, "bin/activate").is_file():
        pytest.skip("the tests run in an environment that cannot be activated")
    return shell(activate.replace(".venv", shlex.quote(sys.prefix)) + script, folder, activated=False)


def test_the_ten_line_bot_has_ten_lines() -> None:
    assert len([line for line in blocks("README.md", "python")[0].splitlines() if line]) <= 10


def test_a_bot_written_from_the_readme_practises(elsewhere: Path) -> None:
    output = fresh_shell(blocks("README.md", "sh")[1], elsewhere)
    neighbour = next(line.split() for line in output.splitlines() if line.startswith("neighbour"))
    assert neighbour[-3] == "0", "faults"


@pytest.mark.slow  # tests/docs/test_tutorial.py writes a bot and plays with it in every run
def test_a_bot_written_from_the_readme_plays_a_league_as_the_readme_says(elsewhere: Path) -> None:
    script = blocks("README.md", "sh")[2].replace("--deals 10", "--deals 1")
    output = fresh_shell(trusting(script), elsewhere)
    assert "neighbour is fine" in output
    assert "Submitted neighbour@1" in output
    assert re.search(r"^ +\d  neighbour@1  ", output, re.MULTILINE)
    assert "Game over" in output


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 180


def test_every_page_of_the_documentation_is_listed() -> None:
    listed = set(re.findall(r"\]\((docs/[\w-]+\.md)\)", README[README.index("## All pages") :]))
    assert listed == {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
