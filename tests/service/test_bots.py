"""Bots: what is known of a bundle, as it comes, and what is told of a bot."""

import threading
from contextlib import ExitStack
from dataclasses import replace

import grpc
import pytest

from beanleague.model import Fault, FaultKind
from beanleague.referee.this_node import default_workers
from beanleague.service import backend as backends
from beanleague.service.access import RefusedCallError
from beanleague.service.backend import TrialQueue
from beanproto.v1 import league_pb2 as pb, referee_pb2
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools, play, quick
from tests.league.helpers import bundle
from tests.matches import changed
from tests.service.helpers import check, refused, submit
from tests.waiting import until


def held(until: threading.Event) -> None:
    """Wait."""
    assert until.wait(60)


def trials(stub: LeagueStub, data: bytes, *, submit: bool) -> list[tuple[int, str]]:
    """How many trials each message has, and the name of the version."""
    return [
        (len(known.report.trials), known.submitted.name)
        for known in stub.TryBot(pb.TryBotRequest(bundle=data, submit=submit))
    ]


def test_each_trial_is_reported_when_it_is_over(stub: LeagueStub) -> None:
    assert trials(stub, bundle("ann"), submit=False) == [(0, ""), (1, ""), (2, ""), (2, "")]
    assert not stub.ListBots(pb.ListBotsRequest()).bots


def test_the_first_report_comes_before_the_first_trial_is_over(stub: LeagueStub, pools: FakePools) -> None:
    over = threading.Event()
    pools.before = lambda _: held(over)
    progress = iter(stub.TryBot(pb.TryBotRequest(bundle=bundle("ann"))))
    assert next(progress).report.manifest.name == "ann"
    over.set()
    assert len(list(progress)) == 3


def test_the_last_message_has_the_version(stub: LeagueStub) -> None:
    assert trials(stub, bundle("ann"), submit=True)[-1] == (2, "ann")
    assert trials(stub, bundle("ann"), submit=True) == [(0, "ann")]  # identical files are not tried again
    assert [bot.name for bot in stub.ListBots(pb.ListBotsRequest()).bots] == ["ann"]


def test_problems_of_a_check_are_in_its_report_and_of_a_submission_in_its_error(stub: LeagueStub) -> None:
    (known,) = stub.TryBot(pb.TryBotRequest(bundle=b"no zip"))
    assert known.report.problems
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "not a zip file"):
        list(stub.TryBot(pb.TryBotRequest(bundle=b"no zip", submit=True)))


def test_obstacles_to_a_submission_are_sent_before_the_call_fails(stub: LeagueStub, pools: FakePools) -> None:
    known: list[pb.TryBotProgress] = []
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "not a zip file"):
        known.extend(stub.TryBot(pb.TryBotRequest(bundle=b"no zip", submit=True)))
    pools.play = lambda task, bots: play(task, bots, lambda *_: FaultKind.ILLEGAL)
    pools.logs = "no beans\n"
    call = stub.TryBot(pb.TryBotRequest(bundle=bundle("ann"), submit=True))
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "not admitted"):
        for each in call:
            known.append(each)  # noqa: PERF402  # an extend would lose what came before the error
    assert len(known[-1].report.problems) == 2
    assert known[-1].report.trials[0].log.startswith("no beans\n")


def test_a_bot_that_fails_its_trial_is_not_stored(stub: LeagueStub, pools: FakePools) -> None:
    pools.play = lambda task, bots: play(task, bots, lambda *_: FaultKind.ILLEGAL)
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "not admitted"):
        list(stub.TryBot(pb.TryBotRequest(bundle=bundle("ann"), submit=True)))
    assert not stub.ListBots(pb.ListBotsRequest()).bots


def test_a_call_that_is_cancelled_ends_the_trials(stub: LeagueStub, pools: FakePools) -> None:
    started, over = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        started.set()
        over.wait(60)

    pools.before = hold
    call = stub.TryBot(pb.TryBotRequest(bundle=bundle("ann"), submit=True))
    assert started.wait(60)
    call.cancel()  # type: ignore[no-untyped-call]
    stub.ListBots(pb.ListBotsRequest())  # the server answers in order, so it knows of the cancellation
    over.set()
    with pytest.raises(grpc.RpcError):
        list(call)
    until(lambda: pools.closed)
    assert not stub.ListBots(pb.ListBotsRequest()).bots


