"""Friendlies: guests who play, who may not, and who misbehave."""

import threading
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import grpc
import psutil
import pytest

from beanleague.games import Record, verify
from beanleague.games.core.moves import Plant
from beanleague.referee import pool as pool_module
from beanleague.referee.messages import MatchTask
from beanleague.seat import Began, Faulted, GuestAsked, GuestSeat, Over
from beanleague.service import tables as tables_module
from beanleague.service.gate import ALLOWANCES, ServerLimits
from beanleague.service.server import embedded
from beanleague.store import Store
from beanleague.wire import PROTOCOL
from beanproto.v1 import league_pb2, referee_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from beanproto.v1.table_pb2 import Invitation, SitRequest
from beanproto.v1.table_pb2_grpc import TableStub
from tests.league.helpers import bundle, contents, keep
from tests.processes import assert_nobody_is_left, started
from tests.service.helpers import Guarded, bearer, guarded, refused

INVALID = grpc.StatusCode.INVALID_ARGUMENT
ABORTED = grpc.StatusCode.ABORTED
MISSING = grpc.StatusCode.NOT_FOUND
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
DULL = """
from beanbot import Bot, run

class Dull(Bot):
    def decide(self, view):
        return view.default()

run(Dull)
"""
INVITATION = SitRequest(invitation=Invitation(ruleset="duel", seats=["", "random"]))
HELLO = SitRequest(message=pb.BotMessage(hello=pb.Hello(protocol=PROTOCOL)))


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[grpc.Channel]:
    """An embedded server with an empty database, and no process left behind."""
    with embedded(f"sqlite:///{tmp_path / 'a.db'}", cache=tmp_path / "cache", trust_bots=True) as channel:
        yield channel
    assert_nobody_is_left()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Guarded]:
    with guarded(tmp_path, allowances=ALLOWANCES) as server:
        yield server


class FakeTable:
    """A table at which nobody plays, until the guest leaves."""

    open: threading.Semaphore
    closed: threading.Semaphore

    def __init__(self, bots: object, limits: object, task: MatchTask, *, cpus: frozenset[int]) -> None:
        self._left = threading.Event()
        self.open.release()

    def send(self, data: bytes) -> None:
        pass

    def read(self) -> Iterator[bytes]:
        self._left.wait(60)
        yield from ()

    def leave(self) -> None:
        self._left.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed.release()


@pytest.fixture
def fake_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeTable.open, FakeTable.closed = threading.Semaphore(0), threading.Semaphore(0)
    monkeypatch.setattr(pool_module, "FriendlyTable", FakeTable)


def play(seat: GuestSeat, choose: Callable[[GuestAsked], Any]) -> tuple[list[object], Record]:
    """Play a match with what `choose` answers; return what was heard before the record, and that."""
    heard: list[object] = []
    for item in seat:
        if isinstance(item, Over):
            return heard, item.record
        heard.append(item)
        if isinstance(item, GuestAsked):
            seat.play(choose(item))
    raise AssertionError("the stream ended without a record")


def sit(channel: grpc.Channel, *messages: SitRequest, silent: bool = True) -> Any:
    """Call with these messages; `silent`: then send no more, else end the stream of messages."""
    ended = threading.Event()

    def requests() -> Iterator[SitRequest]:
        yield from messages
        if silent:
            ended.wait(60)

    call: Any = TableStub(channel).Sit(requests())
    call.add_done_callback(lambda _: ended.set())
    return call


