"""What docs/data.md says of a league as data works as written."""

import csv
import gzip
import io
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from beanleague.games import record_from_json, record_to_json, verify
from tests.cli.conftest import On
from tests.docs.pages import blocks

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
    assert "Wrote 1 match to all; 11 were there\n" in on(*words).stderr
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
        (("export", "--league", "spring"), "say where the matches go"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(on: On, words: tuple[str, ...], why: str) -> None:
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
