"""Pairs of bots, thinking times, and the lines of a log about one match, through the service."""

import zlib
from dataclasses import replace

import grpc
import pytest

from beanleague.model import PlayedMatch
from beanleague.names import parse_match
from beanleague.referee.messages import MatchTask
from beanproto.v1 import league_pb2 as pb
from beanproto.v1 import referee_pb2
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools, quick
from tests.league.helpers import bundle
from tests.matches import changed
from tests.service.helpers import refused, submit

NOT_FOUND = grpc.StatusCode.NOT_FOUND
INVALID = grpc.StatusCode.INVALID_ARGUMENT


def run(stub: LeagueStub) -> None:
    for _ in stub.RunLeague(pb.RunLeagueRequest(name="spring", workers=1, in_flight=4)):
        pass


class TestPair:
    def test_it_says_what_the_matches_of_both_say(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
        found = stub.ShowPair(pb.ShowPairRequest(league="spring", a="bot1", b="bot3@1", limit=100))
        wins = leads = pairs = 0.0
        for match in stub.ListMatches(pb.ListMatchesRequest(league="spring", limit=1000)).matches:
            by_bot = {seat.bot: seat for seat in match.seats}
            if {"bot1", "bot3"} <= set(by_bot):
                a, b = by_bot["bot1"], by_bot["bot3"]
                pairs += 1
                wins += (a.place < b.place) + (a.place == b.place) / 2
                leads += a.score - b.score
        assert found.all.pairs == pairs
        assert found.all.deals == found.test.deals == pairs / 4
        assert found.all.score == pytest.approx(wins / pairs)
        assert found.all.lead == pytest.approx(leads / pairs)
        assert found.all.elo < found.all.elo_most
        assert found.all.lead_least < found.all.lead < found.all.lead_most
        assert (found.test.a.bot, found.test.b.bot, found.test.by) == ("bot1", "bot3", pb.MEASURE_PLACES)

    def test_deals_that_differ_come_with_their_matches(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
        found = stub.ShowPair(pb.ShowPairRequest(league="spring", a="bot4", b="bot0", limit=2))
        assert len(found.ahead) == 2
        assert found.ahead[0].lead >= found.ahead[1].lead > 0
        assert all(deal.lead < 0 for deal in found.behind)
        for deal in found.ahead:
            assert [parse_match(match.match) for match in deal.matches] == [("spring", deal.deal, r) for r in range(4)]
            info = stub.GetMatch(pb.GetMatchRequest(match=deal.matches[2].match)).info
            scores = {seat.bot: seat.score for seat in info.seats}
            assert (deal.matches[2].a, deal.matches[2].b) == (scores["bot4"], scores["bot0"])
            assert deal.lead == pytest.approx(sum(match.a - match.b for match in deal.matches) / 4)

    def test_a_comparison_has_the_verdict_that_it_was_given(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        asked = pb.CompareRequest(a="bot1", b="bot0", ruleset="bohnanza", workers=1, in_flight=4, elo0=1, elo1=30)
        for by in (pb.MEASURE_PLACES, pb.MEASURE_DOLLARS):
            asked.by = by
            *_, last = stub.Compare(asked)
            test = stub.ShowPair(pb.ShowPairRequest(league=last.league, a="bot1", b="bot0")).test
            for field in ("verdict", "deals", "llr", "elo0", "elo1", "by", "score", "lead"):
                assert getattr(test, field) == getattr(last, field), field

    def test_bots_that_never_met_have_no_score(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        found = stub.ShowPair(pb.ShowPairRequest(league="spring", a="bot0", b="bot1"))
        assert (found.all.deals, found.test.verdict, len(found.ahead)) == (0, pb.VERDICT_OPEN, 0)
        assert not found.all.HasField("elo")
        assert not found.all.HasField("lead_least")

    def test_what_cannot_be_compared_is_refused(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        for request, status, details in (
            (pb.ShowPairRequest(league="x", a="bot0", b="bot1"), NOT_FOUND, "there is no league 'x'"),
            (pb.ShowPairRequest(league="spring", a="bot0", b="x"), NOT_FOUND, "x does not play in the league spring"),
            (pb.ShowPairRequest(league="spring", a="bot0", b=""), INVALID, "'' is not a bot"),
            (pb.ShowPairRequest(league="spring", a="bot0", b="bot0@1"), INVALID, "cannot be compared with itself"),
            (pb.ShowPairRequest(league="spring", a="bot0", b="bot1", limit=101), INVALID, "limit must be at most 100"),
            (pb.ShowPairRequest(league="spring", a="bot0", b="bot1", elo0=50), INVALID, "elo0 must be less than elo1"),
        ):
            with refused(status, details):
                stub.ShowPair(request)


def timed(task: MatchTask, names: object) -> PlayedMatch:
    """Play a match in which every seat makes a decision of 20 ms, and has been asked for four."""
    made = quick(task, {})
    record = referee_pb2.Record(
        moves=[referee_pb2.Played(seat=seat) for seat in range(len(task.bots))], ms=[20] * len(task.bots)
    )
    return replace(changed(made, decisions=(4,) * len(task.bots)), record=zlib.compress(record.SerializeToString()))


class TestThinkingTimes:
    def test_they_come_from_the_records_league_by_league(
        self, stub: LeagueStub, spring: pb.LeagueInfo, pools: FakePools
    ) -> None:
        pools.play = timed
        run(stub)
        found = stub.ThinkingTimes(pb.ThinkingTimesRequest(name="bot2"))
        assert (found.name, found.version) == ("bot2", 1)
        (time,) = found.times
        assert (time.league, time.matches, time.decisions, time.mean_ms, time.most_ms) == ("spring", 32, 128, 5.0, 20)
        assert stub.ThinkingTimes(pb.ThinkingTimesRequest(name="bot2", version=1, league="spring")) == found

    def test_without_times_there_are_none(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
        assert not stub.ThinkingTimes(pb.ThinkingTimesRequest(name="bot2")).times
        with refused(NOT_FOUND, "there is no bot 'x'"):
            stub.ThinkingTimes(pb.ThinkingTimesRequest(name="x"))
        with refused(NOT_FOUND, "there is no league 'x'"):
            stub.ThinkingTimes(pb.ThinkingTimesRequest(name="bot2", league="x"))


def test_of_a_log_the_lines_of_one_match_can_be_read(stub: LeagueStub, spring: pb.LeagueInfo, pools: FakePools) -> None:
    lines = ["[2.1 #1] sown\u2028[2.1 #9] still the same line", "[12.1 #1] no", "[2.1 #12] reaped", "[2.10 #1] no"]
    pools.logs = "".join(f"{line}\n" for line in lines)
    run(stub)
    (log,) = stub.BotLogs(pb.BotLogsRequest(name="bot2", match="spring/2.1")).logs
    assert set(log.text.split("\n")) == {lines[0], lines[2], ""}
    whole = stub.BotLogs(pb.BotLogsRequest(name="bot2", league="spring")).logs[0].text
    assert lines[1] in whole
    assert "last words" in whole
    with refused(INVALID, "spring/2.1 is not a match of the league autumn"):
        stub.BotLogs(pb.BotLogsRequest(name="bot2", league="autumn", match="spring/2.1"))
    with refused(INVALID, "'x' is not a match"):
        stub.BotLogs(pb.BotLogsRequest(name="bot2", match="x"))


def test_a_bot_sent_later_is_compared_by_its_newest_version(stub: LeagueStub, played: pb.LeagueInfo) -> None:
    submit(stub, bundle("bot1", "better"))
    stub.AddBots(pb.AddBotsRequest(league="spring", bots=["bot1"], deals=30))
    run(stub)
    found = stub.ShowPair(pb.ShowPairRequest(league="spring", a="bot1", b="bot0"))
    assert found.test.a.version == 2
    assert stub.ShowPair(pb.ShowPairRequest(league="spring", a="bot1@1", b="bot0")).all.deals != found.all.deals
