"""What is sent by those who may not, who ask too much, or who send nonsense."""

import re
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from beanleague.service import gate as gate_module, rulesets
from beanleague.service.access import Access, Caller, Cost, RefusedCallError, Role
from beanleague.service.gate import ALLOWANCES, Allowance, LastingCalls, ServerLimits, Throttle
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.service.helpers import Guarded, bearer, check, code, guarded, refused
from tests.waiting import until

EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
SLOW = Allowance(rate=0.001, burst=3, open=10)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Guarded]:
    with guarded(tmp_path) as server:
        yield server


def never(ended: threading.Event) -> Iterator[bytes]:
    """A request that does not come."""
    ended.wait(60)
    yield from ()


def test_strangers_are_sent_away_before_their_request_is_read(server: Guarded) -> None:
    """Else a few slow ones would keep everybody from being served: more of them wait here than calls are served."""
    ended = threading.Event()
    try:
        for _ in range(80):
            with refused(grpc.StatusCode.UNAUTHENTICATED, "requires a token"):
                list(server.raw("ListBots")(never(ended)))
        with refused(grpc.StatusCode.PERMISSION_DENIED, "this call is for organisers"):
            list(server.raw("CreateLeague")(never(ended), metadata=bearer(server.token("viewer"))))
    finally:
        ended.set()