class TestQueue:
    def test_so_many_are_tried_at_once_and_those_of_others_go_before_the_second_of_one(self) -> None:
        queue = TrialQueue(at_once=1)
        with queue.turn("ann") as first, queue.turn("ann") as second, queue.turn("ann") as third:
            with queue.turn("ben") as other:
                places = [queue.ahead(turn, -1, 0) for turn in (first, other, second, third)]
                assert places == [0, 1, 2, 3]
            assert [queue.ahead(turn, -1, 0) for turn in (second, third)] == [1, 2]

    def test_the_next_is_tried_when_one_is_over(self) -> None:
        queue = TrialQueue(at_once=1)
        with ExitStack() as later:
            with queue.turn("ann"):
                waits = later.enter_context(queue.turn("ben"))
                assert queue.ahead(waits, -1, 0) == 1
            assert queue.ahead(waits, 1, 60) == 0

    def test_a_caller_has_so_many_and_the_queue_holds_so_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(backends, "_MAX_WAITING", 2)
        monkeypatch.setattr(backends, "_MAX_OF_CALLER", 2)
        queue = TrialQueue(at_once=1)
        with queue.turn("ann"), queue.turn("ann"):
            with (
                pytest.raises(RefusedCallError, match="you have 2 trials and analyses under way"),
                queue.turn("ann"),
            ):
                pass
            with (
                queue.turn("ben"),
                pytest.raises(RefusedCallError, match="too many trials and analyses are waiting"),
                queue.turn("cid"),
            ):
                pass
            with queue.turn("dora"):  # those that were refused, or have ended, do not count
                pass

    def test_when_it_is_full_who_has_most_in_it_makes_room_for_who_has_few(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Four accounts fill it; the fifth goes before all that they have second."""
        monkeypatch.setattr(backends, "_MAX_WAITING", 8)
        queue = TrialQueue(at_once=1)
        with ExitStack() as calls:
            *own, last = [calls.enter_context(queue.turn(who)) for who in "abcdabcaa"]
            newcomer = calls.enter_context(queue.turn("newcomer"))
            assert queue.ahead(newcomer, -1, 0) == 4, "behind the first of b, c and d"
            with pytest.raises(RefusedCallError, match="dropped from a full queue in which you had the most requests"):
                queue.ahead(last, -1, 0)
            assert [queue.ahead(turn, -1, 0) for turn in own] == [0, 1, 2, 3, 5, 6, 7, 8]

    def test_of_two_that_wait_the_one_goes_first_whose_caller_had_less_time(self) -> None:
        now = [0.0]
        queue = TrialQueue(at_once=1, clock=lambda: now[0])
        with queue.turn("ann"):
            now[0] += 90
        with queue.turn("cid"), queue.turn("ann") as hers, queue.turn("ben") as his:
            assert [queue.ahead(turn, -1, 0) for turn in (his, hers)] == [1, 2]
        now[0] += 24 * 3600
        with queue.turn("cid"), queue.turn("ann") as hers, queue.turn("ben") as his:
            assert [queue.ahead(turn, -1, 0) for turn in (hers, his)] == [1, 2], "what was yesterday does not count"

    def test_a_turn_gives_way_after_its_share_to_somebody_else_alone(self) -> None:
        now = [0.0]
        queue = TrialQueue(at_once=1, clock=lambda: now[0])
        with queue.turn("ann") as turn:
            now[0] += 11
            with queue.turn("ann"):
                assert not queue.gives_way(turn, 10)
                with queue.turn("ben"):
                    assert (queue.gives_way(turn, 10), queue.gives_way(turn, 12)) == (True, False)
            assert not queue.gives_way(turn, 10)

    def test_a_bundle_that_waits_hears_its_place(self, stub: LeagueStub, pools: FakePools) -> None:
        over, playing = threading.Event(), threading.Semaphore(0)

        def hold(_: object) -> None:
            playing.release()
            held(over)

        pools.before = hold
        at_once = max(1, default_workers() // 2)
        with ExitStack() as calls:
            for _ in range(at_once):
                played = stub.TryBot(pb.TryBotRequest(bundle=bundle("ann")), metadata=(("visitor", "here"),))
                calls.callback(played.cancel)
                assert not next(iter(played)).ahead
            waits = stub.TryBot(pb.TryBotRequest(bundle=bundle("ben")), metadata=(("visitor", "there"),))
            first = next(iter(waits))
            assert (first.ahead, first.HasField("report")) == (1, False)
            assert all(playing.acquire(timeout=60) for _ in range(at_once))
            assert pools.started == at_once
            over.set()
            assert [known.ahead for known in waits if known.report.manifest.name == "ben"] == [0] * 4


class TestBots:
    def test_a_bot_is_submitted_listed_and_shown(self, stub: LeagueStub) -> None:
        first = submit(stub, bundle("ann"))
        again = submit(stub, bundle("ann"))
        second = submit(stub, bundle("ann", "better"))
        assert [(a.name, a.version, a.created) for a in (first, again, second)] == [
            ("ann", 1, True),
            ("ann", 1, False),
            ("ann", 2, True),
        ]
        assert first.report.trials[0].decisions > 0
        (info,) = stub.ListBots(pb.ListBotsRequest()).bots
        assert (info.name, info.version, list(info.games)) == ("ann", 2, ["bohnanza"])
        versions = stub.ShowBot(pb.ShowBotRequest(name="ann")).versions
        assert [(version.version, version.digest) for version in versions] == [(2, second.digest), (1, first.digest)]
        assert list(versions[0].manifest.command) == ["python", "bot.py"]

    def test_a_check_keeps_nothing(self, stub: LeagueStub) -> None:
        report = check(stub, bundle("ann"))
        assert (report.manifest.name, report.files, list(report.problems)) == ("ann", 2, [])
        assert report.trials[0].ruleset == "bohnanza"
        assert not stub.ListBots(pb.ListBotsRequest()).bots

    def test_faults_of_a_trial_are_in_the_report(self, stub: LeagueStub, pools: FakePools) -> None:
        """The first twenty of them, and how many there were."""
        fault = Fault(0, 0, FaultKind.TIMEOUT, "too late", False)
        pools.play = lambda task, bots: replace(
            changed(quick(task, bots), forfeited=(True, True, False)), faults=(fault,) * 25
        )
        trial = check(stub, bundle("ann")).trials[0]
        assert (trial.fault_count, len(trial.faults), list(trial.forfeited_seats)) == (25, 20, [0])
        (mistake,) = trial.distinct
        assert (mistake.decision, mistake.count, mistake.fault.reason) == ("PLANT_FIRST", 25, "too late")
        recorded = trial.faults[0]
        assert (recorded.seat, recorded.move, recorded.reason, recorded.forfeited) == (0, 0, "too late", False)
        assert recorded.kind == referee_pb2.FAULT_KIND_TIMEOUT

    def test_a_bot_shows_how_it_did(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
        (version,) = stub.ShowBot(pb.ShowBotRequest(name="bot1")).versions
        (entry,) = version.entries
        (mine,) = [s for s in stub.Standings(pb.StandingsRequest(league="spring")).standings if s.bot == "bot1"]
        assert (entry.league, entry.ruleset, entry.entrants, entry.standing) == ("spring", "bohnanza", 5, mine)
        assert mine.faults > 0
        (faults,) = entry.faults
        assert (faults.kind, faults.count) == (referee_pb2.FAULT_KIND_TIMEOUT, mine.faults)
        last = stub.GetMatch(pb.GetMatchRequest(match=faults.match)).info
        assert any(seat.bot == "bot1" and seat.faults for seat in last.seats)

    def test_the_log_of_a_bot_can_be_read(self, stub: LeagueStub, spring: pb.LeagueInfo, pools: FakePools) -> None:
        pools.logs = "beans\n"
        for _ in stub.RunLeague(pb.RunLeagueRequest(name="spring", workers=1, in_flight=4)):
            pass
        for request in (pb.BotLogsRequest(name="bot2"), pb.BotLogsRequest(name="bot2", version=1, league="spring")):
            logs = stub.BotLogs(request)
            assert (logs.name, logs.version) == ("bot2", 1)
            assert [(log.league, log.truncated) for log in logs.logs] == [("spring", False)]
            assert logs.logs[0].text.startswith("beans\nbeans\n")
