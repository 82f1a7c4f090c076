"""Every call of the server: whatever a request holds, it is answered or refused for a reason; the log is silent."""

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given, strategies as st

from beanleague.referee.conversation import GUEST_LIMITS, Conversation
from beanleague.service import trials
from beanleague.service.server import embedded
from beanleague.store import Store
from beanleague.wire import record_to_pb
from beanproto.v1 import league_pb2 as pb, referee_pb2, table_pb2
from tests.cli.helpers import played
from tests.databases import TEMPLATE, PostgreSQL
from tests.fuzz.messages import Edit, edits, is_malformed
from tests.fuzz.mutations import FEW
from tests.league.fakepool import FakePools, play
from tests.league.helpers import SECRET, bundle, keep

TIMEOUT_S = 60.0
MOST_ANSWERS = 3  # of a stream that are waited for
REFUSALS = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.PERMISSION_DENIED,
}
METHODS = {
    method.name: method
    for file, service in ((pb, "League"), (table_pb2, "Table"))
    for method in file.DESCRIPTOR.services_by_name[service].methods
}
KNOWN = (
    "spring",
    "climb",
    "bot0",
    "bot1@1",
    "bot2",
    "bohnanza",
    "duel",
    "spring/1.0",
    "spring/2.1",
    "ann",
    "max_rounds",
)
RECORD = record_to_pb(played())
LIMITS = pb.Limits(move_ms=5)
OPTION = pb.OptionValue(name="max_rounds", number=2)
VALID: dict[str, Sequence[Message]] = {
    "NewToken": [pb.NewTokenRequest(name="cid", role=pb.ROLE_VIEWER, days=1)],
    "RevokeToken": [pb.RevokeTokenRequest(name="ann")],
    "TryBot": [pb.TryBotRequest(bundle=bundle("bot0"), submit=True)],
    "ShowBot": [pb.ShowBotRequest(name="bot0")],
    "ShowTrial": [pb.ShowTrialRequest(name="bot0", version=1)],
    "BotLogs": [pb.BotLogsRequest(name="bot0", league="spring"), pb.BotLogsRequest(name="bot0", match="spring/1.0")],
    "HideBot": [pb.HideBotRequest(name="bot2")],
    "CreateLeague": [
        pb.CreateLeagueRequest(name="new", ruleset="bohnanza", seats=3, bots=["bot0", "bot1@1", "bot2"], deals=2),
        pb.CreateLeagueRequest(name="new", ruleset="bohnanza", repeats=1, options=[OPTION], limits=LIMITS),
        pb.CreateLeagueRequest(name="new", ruleset="bohnanza", deals=2, gauntlet="bot0", anchor="bot1", secret=SECRET),
    ],
    "RunLeague": [pb.RunLeagueRequest(name="spring", workers=1, in_flight=1), pb.RunLeagueRequest(name="climb")],
    "FollowRun": [pb.FollowRunRequest(name="spring")],
    "StopRun": [pb.StopRunRequest(name="spring")],
    "ShowLeague": [pb.ShowLeagueRequest(name="spring", nodes=True)],
    "AddBots": [pb.AddBotsRequest(league="spring", bots=["bot3"], deals=3)],
    "SuspendBot": [pb.SuspendBotRequest(league="spring", bot="bot0", reason="rest", for_good=True)],
    "LiftSuspension": [pb.LiftSuspensionRequest(league="spring", bot="bot0")],
    "HideLeague": [pb.HideLeagueRequest(name="spring", show=True)],
    "Standings": [pb.StandingsRequest(league="spring"), pb.StandingsRequest(league="climb")],
    "Ratings": [
        pb.RatingsRequest(league="spring", history_of=pb.Entrant(bot="bot0", version=1)),
        pb.RatingsRequest(league="spring", matrix=pb.MatrixWindow(rows=2, columns=2)),
    ],
    "VerifyLeague": [pb.VerifyLeagueRequest(league="spring", workers=1, no_replay=True)],
    "Integrity": [pb.IntegrityRequest(league="spring")],
    "Compare": [pb.CompareRequest(a="bot0", b="bot1", ruleset="bohnanza", seats=3, fillers=["bot2"], workers=1)],
    "ListDeals": [pb.ListDealsRequest(league="spring", limit=2, after=1)],
    "ListMatches": [pb.ListMatchesRequest(league="spring", bot="bot0", deal=1, limit=2, after="spring/1.0")],
    "GetMatch": [pb.GetMatchRequest(match="spring/1.0")],
    "PinMatch": [pb.PinMatchRequest(match="climb/1.0")],
    "AnalyseMatch": [pb.AnalyseMatchRequest(match="spring/1.0"), pb.AnalyseMatchRequest(record=RECORD, move=0)],
    "ReportBot": [pb.ReportBotRequest(league="spring", bot="bot0", against="bot1")],
    "ShowPair": [pb.ShowPairRequest(league="spring", a="bot0", b="bot1", by=pb.MEASURE_DOLLARS, limit=2)],
    "ThinkingTimes": [pb.ThinkingTimesRequest(name="bot0", league="spring")],
    "CreateLadder": [pb.CreateLadderRequest(name="hill", ruleset="bohnanza", seats=3, without_house_bots=True)],
    "ShowLadder": [pb.ShowLadderRequest(name="climb")],
    "LadderStatus": [pb.LadderStatusRequest(ladder="climb", bot="bot0"), pb.LadderStatusRequest(owner="ann")],
    "SetLadder": [pb.SetLadderRequest(name="climb", state=pb.LADDER_STATE_PAUSED, reason="rest")],
    "EnterLadder": [pb.EnterLadderRequest(name="climb", bot="bot3")],
    "LeaveLadder": [pb.LeaveLadderRequest(name="climb", bot="bot0")],
    "Sit": [
        table_pb2.SitRequest(invitation=table_pb2.Invitation(ruleset="bohnanza", seats=["", "bot0", "bot1"], seed=b"s"))
    ],
}
"""Requests that would be granted, for the calls that take any field."""


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def channel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[grpc.Channel]:
    """A server with bots, a league that was played, a ladder and a token. No process is started for anything."""
    home = tmp_path_factory.mktemp("calls")
    url = f"sqlite:///{home / 'a.db'}"
    if request.param == "postgresql":
        server: PostgreSQL = request.getfixturevalue("postgresql")
        url = server.url(server.create(TEMPLATE))
    with Store(url) as store:
        for number in range(4):
            keep(store, bundle(f"bot{number}"))
        store.tokens.new("ann", "author", None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "output_of", lambda *_: "1")
        patch.setattr("beanleague.referee.pool.FriendlyTable", _no_table)
        with embedded(url, cache=home / "cache", start_pool=FakePools(play)) as channel:
            for name, asked in (
                ("CreateLeague", pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", seats=3, deals=4)),
                ("RunLeague", pb.RunLeagueRequest(name="spring", workers=1)),
                ("CreateLadder", pb.CreateLadderRequest(name="climb", ruleset="bohnanza", without_house_bots=True)),
                ("EnterLadder", pb.EnterLadderRequest(name="climb", bot="bot0")),
            ):
                assert ended(channel, METHODS[name], asked) is None
            yield channel


def _no_table(*_: object, **__: object) -> None:
    raise OSError("there is no room for a table here")


def ended(channel: grpc.Channel, method: MethodDescriptor, *requests: Message) -> grpc.RpcError | None:
    """Make a call; return how it was refused, None if it was not. Streams are left after some answers."""
    path = f"/{method.containing_service.full_name}/{method.name}"
    answer = GetMessageClass(method.output_type)
    call = channel.stream_stream(path, lambda request: request.SerializeToString(), answer.FromString)
    answers = call(iter(requests), timeout=TIMEOUT_S)
    try:
        for _ in zip(range(MOST_ANSWERS), answers, strict=False):
            pass
    except grpc.RpcError as error:
        return error
    answers.cancel()  # type: ignore[no-untyped-call]
    return None


@contextmanager
def silent_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    caplog.clear()
    yield
    assert not [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("name", METHODS)
def test_a_call_is_answered_or_refused_with_a_reason(
    name: str, channel: grpc.Channel, caplog: pytest.LogCaptureFixture
) -> None:
    method = METHODS[name]
    empty = GetMessageClass(method.input_type)
    valid = VALID.get(name, [empty()])

    @FEW
    @given(base=st.sampled_from(range(len(valid) + 1)), changes=edits(method.input_type, KNOWN))
    def call(base: int, changes: list[Edit]) -> None:
        request = empty()
        if base < len(valid):
            request.CopyFrom(valid[base])
        for change in changes:
            change.apply(request)
        with silent_log(caplog):
            refused = ended(channel, method, request)
        code: Any = refused and refused.code()
        assert code is None or code in REFUSALS, refused
        if is_malformed(request):
            assert code is grpc.StatusCode.INVALID_ARGUMENT, refused

    call()


def test_every_call_that_takes_anything_has_a_request_to_begin_with() -> None:
    assert {name for name, method in METHODS.items() if method.input_type.fields} == VALID.keys() | {
        "ListBots",
        "ListLeagues",
    }


class Listening:
    """A table that reads what a guest sends as the referee does, and at which nobody plays."""

    def __init__(self, *_: object, **__: object) -> None:
        self._left = threading.Event()
        self._conversation = Conversation(GUEST_LIMITS, lambda: 0.0, lambda: 0.0, lambda: None, lambda: None)

    def send(self, data: bytes) -> None:
        self._conversation.read(referee_pb2.BotMessage.FromString(data))

    def read(self) -> Iterator[bytes]:
        assert self._left.wait(TIMEOUT_S)
        yield from ()

    def leave(self) -> None:
        self._left.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_whatever_a_guest_sends_its_table_ends_for_a_reason(
    channel: grpc.Channel, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("beanleague.referee.pool.FriendlyTable", Listening)
    method = METHODS["Sit"]

    @FEW
    @given(messages=st.lists(edits(method.input_type, KNOWN), max_size=4))
    def sit(messages: list[list[Edit]]) -> None:
        requests = [*VALID["Sit"]]
        for changes in messages:
            requests.append(table_pb2.SitRequest())
            for change in changes:
                change.apply(requests[-1])
        with silent_log(caplog):
            refused: Any = ended(channel, method, *requests)
        assert refused.code() in {*REFUSALS, grpc.StatusCode.ABORTED}, refused

    sit()
