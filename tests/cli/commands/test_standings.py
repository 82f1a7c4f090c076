"""`league pair` and `bot times`."""

import json

from beanproto.v1.league_pb2 import ThinkingTime, ThinkingTimesRequest, ThinkingTimesResponse
from tests.cli.conftest import On, Run
from tests.cli.fake_server import FakeLeague


def test_a_pair_is_shown_with_score_test_and_deals(on: On, spring: str) -> None:
    result = on("league", "pair", spring, "ann", "ben@1", "--limit", "1")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "ann@1 against ben@1 in spring"
    assert lines[1].startswith("4 deals: ahead in ")
    assert " of 12 pairs, Elo " in lines[1]
    assert "Sequential test over these deals:" in lines
    assert any(line.startswith("4 deals, LLR ") or "against ben@1: 4 deals, LLR " in line for line in lines)
    assert any("was ahead by most dollars" in line for line in lines)
    data = json.loads(on("league", "pair", spring, "ann", "ben", "--by", "dollars", "--json").stdout)
    assert (data["all"]["deals"], data["all"]["pairs"], data["test"]["by"]) == (4, 12, "dollars")


def test_bots_without_a_common_deal_are_said_to_have_none(on: On, spring: str) -> None:
    assert on(*["league", "create", "summer", "--game", "bohnanza", "--deals", "1"]).exit_code == 0
    result = on("league", "pair", "summer", "ann", "ben")
    assert result.stdout == "ann@1 and ben@1 have not played the same deal in summer yet.\n"


def test_thinking_times_are_a_row_a_league(run: Run, league: FakeLeague) -> None:
    time = ThinkingTime(league="spring", matches=50, decisions=4321, mean_ms=1.234, slow_ms=9, most_ms=87)
    league.answers["ThinkingTimes"] = ThinkingTimesResponse(name="trader", version=2, times=[time])
    result = run("bot", "times", "trader@2", "--league", "spring", BEANLEAGUE_SERVER=league.address)
    assert result.output.splitlines()[-1].split() == ["spring", "50", "4,321", "1.23", "9", "87"]
    assert league.asked[-1] == ThinkingTimesRequest(name="trader", version=2, league="spring")
    league.answers["ThinkingTimes"] = ThinkingTimesResponse(name="trader", version=2)
    result = run("bot", "times", "trader", BEANLEAGUE_SERVER=league.address)
    assert result.output == "trader@2 has no match with times.\n"
