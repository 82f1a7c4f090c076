"""Gauntlets, joining, suspensions, comparisons, pairs of bots, thinking times and logs, through the service."""

import zlib
from dataclasses import replace
from typing import Any

import grpc
import pytest

from beanleague.model import PlayedMatch
from beanleague.names import parse_match
from beanleague.referee.messages import MatchTask
from beanproto.v1 import league_pb2 as pb, referee_pb2
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools, quick
from tests.league.helpers import bundle
from tests.matches import changed
from tests.service.helpers import refused, submit
from tests.waiting import until

RUN = pb.RunLeagueRequest(name="spring", workers=1, in_flight=1)
INVALID = grpc.StatusCode.INVALID_ARGUMENT


def run(stub: LeagueStub) -> pb.Progress:
    *_, last = stub.RunLeague(RUN)
    return last


def show(stub: LeagueStub) -> pb.LeagueInfo:
    return stub.ShowLeague(pb.ShowLeagueRequest(name="spring"))


def forfeit(*bots: int) -> Any:
    """A referee by which these entrants forfeit every match."""

    def play(task: MatchTask, names: object) -> PlayedMatch:
        return changed(quick(task, {}), forfeited=tuple(bot in bots for bot in task.bots))

    return play


def test_a_gauntlet_tells_its_hero_and_who_is_rated_1500(stub: LeagueStub) -> None:
    for number in range(5):
        submit(stub, bundle(f"bot{number}"))
    made = stub.CreateLeague(
        pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", seats=4, deals=12, gauntlet="bot2", anchor="bot0")
    )
    assert (made.format, made.hero.bot) == (pb.LEAGUE_FORMAT_GAUNTLET, "bot2")
    assert [entrant.bot for entrant in made.anchor] == ["bot0"]


