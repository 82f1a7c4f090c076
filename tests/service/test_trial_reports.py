"""TryBot: what is known of a bundle, as it comes."""

from __future__ import annotations

import threading
import time

import grpc
import pytest

from beanleague.model import FaultKind
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools, play
from tests.league.helpers import bundle
from tests.service.helpers import refused


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
    while not pools.closed:
        time.sleep(0.01)
    assert not stub.ListBots(pb.ListBotsRequest()).bots
