"""Runs of leagues: progress, Ctrl-C, the end of a server, and several servers over one database."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack

import grpc
import pytest

from beanleague.league.errors import RunError
from beanleague.league.run.progress import Progress, RunState
from beanleague.league.standings import Standing
from beanleague.league.uses.runs import stop_run
from beanleague.model import Entrant, Rating, Totals
from beanleague.referee.deal_pool import DealPool
from beanleague.referee.messages import BotSpec, Limits, MatchTask, PoolSettings
from beanleague.service.endpoint import ServiceError
from beanleague.service.running import Feed, follow
from beanleague.service.server import embedded, served
from beanleague.store import Store
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools
from tests.league.helpers import bundle
from tests.service.conftest import Connect
from tests.service.helpers import refused, submit
from tests.waiting import TIMEOUT_S, ending, until

RUN = pb.RunLeagueRequest(name="spring", workers=1, in_flight=4)
SERVE = """
import sys
from beanleague.service.server import served, until_interrupted
with until_interrupted() as wait, served("127.0.0.1:0", sys.argv[1]) as serving:
    print(serving.address, flush=True)
    wait()
print("ended", flush=True)
"""

SIGNALLED = """
import signal, sys, threading, time
from beanleague.service.server import until_interrupted
def waits(frame):
    return frame and (frame.f_code.co_name == "wait" or waits(frame.f_back))
def end():
    while not waits(sys._current_frames()[threading.main_thread().ident]):
        time.sleep(0.01)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
with until_interrupted() as wait:
    threading.Thread(target=end).start()
    wait()