class TestJoining:
    def test_a_league_tells_who_joined_and_who_made_room(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
        submit(stub, bundle("late"))
        submit(stub, bundle("bot1", "better"))
        info = stub.AddBots(pb.AddBotsRequest(league="spring", bots=["late", "bot1"], deals=60))
        assert (info.entrant_count, info.deals_total, info.deals_done) == (7, 60, 10)
        assert [(absent.bot, absent.version, absent.retired) for absent in show(stub).absent] == [("bot1", 1, True)]


class TestSuspension:
    def test_a_suspended_bot_is_listed_until_that_is_lifted(
        self, stub: LeagueStub, spring: pb.LeagueInfo, pools: FakePools
    ) -> None:
        stub.AddBots(pb.AddBotsRequest(league="spring", deals=30))
        pools.play = forfeit(3)
        run(stub)
        (absent,) = show(stub).absent
        assert absent.bot == "bot3"
        assert absent.suspended.endswith("forfeits in a row")
        stub.LiftSuspension(pb.LiftSuspensionRequest(league="spring", bot="bot3"))
        assert not show(stub).absent

    def test_a_league_tells_why_a_bot_was_removed(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        stub.SuspendBot(pb.SuspendBotRequest(league="spring", bot="bot3", reason="it was asked for", for_good=True))
        (absent,) = show(stub).absent
        assert (absent.bot, absent.retired) == ("bot3", True)
        assert absent.why == "an organiser took it out (it was asked for)"


class TestRatings:
    def test_they_come_with_matrix_and_history(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
        found = stub.Ratings(pb.RatingsRequest(league="spring"))
        assert [standing.rank for standing in found.standings] == [1, 2, 3, 4, 5]
        for row in range(5):
            for column in range(row):
                assert found.matrix[row].better[column] + found.matrix[column].better[row] == pytest.approx(1)
        part = stub.Ratings(
            pb.RatingsRequest(
                league="spring", matrix=pb.MatrixWindow(row=1, rows=2, column=3, columns=9), no_history=True
            )
        )
        for mine, whole in zip(part.matrix, found.matrix[1:3], strict=True):
            assert list(mine.better) == whole.better[3:]
            assert list(mine.pair_score) == whole.pair_score[3:]
        assert (len(part.standings), len(part.history)) == (5, 0)
        assert found.history[-1].deals == 10
        assert {rating.bot for rating in found.history[-1].ratings} == {f"bot{number}" for number in range(5)}
        newest = {rating.bot: rating.rating for rating in found.history[-1].ratings}
        assert newest == {standing.bot: standing.rating for standing in found.standings}

    def test_a_league_shows_what_seats_and_luck_are_worth(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
        assert [effect.seat for effect in played.seat_effects] == [0, 1, 2, 3]
        assert not played.HasField("luck")  # of ten deals
        stub.AddBots(pb.AddBotsRequest(league="spring", deals=30))
        run(stub)
        assert show(stub).HasField("luck")


class TestVoids:
    def test_deals_that_were_played_again_are_listed_with_the_reason(
        self, stub: LeagueStub, spring: pb.LeagueInfo, pools: FakePools
    ) -> None:
        reasons, spoilt = ["the worker ended", "no memory"], set[bytes]()

        def void(task: MatchTask) -> str:
            if not reasons or task.seed in spoilt:
                return ""
            spoilt.add(task.seed)
            return reasons.pop()

        pools.void = void
        assert run(stub).voided_deals == 2
        found = show(stub).voids
        assert sorted(void.reason for void in found) == ["no memory", "the worker ended"]


class TestCompare:
    ASK = pb.CompareRequest(a="bot1", b="bot0", ruleset="bohnanza", workers=1, in_flight=4)

    def test_a_comparison_reports_its_progress_up_to_the_verdict(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        reports = list(stub.Compare(self.ASK))
        last = reports[-1]
        assert last.verdict in {pb.VERDICT_BETTER, pb.VERDICT_NOT_BETTER}
        assert {progress.verdict for progress in reports[:-1]} <= {pb.VERDICT_OPEN, last.verdict}
        assert last.obvious
        assert last.deals < 50  # by the sequential test alone it needs 53
        assert last.matches == 4 * last.deals
        assert last.elo_least < last.elo < last.elo_most

    def test_by_dollars_it_tells_the_lead_too_and_the_pair_has_its_verdict(
        self, stub: LeagueStub, spring: pb.LeagueInfo
    ) -> None:
        asked = pb.CompareRequest()
        asked.CopyFrom(self.ASK)
        asked.by, asked.elo1 = pb.MEASURE_DOLLARS, 30
        *_, last = stub.Compare(asked)
        assert (last.verdict, last.by, last.elo1) == (pb.VERDICT_NOT_BETTER, pb.MEASURE_DOLLARS, 30)
        test = stub.ShowPair(pb.ShowPairRequest(league=last.league, a="bot1", b="bot0")).test
        for field in ("verdict", "deals", "llr", "elo0", "elo1", "by", "score", "lead"):
            assert getattr(test, field) == getattr(last, field), field
        assert last.lead_least < last.lead < last.lead_most < 0
        asked.by = pb.MEASURE_PLACES
        *_, by_places = stub.Compare(asked)
        assert not by_places.HasField("lead")
        assert by_places.league != last.league

    def test_cancelling_stops_it_and_the_same_goes_on(
        self, stub: LeagueStub, spring: pb.LeagueInfo, pools: FakePools
    ) -> None:
        calls: list[Any] = []
        goal = pools.played + 40  # matches: fewer than thirty deals
        pools.before = lambda _: calls[0].cancel() if calls and pools.played >= goal else None
        calls.append(stub.Compare(self.ASK))
        with pytest.raises(grpc.RpcError):
            list(calls[0])
        pools.before = lambda _: None
        until(
            lambda: all(
                info.state != pb.LEAGUE_STATE_RUNNING for info in stub.ListLeagues(pb.ListLeaguesRequest()).leagues
            )
        )
        played = pools.played
        *_, last = stub.Compare(self.ASK)
        assert last.verdict != pb.VERDICT_OPEN
        assert pools.played - played < last.matches

    def test_a_comparison_is_not_listed_among_leagues(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        *_, last = stub.Compare(self.ASK)
        with refused(INVALID, "is a comparison"):
            stub.Standings(pb.StandingsRequest(league=last.league))
        with refused(INVALID, "is a comparison"):
            stub.Ratings(pb.RatingsRequest(league=last.league))
        with refused(INVALID, "is a comparison"):
            list(stub.FollowRun(pb.FollowRunRequest(name=last.league)))


NOT_FOUND = grpc.StatusCode.NOT_FOUND


def play(stub: LeagueStub) -> None:
    for _ in stub.RunLeague(pb.RunLeagueRequest(name="spring", workers=1, in_flight=4)):
        pass


class TestPair:
    def test_an_answer_agrees_with_the_matches_of_both(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
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

    def test_bots_that_never_met_have_no_score(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        found = stub.ShowPair(pb.ShowPairRequest(league="spring", a="bot0", b="bot1"))
        assert (found.all.deals, found.test.verdict, len(found.ahead)) == (0, pb.VERDICT_OPEN, 0)
        assert not found.all.HasField("elo")
        assert not found.all.HasField("lead_least")

    def test_incomparable_bots_are_refused(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
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
        play(stub)
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
    play(stub)
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
    play(stub)
    found = stub.ShowPair(pb.ShowPairRequest(league="spring", a="bot1", b="bot0"))
    assert found.test.a.version == 2
    assert stub.ShowPair(pb.ShowPairRequest(league="spring", a="bot1@1", b="bot0")).all.deals != found.all.deals
