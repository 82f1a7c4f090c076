"""Matches are analysed by the server where it does so, and else here."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from beanbot.analysis.course import VERSION
from beanleague.games import record_to_json
from beanleague.wire import record_to_pb
from beanproto.v1 import league_pb2 as pb
from tests.cli.conftest import Run
from tests.cli.helpers import FakeLeague, played

NOT_PLAYED = "the record cannot be played again"
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


def test_what_the_server_finds_is_printed(run: Run, league: FakeLeague, words: list[str]) -> None:
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