print("ended", flush=True)
"""


class Gate:
    """Lets matches be played up to a number, and holds up the next until it is opened."""

    def __init__(self, free: int = 0) -> None:
        self.free = free
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self, _: MatchTask) -> None:
        self.free -= 1
        if self.free < 0:
            self.reached.set()
            assert self.opened.wait(60)


@pytest.fixture
def gate(pools: FakePools) -> Iterator[Gate]:
    """Holds up every match."""
    gate = Gate()
    pools.before = gate
    yield gate
    gate.opened.set()


def submit_three(stub: LeagueStub) -> None:
    """Submit three bots, whose trials must not be held up."""
    for number in range(3):
        submit(stub, bundle(f"bot{number}"))
    stub.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", deals=40))


def state(stub: LeagueStub) -> pb.LeagueState.ValueType:
    return stub.ShowLeague(pb.ShowLeagueRequest(name="spring")).state


def wait_until_stopped(stub: LeagueStub) -> None:
    until(lambda: state(stub) != pb.LEAGUE_STATE_RUNNING)


class TestRunning:
    def test_cancelling_the_call_stops_the_run_and_what_was_played_stays(
        self, stub: LeagueStub, pools: FakePools
    ) -> None:
        submit_three(stub)
        pools.before = gate = Gate(60)
        call = stub.RunLeague(RUN)
        assert gate.reached.wait(60)
        assert state(stub) == pb.LEAGUE_STATE_RUNNING
        call.cancel()  # type: ignore[no-untyped-call, unused-ignore]
        pools.before = lambda _: time.sleep(0.05)  # so that word of it comes before the league's end
        gate.opened.set()
        wait_until_stopped(stub)
        info = stub.ShowLeague(pb.ShowLeagueRequest(name="spring"))
        assert info.state == pb.LEAGUE_STATE_STOPPED
        assert 0 < info.deals_done < 40
        assert pools.started == pools.closed
        pools.before = lambda _: None
        *_, last = stub.RunLeague(RUN)
        assert (last.deals_done, last.deals_played) == (40, 40 - info.deals_done)

    def test_two_leagues_are_run_at_the_same_time(self, stub: LeagueStub, pools: FakePools) -> None:
        submit_three(stub)
        stub.CreateLeague(pb.CreateLeagueRequest(name="autumn", ruleset="bohnanza", deals=4))
        pools.before = gate = Gate()
        spring = stub.RunLeague(RUN)
        assert gate.reached.wait(60)
        pools.before = lambda _: None
        *_, last = stub.RunLeague(pb.RunLeagueRequest(name="autumn", workers=1))
        assert last.state == pb.RUN_STATE_DONE
        gate.opened.set()
        *_, last = spring
        assert last.deals_done == 40

    def test_a_run_that_cannot_go_on_says_why(self, stub: LeagueStub, pools: FakePools) -> None:
        submit_three(stub)
        pools.void = lambda _: "no memory"
        with refused(grpc.StatusCode.ABORTED, "no memory"):
            list(stub.RunLeague(RUN))
        assert state(stub) == pb.LEAGUE_STATE_CREATED

    def test_the_end_of_the_server_stops_its_runs(self, tmp_path: Path) -> None:
        pools, url = FakePools(), f"sqlite:///{tmp_path / 'a.db'}"
        with embedded(url, cache=tmp_path / "cache", start_pool=pools) as channel:
            stub = LeagueStub(channel)
            submit_three(stub)
            pools.before = gate = Gate()
            call = stub.RunLeague(RUN)
            assert gate.reached.wait(60)
            threading.Timer(0.05, gate.opened.set).start()
        assert pools.started == pools.closed
        with pytest.raises(grpc.RpcError):
            list(call)
        with Store(url) as store:
            assert store.runs.running() == frozenset()

    def test_with_a_cluster_runs_are_played_there_and_trials_here(self, tmp_path: Path) -> None:
        here, there = FakePools(), FakePools()
        url = f"sqlite:///{tmp_path / 'a.db'}"
        with embedded(url, cache=tmp_path / "cache", start_pool=here, run_pool=there) as channel:
            stub = LeagueStub(channel)
            submit_three(stub)
            trials = here.played
            *_, last = stub.RunLeague(RUN)
            assert (trials > 0, here.played, there.played) == (True, trials, last.matches_played)


def progress(deals: int, *, standings: tuple[Standing, ...] | None = None) -> Progress:
    return Progress(RunState.PLAYING, deals, 9, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, None, 0, standings)


class TestFeed:
    def test_a_slow_listener_gets_the_newest_with_the_last_standings(self) -> None:
        standing = Standing(1, Entrant(0, 1, "ann", 1), Rating(0, 1500, None, 1, 1), Totals(0, 0, 0, 0, 0, 0, 0, 0))
        feed = Feed()
        feed.put(progress(1, standings=(standing,)))
        feed.put(progress(2))
        feed.end()
        assert list(feed) == [progress(2, standings=(standing,))]

    def test_an_error_comes_after_the_last_word(self) -> None:
        feed, reports = Feed(), list[Progress]()

        def fail() -> None:
            feed.put(progress(1))
            raise RunError("no beans")

        with pytest.raises(RunError, match="no beans"):
            reports.extend(follow(fail, feed))
        assert reports == [progress(1)]


class TestServing:
    @pytest.mark.parametrize(
        ("address", "message"),
        [
            ("nowhere", "'nowhere' is not an address; write host:port"),
            ("127.0.0.1:x", "is not an address"),
            ("127.0.0.1:70000", "is not an address"),
            (
                "0.0.0.0:7411",
                "0.0.0.0:7411 is reachable from other machines, so it needs a certificate: --tls-cert and --tls-key",
            ),
            ("[::]:7411", "is reachable from other machines"),
            ("example.org:7411", "is reachable from other machines"),
        ],
    )
    def test_addresses_that_will_not_do(self, tmp_path: Path, address: str, message: str) -> None:
        url = f"sqlite:///{tmp_path / 'a.db'}"
        with pytest.raises(ServiceError, match=message.replace("[", r"\[")), served(address, url):
            pass

    def test_an_address_that_is_taken(self, tmp_path: Path) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            message, url = f"cannot listen at {address}; another server may use it", f"sqlite:///{tmp_path / 'a.db'}"
            with pytest.raises(ServiceError, match=message), served(address, url):
                pass

    def test_a_bad_database_is_an_error_before_anything_is_served(self, tmp_path: Path) -> None:
        (tmp_path / "a.db").write_text("a letter" * 1000)
        url = f"sqlite:///{tmp_path / 'a.db'}"
        with pytest.raises(ServiceError, match="is not a database"), served("127.0.0.1:0", url):
            pass

    def test_a_signal_that_another_thread_gets_ends_it_too(self) -> None:
        line = [sys.executable, "-c", SIGNALLED]
        assert subprocess.run(line, capture_output=True, text=True, timeout=60, check=True).stdout == "ended\n"

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_a_server_answers_many_until_a_signal_ends_it(self, tmp_path: Path, number: signal.Signals) -> None:
        words = [sys.executable, "-c", SERVE, f"sqlite:///{tmp_path / 'a.db'}"]
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
        with ending(subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)) as process:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            for _ in range(2):
                with grpc.insecure_channel(address) as channel:
                    assert not LeagueStub(channel).ListBots(pb.ListBotsRequest()).bots
            process.send_signal(number)
            assert process.stdout.read() == "ended\n"
            assert process.wait(TIMEOUT_S) == 0


def test_an_embedded_server_can_be_reached_by_its_user_only(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        connect()
        (home,) = Path(folder).glob("beanleague-*")
        assert home.stat().st_mode & 0o077 == 0
        assert (home / "service").is_socket()


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
    until(lambda: show(other).state != pb.LEAGUE_STATE_RUNNING)
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
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "is already being run"):
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


def test_idle_leagues_cannot_be_followed_or_stopped(stub: LeagueStub, spring: pb.LeagueInfo) -> None:
    del spring
    for call in (lambda: list(stub.FollowRun(FOLLOW)), lambda: stub.StopRun(STOP)):
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "not being run; run it with 'league run spring'"):
            call()
    list(stub.RunLeague(RUN))
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "all its deals have been played"):
        stub.StopRun(STOP)


def test_results_stored_by_one_server_are_shown_by_another(stub: LeagueStub, other: LeagueStub) -> None:
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