class TestPlaying:
    def test_a_friendly_gives_back_a_record_and_leaves_nothing(self, channel: grpc.Channel, tmp_path: Path) -> None:
        LeagueStub(channel).ListBots(league_pb2.ListBotsRequest())
        with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
            before = contents(store)
            with GuestSeat(channel, "bohnanza-two", ["gardener", ""], seed=b"beans") as seat:
                heard, record = play(seat, lambda asked: asked.view.default())
            assert contents(store) == before
        assert heard[0] == Began("bohnanza-two", 1, ("gardener", "guest"))
        assert (record.players, record.seed, record.faults) == (("gardener", "guest"), b"beans", ())
        assert len([item for item in heard if isinstance(item, GuestAsked)]) > 20
        assert verify(record).problem == ""

    def test_bots_of_a_friendly_keep_to_a_quarter_of_the_cores(
        self, channel: grpc.Channel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cpus = frozenset({max(psutil.Process().cpu_affinity())})
        monkeypatch.setattr(tables_module, "part_of_the_cores", lambda parts: cpus if parts == 4 else None)
        with GuestSeat(channel, "duel", ["", "random"]) as seat:
            assert isinstance(next(item for item in seat if not isinstance(item, Began)), GuestAsked)
            worker, *others = started()
            assert any("bot.py" in each.cmdline() for each in others)
            for each in (worker, *others):
                assert (each.cpu_affinity(), each.nice()) == (list(cpus), psutil.Process().nice() + 5)

    def test_an_unusable_action_is_a_strike_and_one_too_many_forfeits(
        self, channel: grpc.Channel, tmp_path: Path
    ) -> None:
        with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
            keep(store, bundle("own", DULL, ["bohnanza-two"]))
        with GuestSeat(channel, "bohnanza-two", ["own@1", ""]) as seat:
            heard, record = play(seat, lambda _: Plant(99))
        faults = [item for item in heard if isinstance(item, Faulted)]
        assert [fault.forfeited for fault in faults] == [False, False, False, True]
        assert {fault.kind for fault in record.faults} == {"illegal"}
        assert record.players == ("own@1", "guest")
        assert record.places == (1, 2)


class TestHostileGuests:
    def test_a_guest_that_vanishes_ends_its_table(self, channel: grpc.Channel) -> None:
        """The channel's fixture checks that no process is left."""
        call = sit(channel, INVITATION, HELLO)
        assert next(call).message.starts
        assert started()
        call.cancel()
        assert_nobody_is_left()

    def test_a_flood_of_moves_ends_the_table(self, channel: grpc.Channel) -> None:
        flood = SitRequest(message=pb.BotMessage(moves=[pb.Move(match=1, decision=99)] * 2000))
        with refused(ABORTED, "the table has ended: sent 2000 moves that nobody asked for"):
            list(sit(channel, INVITATION, HELLO, flood))

    def test_answers_that_are_late_or_to_nothing_change_nothing(self, channel: grpc.Channel) -> None:
        stray = SitRequest(message=pb.BotMessage(moves=[pb.Move(match=match) for match in range(9)]))
        with refused(ABORTED, "the guest left"):
            for answer in sit(channel, INVITATION, HELLO, stray, HELLO, stray, silent=False):
                assert not answer.message.faults

    def test_nothing_is_played_without_a_hello_in_the_protocol(self, channel: grpc.Channel) -> None:
        hello = SitRequest(message=pb.BotMessage(hello=pb.Hello(protocol=1)))
        with refused(ABORTED, "the bot speaks version 1 of the protocol"):
            list(sit(channel, INVITATION, hello))

    @pytest.mark.usefixtures("fake_tables")
    @pytest.mark.parametrize(
        ("data", "why"),
        [
            (b"\xff\xff\xff", "the request is not a valid message for this call"),
            (
                SitRequest(message=pb.BotMessage(moves=[pb.Move(error="x" * 2**16)])),
                "the maximum for this call is 65,536",
            ),
            (INVITATION, "only messages may follow the invitation"),
            (SitRequest(), "only messages may follow the invitation"),
        ],
        ids=["garbage", "oversize", "second invitation", "nothing"],
    )
    def test_an_unusable_message_ends_the_table(self, server: Guarded, data: SitRequest | bytes, why: str) -> None:
        raw = data if isinstance(data, bytes) else data.SerializeToString()
        call = server.raw("Sit", "Table")
        with refused(INVALID, why):
            list(call(iter([INVITATION.SerializeToString(), raw]), metadata=bearer(server.token("author"))))

    @pytest.mark.usefixtures("fake_tables")
    def test_a_guest_that_takes_nothing_is_hung_up_on(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        large = pb.RefereeMessage(faults=[pb.Fault(reason="x" * 2**20)]).SerializeToString()
        monkeypatch.setattr(FakeTable, "read", lambda _: repeat(large))
        with guarded(tmp_path, limits=ServerLimits(send_s=0.05)) as server:
            call = sit(server.as_caller("author"), INVITATION)
            assert FakeTable.closed.acquire(timeout=60)
            call.cancel()


@pytest.mark.usefixtures("fake_tables")
class TestLimits:
    def test_a_caller_has_two_tables(self, server: Guarded) -> None:
        ann = server.as_caller("ann", "author")
        calls = [sit(ann, INVITATION) for _ in range(2)]
        for _ in calls:
            assert FakeTable.open.acquire(timeout=60)
        with refused(EXHAUSTED, "too many concurrent calls of this kind (2)"):
            list(sit(ann, INVITATION))
        ben = sit(server.as_caller("ben", "author"), INVITATION)
        assert FakeTable.open.acquire(timeout=60)
        for call in (*calls, ben):
            call.cancel()

    def test_a_server_has_so_many_tables(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tables_module, "MAX_TABLES", 1)
        with guarded(tmp_path) as server:
            first = sit(server.as_caller("ann", "author"), INVITATION)
            assert FakeTable.open.acquire(timeout=60)
            with refused(EXHAUSTED, "all 1 tables of this server are taken"):
                list(sit(server.as_caller("ben", "author"), INVITATION))
            first.cancel()

    def test_who_has_most_tables_leaves_one_to_who_has_none(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tables_module, "MAX_TABLES", 2)
        with guarded(tmp_path) as server:
            calls = []
            for who in ("ann", "ann", "ben"):
                calls.append(sit(server.as_caller(who, "author"), INVITATION))
                assert FakeTable.open.acquire(timeout=60)
            with refused(EXHAUSTED, "closed because all tables were taken and you had the most"):
                list(calls[1])
            with refused(EXHAUSTED, "all 2 tables of this server are taken"):
                list(sit(server.as_caller("cid", "author"), INVITATION))
            for call in calls:
                call.cancel()

    def test_viewers_and_strangers_cannot_sit_down(self, server: Guarded) -> None:
        with refused(grpc.StatusCode.PERMISSION_DENIED, "this call is for authors, but vic is a viewer"):
            list(sit(server.as_caller("vic", "viewer"), INVITATION))
        with refused(grpc.StatusCode.UNAUTHENTICATED, "requires a token"):
            list(sit(server.channel, INVITATION))


@pytest.mark.parametrize(
    ("invitation", "status", "why"),
    [
        (Invitation(ruleset="poker"), INVALID, "poker"),
        (Invitation(ruleset="duel", seats=["random"] * 2), INVALID, "exactly one seat must be the guest's, not 0"),
        (Invitation(ruleset="duel", seats=["", ""]), INVALID, "exactly one seat must be the guest's, not 2"),
        (Invitation(ruleset="duel", seats=[""]), INVALID, "duel is for 2 seats, not 1"),
        (Invitation(ruleset="duel", seats=["", "trader"]), INVALID, "trader does not play duel"),
        (Invitation(ruleset="duel", seats=["", "nobody"]), MISSING, "there is no bot 'nobody'"),
        (Invitation(ruleset="duel", seats=["", "random@7"]), MISSING, "there is no bot 'random'"),
        (Invitation(ruleset="duel", seats=["", "Ran dom"]), INVALID, "Ran dom"),
        (Invitation(ruleset="duel", seats=["", "random"], seed=bytes(65)), INVALID, "the seed has 65 bytes"),
        (
            Invitation(ruleset="duel", seats=["", "random"], options={"pace": pb.Option(number=1)}),
            INVALID,
            "duel has no option 'pace'",
        ),
        (
            Invitation(ruleset="bohnanza", seats=["", "random", "random"], options={"max_rounds": pb.Option()}),
            INVALID,
            "an option has no value",
        ),
    ],
    ids=range(11),
)
@pytest.mark.usefixtures("fake_tables")
def test_who_cannot_sit_like_this_hears_why(
    channel: grpc.Channel, invitation: Invitation, status: grpc.StatusCode, why: str
) -> None:
    with refused(status, why):
        list(sit(channel, SitRequest(invitation=invitation)))


@pytest.mark.usefixtures("fake_tables")
def test_the_first_message_is_an_invitation(channel: grpc.Channel) -> None:
    with refused(INVALID, "the first message has no invitation"):
        list(sit(channel, HELLO))
