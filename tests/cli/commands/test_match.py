"""Matches are analysed by the server where it does so, and else here."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner

from beanbot.analysis.course import VERSION
from beanleague.cli import main
from beanleague.games import record_to_json
from beanleague.wire import record_to_pb
from beanproto.v1 import league_pb2 as pb
from tests.cli.conftest import On, Run
from tests.cli.helpers import FakeLeague, played

NOT_PLAYED = "the record cannot be replayed"
DICE = played(ruleset="dice")
BROKEN = replace(DICE, moves=DICE.moves[1:])
EVEN = [{"mean": 1 / 3, "error": 0.05}] * 3
FOUND = {
    "version": VERSION,
    "ruleset": "bohnanza",
    "players": ["ann", "ben", "cid"],
    "play_outs": 10,
    "moments": [{"turn": 1, "move": 0, "chances": EVEN, "places": [{"mean": 2, "error": 0.1}] * 3}],
    "by_strength": [],
    "turning_points": [],
    "shares": [{"deal": 0, "luck": 0, "play": 0, "others": 0, "won": 1 / 3}] * 3,
    "mistakes": [
        {
            "turn": 1,
            "move": 4,
            "seat": seat,
            "kind": "plant",
            "played": f"bean {seat}",
            "better": "none",
            "loss": {"mean": 0.1, "error": 0.01},
        }
        for seat in range(3)
    ],
}


def match_of(analysis: str = "") -> pb.GetMatchResponse:
    """A match that cannot be played again, with what the server keeps of it."""
    return pb.GetMatchResponse(info=pb.MatchInfo(match="spring/1.0"), record=record_to_pb(BROKEN), analysis=analysis)


@pytest.fixture
def words(league: FakeLeague) -> list[str]:
    league.answers["GetMatch"] = match_of()
    return ["--server", league.address, "match", "analyse", "spring/1.0"]


def analysed(request: pb.AnalyseMatchRequest, _: grpc.ServicerContext) -> Iterator[pb.AnalysisProgress]:
    assert request.match == "spring/1.0"
    yield pb.AnalysisProgress(ahead=2)
    yield pb.AnalysisProgress(found=json.dumps(FOUND))


def test_findings_of_the_server_are_printed(run: Run, league: FakeLeague, words: list[str]) -> None:
    league.answers["AnalyseMatch"] = analysed
    assert json.loads(run(*words, "--json").stdout) == FOUND
    text = run(*words, "--seat", "1").stdout
    assert "1 ben     turn 1, move 4, plant: 10 ± 1" in text
    assert ("bean 0" in text, "bean 1" in text) == (False, True)
    assert text.endswith(f"beanleague match rotations spring/1 --server {league.address}\n")


def test_viewers_see_what_is_kept_and_else_have_a_match_analysed_here(
    run: Run, league: FakeLeague, words: list[str]
) -> None:
    def refuse(_: pb.AnalyseMatchRequest, context: grpc.ServicerContext) -> None:
        context.abort(grpc.StatusCode.PERMISSION_DENIED, "no")

    league.answers["AnalyseMatch"] = refuse
    assert NOT_PLAYED in run(*words).stderr
    league.answers["GetMatch"] = match_of(json.dumps(FOUND))
    assert json.loads(run(*words, "--json").stdout) == FOUND


def test_a_record_and_other_play_outs_are_analysed_here(
    run: Run, league: FakeLeague, words: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "match.json"
    file.write_text(record_to_json(BROKEN))
    for result in (run(*words[:-1], str(file)), run(*words, "--play-outs", "10")):
        assert NOT_PLAYED in result.stderr
    assert [type(request) for request in league.asked] == [pb.GetMatchRequest]


@pytest.mark.parametrize("form", ["plain", "mark", "gzip"])
def test_a_record_is_verified_from_standard_input_and_from_files_of_any_form(tmp_path: Path, form: str) -> None:
    text = record_to_json(played()).encode()
    data = {"plain": text, "mark": b"\xef\xbb\xbf" + text, "gzip": gzip.compress(text)}[form]
    piped = CliRunner().invoke(main, ["match", "verify", "-"], input=data)
    assert piped.output.startswith("standard input: all ")
    (tmp_path / "r.json").write_bytes(data)
    assert "are reproduced" in CliRunner().invoke(main, ["match", "verify", str(tmp_path / "r.json")]).output


def test_a_record_comes_through_a_pipe_of_the_shell(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(record_to_json(played()))
    line = '"$0" -m beanleague match verify <(cat "$1")'
    run = subprocess.run(
        ["bash", "-c", line, sys.executable, tmp_path / "r.json"], capture_output=True, encoding="utf-8", check=True
    )
    assert "are reproduced" in run.stdout


@pytest.mark.parametrize("words", [(), ("--force",)])
def test_an_export_is_written_to_a_pipe_and_leaves_it_there(
    on: On, spring: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert spring
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # open before the writer, which waits for nobody then
    try:
        assert on("match", "export", "spring/1.0", "-o", str(pipe), *words).exit_code == 0
        assert os.read(reader, 100).startswith(b"{")
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_an_export_replaces_what_a_link_leads_to(on: On, spring: str, tmp_path: Path) -> None:
    assert spring
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "r.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    assert on("match", "export", "spring/1.0", "-o", str(link), "--force").exit_code == 0
    assert link.is_symlink()
    assert json.loads(target.read_text())["format"] == "beanleague record"


def test_a_hyphen_is_standard_output_for_what_is_written(
    on: On, spring: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert on("match", "export", "spring/1.0", "-o", "-").stdout == on("match", "export", "spring/1.0").stdout
    lines = on("match", "export", "--league", spring, "-o", "-").stdout.splitlines()
    assert all(json.loads(line)["match"].startswith("spring/") for line in lines)
    assert len(lines) == 12
    assert on("match", "replay", "spring/1.0", "--single-file", "-").stdout.startswith("<!doctype html>")
    copy = on("backup", "-")
    assert copy.stdout_bytes.startswith(b"SQLite format 3\0")
    assert copy.stderr.endswith(" bytes, verified.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [("site",), ("token", "new", "ann", "--role", "viewer", "-o")],
)
def test_a_hyphen_is_no_folder(on: On, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    monkeypatch.chdir(tmp_path)
    refused = on(*words, "-")
    assert refused.exit_code == 1
    assert "standard output (-); name a folder (./- for one called -)" in refused.stderr
    assert list(tmp_path.iterdir()) == []