class Slow:
    """Callers whose requests do not come."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ended = threading.Event()
        self._let_in = threading.Semaphore(0)
        self.calls: list[Any] = []
        within = gate_module.within

        def within_and_tell(timeout_s: float, context: grpc.ServicerContext) -> AbstractContextManager[None]:
            self._let_in.release()
            return within(timeout_s, context)

        monkeypatch.setattr(gate_module, "within", within_and_tell)

    def call(self, server: Guarded, name: str, times: int) -> None:
        """Call, and return when the server waits for the requests."""
        for _ in range(times):
            self.calls.append(server.raw("ListBots")(never(self._ended), metadata=bearer(server.token(name))))
        for _ in range(times):
            assert self._let_in.acquire(timeout=60)

    def end(self) -> None:
        """Hang up, and return when all the calls are over."""
        self._ended.set()
        for call in self.calls:
            with refused(grpc.StatusCode.INVALID_ARGUMENT, "the call has no request message"):
                list(call)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    slow = Slow(monkeypatch)
    yield slow
    slow._ended.set()


def test_slow_requests_of_a_caller_count_as_calls_under_way(tmp_path: Path, slow: Slow) -> None:
    with guarded(tmp_path, allowances={Cost.READ: Allowance(100, 100, 2)}) as server:
        slow.call(server, "viewer", 2)
        with refused(EXHAUSTED, "too many concurrent calls of this kind (2)"):
            server.stub("viewer").ListBots(pb.ListBotsRequest())
        server.stub("organiser").ListBots(pb.ListBotsRequest())
        slow.end()
        server.stub("viewer").ListBots(pb.ListBotsRequest())


def test_requests_that_never_arrive_are_not_waited_for_for_ever(
    tmp_path: Path, slow: Slow, caplog: pytest.LogCaptureFixture
) -> None:
    allowances = {Cost.READ: Allowance(1e6, 10**6, 1)}
    with guarded(tmp_path, allowances=allowances, limits=ServerLimits(request_s=0.2)) as server:
        slow.call(server, "viewer", 1)
        with refused(grpc.StatusCode.CANCELLED, ""):
            list(slow.calls[0])

        def answered() -> bool:
            try:
                server.stub("viewer").ListBots(pb.ListBotsRequest())
            except grpc.RpcError as error:
                if code(error) not in (EXHAUSTED, grpc.StatusCode.CANCELLED):  # or this machine was too slow
                    raise
                return False
            return True

        until(answered)  # its place is free as soon as the server has seen that it is over
        assert not caplog.records


def test_so_many_calls_are_answered_at_a_time(tmp_path: Path, slow: Slow) -> None:
    own = [("grpc.use_local_subchannel_pool", 1)]  # a connection has as many calls, and lets others wait
    with (
        guarded(tmp_path, limits=ServerLimits(threads=2)) as server,
        grpc.insecure_channel(server.address, own) as another,
    ):
        slow.call(server, "viewer", 2)
        with refused(EXHAUSTED, "Concurrent RPC limit exceeded!"):
            LeagueStub(another).ListBots(pb.ListBotsRequest(), metadata=bearer(server.token("organiser")))
        slow.end()


@pytest.mark.parametrize("request_bytes", [b"\xff\xff\xff", b"\x0a\x05bean", b"\x0a\x02\xff\xfe", b"\x0b"])
def test_a_malformed_request_is_refused(
    server: Guarded, request_bytes: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    metadata = bearer(server.token("organiser"))
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "the request is not a valid message for this call"):
        list(server.raw("CreateLeague")(iter([request_bytes]), metadata=metadata))
    assert not caplog.records


def test_messages_have_a_largest_size(server: Guarded) -> None:
    with refused(EXHAUSTED, "larger than max"):
        check(server.stub("author"), bytes(8 * 2**20))
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "the request has 70,004 bytes; the maximum for this call is 65,536"):
        server.stub("viewer").ShowBot(pb.ShowBotRequest(name="x" * 70_000))
    report = check(server.stub("author"), bytes(7 * 2**20))
    assert "5 MiB" in report.problems[0].what


@pytest.mark.parametrize("letter", ["x", "ü", "🫘"])
def test_a_message_that_repeats_a_long_request_is_cut(server: Guarded, letter: str) -> None:
    """gRPC would drop it whole, and tell of metadata that is too large."""
    with pytest.raises(grpc.RpcError) as error:
        server.stub("viewer").ShowBot(pb.ShowBotRequest(name=letter * 15_000))
    assert code(error.value) is grpc.StatusCode.NOT_FOUND
    assert (error.value.details() or "").startswith(f"there is no bot '{letter * 100}")


def test_unknown_calls_are_unimplemented(server: Guarded) -> None:
    with refused(grpc.StatusCode.UNIMPLEMENTED, "not found"):
        list(server.raw("Harvest")(iter([b""]), metadata=bearer(server.token("organiser"))))


def test_a_bug_of_ours_is_shown_as_an_id_whose_details_are_in_the_log(
    server: Guarded, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("the secret of the league")

    monkeypatch.setattr(rulesets, "list_rulesets", broken)
    ids = set()
    for _ in range(2):
        with pytest.raises(grpc.RpcError) as error:
            server.stub("viewer").ListRulesets(pb.ListRulesetsRequest())
        assert error.value.code() is grpc.StatusCode.INTERNAL
        start, _, number = (error.value.details() or "").rpartition(" ")
        assert start == "this is a bug in beanleague; the server's log has the details: error"
        assert f"error {number}: /beanproto.v1.League/ListRulesets failed unexpectedly" in caplog.text
        ids.add(number)
    assert len(ids) == 2
    assert "ZeroDivisionError: the secret of the league" in caplog.text


def test_threads_are_left_for_reads_whatever_else_is_under_way() -> None:
    def context() -> Any:
        return Context("ipv4:192.0.2.7:80")

    def answer(request: Message, _: grpc.ServicerContext) -> Message:
        return request

    gate = gate_module.Gate(Access(None), Throttle({}), ServerLimits(threads=4), lambda: None)
    handler = grpc.unary_unary_rpc_method_handler(answer, pb.ListBotsRequest.FromString)

    def call(name: str) -> Iterator[Message]:
        return gate.admitted(f"/beanleague/{name}", handler, iter([b""]), context())

    under_way = [call("ShowPair") for _ in range(2)]
    for begun in under_way:
        next(begun)
    with pytest.raises(RefusedCallError, match="too many long-running calls"):
        next(call("ShowPair"))
    next(call("ListBots"))
    under_way.pop().close()  # type: ignore[attr-defined]
    next(call("ShowPair"))


class Context:
    """What the gate asks of the context of a call."""

    def __init__(self, peer: str) -> None:
        self.peer = lambda: peer
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def invocation_metadata(self) -> tuple[()]:
        return ()


class TestLastingCalls:
    @pytest.fixture
    def under_way(self) -> Iterator[ExitStack]:
        with ExitStack() as stack:
            yield stack

    @staticmethod
    def begin(
        under_way: ExitStack, room: LastingCalls, name: str, role: Role = Role.AUTHOR, times: int = 1
    ) -> list[Any]:
        """Begin calls of a token; return their contexts."""
        begun: list[Any] = [Context("ipv4:192.0.2.7:80") for _ in range(times)]
        for context in begun:
            under_way.enter_context(room.admit(Caller(name, role), context))
        return begun

    def test_the_newest_of_who_has_most_is_cancelled_for_who_has_fewer(self, under_way: ExitStack) -> None:
        room = LastingCalls(8)
        many = self.begin(under_way, room, "ann", times=4)
        self.begin(under_way, room, "bob")
        assert [call.cancelled for call in many] == [False, False, False, True]
        with pytest.raises(RefusedCallError, match="too many long-running calls"):
            self.begin(under_way, room, "ann")

    def test_who_has_one_call_loses_it_to_nobody(self, under_way: ExitStack) -> None:
        room = LastingCalls(4)
        calls = [*self.begin(under_way, room, "ann"), *self.begin(under_way, room, "bob")]
        with pytest.raises(RefusedCallError, match="too many long-running calls"):
            self.begin(under_way, room, "cat")
        assert not any(call.cancelled for call in calls)

    def test_calls_that_do_not_end_when_they_are_cancelled_leave_a_quarter_of_the_threads(
        self, under_way: ExitStack
    ) -> None:
        room = LastingCalls(16)
        self.begin(under_way, room, "ann", times=8)
        for number in range(4):
            self.begin(under_way, room, f"author {number}")
        with pytest.raises(RefusedCallError, match="too many long-running calls"):
            self.begin(under_way, room, "one more")

    def test_those_of_organisers_stay(self, under_way: ExitStack) -> None:
        room = LastingCalls(8)
        runs = self.begin(under_way, room, "olga", Role.ORGANISER, times=4)
        with pytest.raises(RefusedCallError, match="too many long-running calls"):
            self.begin(under_way, room, "ann")
        assert not any(run.cancelled for run in runs)


class TestLimits:
    def test_who_calls_too_often_must_wait_and_others_are_served(self, tmp_path: Path) -> None:
        with guarded(tmp_path, allowances={Cost.READ: SLOW}) as server:
            ann = server.stub("ann", "viewer")
            for _ in range(3):
                ann.ListBots(pb.ListBotsRequest())
            with pytest.raises(grpc.RpcError) as error:
                ann.ListBots(pb.ListBotsRequest())
            assert error.value.code() is EXHAUSTED
            assert "you have made too many calls; try again in" in (error.value.details() or "")
            (hint,) = [entry.value for entry in error.value.trailing_metadata() if entry.key == "retry-after-ms"]
            assert 0 < int(hint) <= 1_000_000
            server.stub("ben", "viewer").ListBots(pb.ListBotsRequest())

    def test_strangers_are_limited_by_their_address_and_stand_in_nobodys_way(self, tmp_path: Path) -> None:
        with guarded(tmp_path, allowances={Cost.READ: SLOW}) as server:
            stranger = LeagueStub(server.channel)
            for _ in range(3):
                with refused(grpc.StatusCode.UNAUTHENTICATED, "requires a token"):
                    stranger.ListBots(pb.ListBotsRequest())
            with refused(EXHAUSTED, "too many calls"):
                stranger.ListBots(pb.ListBotsRequest())
            server.stub("viewer").ListBots(pb.ListBotsRequest())


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


FEW = {Cost.READ: Allowance(2.0, 3, 10), Cost.WORK: Allowance(100.0, 100, 1)}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def throttle(clock: Clock) -> Throttle:
    """Two calls a second after a burst of three looks; one piece of work at a time."""
    return Throttle(FEW, clock)


def calls(throttle: Throttle, times: int, who: str = "ann", cost: Cost = Cost.READ) -> int:
    """How many of so many calls in a row are let in."""
    admitted = 0
    for _ in range(times):
        try:
            with throttle.admit(who, cost):
                admitted += 1
        except RefusedCallError:
            continue
    return admitted


def test_after_a_burst_the_rate_holds(throttle: Throttle, clock: Clock) -> None:
    assert calls(throttle, 10) == 3
    clock.now += 0.4
    assert calls(throttle, 10) == 0
    clock.now += 0.1
    assert calls(throttle, 10) == 1
    clock.now += 1.0
    assert calls(throttle, 10) == 2


def test_a_long_pause_gives_no_more_than_a_burst(throttle: Throttle, clock: Clock) -> None:
    calls(throttle, 10)
    clock.now += 10_000
    assert calls(throttle, 10) == 3


def test_a_refusal_says_how_long_to_wait_and_costs_nothing(throttle: Throttle, clock: Clock) -> None:
    calls(throttle, 10)
    message = re.escape("too many calls; try again in 0.5 seconds")
    with pytest.raises(RefusedCallError, match=message) as error, throttle.admit("ann", Cost.READ):
        pass
    assert error.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert error.value.wait == pytest.approx(0.5)
    clock.now += 0.5
    assert calls(throttle, 1) == 1


def test_callers_and_costs_do_not_count_for_each_other(throttle: Throttle) -> None:
    calls(throttle, 10)
    assert calls(throttle, 10, "ben") == 3
    assert calls(throttle, 10, "ann", Cost.WORK) == 10


def test_so_many_at_once_and_room_again_when_one_ends_or_fails(throttle: Throttle) -> None:
    with ExitStack() as first:
        first.enter_context(throttle.admit("ann", Cost.WORK))
        assert calls(throttle, 3, cost=Cost.WORK) == 0
        with pytest.raises(RefusedCallError, match=re.escape("too many concurrent calls of this kind (1)")) as error:
            first.enter_context(throttle.admit("ann", Cost.WORK))
        assert error.value.wait is None
        assert calls(throttle, 1, "ben", Cost.WORK) == 1
    assert calls(throttle, 1, cost=Cost.WORK) == 1
    with pytest.raises(ZeroDivisionError), throttle.admit("ann", Cost.WORK):
        raise ZeroDivisionError
    assert calls(throttle, 1, cost=Cost.WORK) == 1


def test_calls_without_an_allowance_are_unlimited(throttle: Throttle) -> None:
    assert calls(throttle, 1000, cost=Cost.RUN) == 1000


def test_callers_who_owe_nothing_are_forgotten_and_the_others_not(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many addresses somebody has, memory is bounded by those of the last seconds."""
    monkeypatch.setattr(gate_module, "_MAX_ACCOUNTS", 50)
    throttle = Throttle(FEW, clock)
    for number in range(49):
        calls(throttle, 1, f"peer {number}")
    clock.now += 10
    calls(throttle, 10, "ann")
    with throttle.admit("ben", Cost.READ):
        assert len(throttle._accounts) == 2
        clock.now += 10
        for number in range(200):
            calls(throttle, 1, f"other {number}")
            clock.now += 10
        assert len(throttle._accounts) <= 50
        assert ("ben", Cost.READ) in throttle._accounts


def test_every_cost_is_limited_on_a_server() -> None:
    assert set(ALLOWANCES) == set(Cost)
    assert ALLOWANCES[Cost.WORK].rate < ALLOWANCES[Cost.READ].rate
    assert all(a.rate > 0 and a.burst >= 1 and a.open >= 1 for a in ALLOWANCES.values())
