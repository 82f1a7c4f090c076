"""Several servers over one database: a run belongs to one of them, and the others follow and stop it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Unpack

import grpc
import pytest

from beanleague.league.errors import RunError
from beanleague.referee.deal_pool import DealPool
from beanleague.referee.messages import BotSpec, Limits, PoolSettings
from beanleague.service.following import stop_run
from beanleague.store.store import Store
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools
from tests.service.conftest import Connect
from tests.service.helpers import refused

RUN = pb.RunLeagueRequest(name="spring", workers=1, in_flight=4)
FOLLOW = pb.FollowRunRequest(name="spring")
STOP = pb.StopRunRequest(name="spring")
DETACHED = pb.RunLeagueRequest(name="spring", workers=1, in_flight=4, detach=True)


@pytest.fixture
def slow(pools: FakePools) -> Iterator[FakePools]:
    """A referee that plays 50 matches a second until the test ends."""
    pools.before = lambda _: time.sleep(0.02)
    yield pools
    pools.before = lambda _: None


@pytest.fixture
def other(connect: Connect, spring: pb.LeagueInfo) -> LeagueStub:
    """Another server over the database of `stub`, which has the league "spring"."""
    del spring
    return connect()


def show(stub: LeagueStub) -> pb.LeagueInfo:
    return stub.ShowLeague(pb.ShowLeagueRequest(name="spring"))


@pytest.mark.both_databases
def test_a_run_of_one_server_is_followed_from_another_to_its_end(
    stub: LeagueStub, other: LeagueStub, slow: FakePools
) -> None:
    del slow
    run = stub.RunLeague(RUN)
    next(iter(run))
    assert show(other).state == pb.LEAGUE_STATE_RUNNING
    assert show(other).run_by.startswith("process ")
    *_, last = other.FollowRun(FOLLOW)
    assert (last.state, last.deals_done, last.matches_done) == (pb.RUN_STATE_DONE, 10, 40)
    assert [standing.deals for standing in last.standings] == [8] * 5
    *_, own = run
    assert own.state == pb.RUN_STATE_DONE
    assert show(other).run_by == ""


@pytest.mark.both_databases
def test_a_run_of_one_server_is_stopped_from_another(stub: LeagueStub, other: LeagueStub, slow: FakePools) -> None:
    del slow
    run = stub.RunLeague(RUN)
    next(iter(run))
    info = other.StopRun(STOP)
    assert info.state != pb.LEAGUE_STATE_RUNNING
    assert info.run_error == ""
    assert info.deals_done < 10
    with refused(grpc.StatusCode.ABORTED, "the run was stopped; deals played before are kept"):
        list(run)
    *_, last = other.RunLeague(RUN)
    assert last.deals_done == 10


def test_a_detached_run_goes_on_without_its_call(stub: LeagueStub, other: LeagueStub, slow: FakePools) -> None:
    del slow
    (first,) = stub.RunLeague(DETACHED)
    assert first.state != pb.RUN_STATE_DONE
    *_, last = other.FollowRun(FOLLOW)
    assert (last.state, last.deals_done) == (pb.RUN_STATE_DONE, 10)


def test_leaving_a_run_that_one_follows_does_not_stop_it(stub: LeagueStub, other: LeagueStub, slow: FakePools) -> None:
    del slow
    list(stub.RunLeague(DETACHED))
    following = other.FollowRun(FOLLOW)
    next(iter(following))
    following.cancel()  # type: ignore[no-untyped-call, unused-ignore]
    *_, last = stub.FollowRun(FOLLOW)
    assert last.deals_done == 10


def test_why_a_detached_run_failed_is_kept_until_the_next_run(
    stub: LeagueStub, other: LeagueStub, pools: FakePools
) -> None:
    pools.void = lambda _: "no memory"
    list(stub.RunLeague(DETACHED))
    while show(other).state == pb.LEAGUE_STATE_RUNNING:
        time.sleep(0.01)
    assert "no memory" in show(other).run_error
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "spring is not being run; its last run ended: deal "):
        list(other.FollowRun(FOLLOW))
    pools.void = lambda _: ""
    *_, last = other.RunLeague(RUN)
    assert last.deals_done == 10
    assert show(stub).run_error == ""


def test_a_detached_run_that_cannot_begin_is_refused_at_once(
    stub: LeagueStub, other: LeagueStub, slow: FakePools
) -> None:
    del slow
    list(stub.RunLeague(DETACHED))
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "is being run already"):
        list(other.RunLeague(DETACHED))
    stub.StopRun(STOP)


class NoPools(FakePools):
    """A referee that cannot start its workers."""

    def __call__(self, bots: Sequence[BotSpec], limits: Limits, **settings: Unpack[PoolSettings]) -> DealPool:
        raise RunError("the scheduler cannot be reached")


def test_a_detached_run_that_cannot_start_its_pool_is_refused_at_once(connect: Connect, spring: pb.LeagueInfo) -> None:
    del spring
    with refused(grpc.StatusCode.ABORTED, "the scheduler cannot be reached"):
        list(connect(referee=NoPools()).RunLeague(DETACHED))


def test_what_is_not_run_cannot_be_followed_or_stopped(stub: LeagueStub, spring: pb.LeagueInfo) -> None:
    del spring
    for call in (lambda: list(stub.FollowRun(FOLLOW)), lambda: stub.StopRun(STOP)):
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "not being run; run it with 'league run spring'"):
            call()
    list(stub.RunLeague(RUN))
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "all its deals have been played"):
        stub.StopRun(STOP)


def test_what_one_server_stores_another_shows(stub: LeagueStub, other: LeagueStub) -> None:
    token = stub.NewToken(pb.NewTokenRequest(name="ann", role=pb.ROLE_AUTHOR))
    assert [each.name for each in other.ListTokens(pb.ListTokensRequest()).tokens] == ["ann"]
    assert token.token
    assert len(other.ListBots(pb.ListBotsRequest()).bots) == 5


def test_a_run_that_begins_after_the_one_that_was_stopped_is_left_alone(spring: pb.LeagueInfo, store_url: str) -> None:
    del spring
    store = Store(store_url)
    league_id = store.leagues.get("spring").id
    first = store.runs.begin(league_id)

    class AnotherBegins(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            del timeout
            store.runs.end(league_id, first)
            store.runs.begin(league_id)  # refused if it is waited for again
            return False

    stop_run(store, "spring", AnotherBegins())
    run = store.runs.last(league_id)
    assert run
    assert (run.alive, run.stopping) == (True, False)
    store.close()
