"""Who may do what."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from beanleague.service.access import RULES, Cost, Role
from beanleague.service.server import embedded
from beanleague.store import Store
from beanproto.v1 import league_pb2 as pb, table_pb2
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools
from tests.league.helpers import bundle
from tests.service import helpers
from tests.service.helpers import Guarded, code, guarded, refused

CALLS = pb.DESCRIPTOR.services_by_name["League"].methods_by_name
OF_TABLES = table_pb2.DESCRIPTOR.services_by_name["Table"].methods_by_name
FOR_AUTHORS = {"EnterLadder", "LeaveLadder", "HideBot", "TryBot", "BotLogs", "AnalyseMatch", "ReportBot"}
FOR_ORGANISERS = {
    "Backup",
    "NewToken",
    "ListTokens",
    "RevokeToken",
    "CreateLeague",
    "RunLeague",
    "StopRun",
    "AddBots",
    "LiftSuspension",
    "SuspendBot",
    "HideLeague",
    "PinMatch",
    "VerifyLeague",
    "Compare",
    "Integrity",
    "CreateLadder",
    "SetLadder",
}
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
DENIED = grpc.StatusCode.PERMISSION_DENIED


@pytest.fixture
def pools() -> FakePools:
    return FakePools()


@pytest.fixture
def server(tmp_path: Path, pools: FakePools) -> Iterator[Guarded]:
    with guarded(tmp_path, pools=pools) as server:
        yield server


def submit(stub: LeagueStub, name: str, code: str = "") -> pb.SubmittedBot:
    return helpers.submit(stub, bundle(name, code))


def called(stub: LeagueStub, call: str) -> grpc.StatusCode:
    """How a call with an empty request ends."""
    request: Message = getattr(pb, CALLS[call].input_type.name)()
    try:
        answer: Any = getattr(stub, call)(request)
        if not isinstance(answer, Message):
            list(answer)
    except grpc.RpcError as error:
        return code(error)
    return grpc.StatusCode.OK


def test_an_author_hides_only_their_own_bots(server: Guarded) -> None:
    ann, ben = server.stub("ann", "author"), server.stub("ben", "author")
    submit(ann, "plum")
    with refused(DENIED, "plum belongs to ann"):
        ben.HideBot(pb.HideBotRequest(name="plum"))
    assert ann.HideBot(pb.HideBotRequest(name="plum")).hidden
    assert not ben.ListBots(pb.ListBotsRequest()).bots
    assert not ann.HideBot(pb.HideBotRequest(name="plum", show=True)).hidden
    assert [bot.name for bot in ben.ListBots(pb.ListBotsRequest()).bots] == ["plum"]


class TestRoles:
    def test_every_call_of_the_service_has_a_rule(self) -> None:
        assert set(RULES) == {*CALLS, *OF_TABLES}

    def test_restricted_calls_are_the_intended_ones(self) -> None:
        assert {call for call, rule in RULES.items() if rule.role is Role.AUTHOR} == {*FOR_AUTHORS, *OF_TABLES}
        assert {call for call, rule in RULES.items() if rule.role is Role.ORGANISER} == FOR_ORGANISERS

    def test_lasting_and_costly_calls_are_the_intended_ones(self) -> None:
        runs = {"RunLeague", "FollowRun", "VerifyLeague", "Compare"}
        assert {call for call, rule in RULES.items() if rule.cost is Cost.RUN} == runs
        works = {"Backup", "TryBot", "Integrity", "ShowPair", "AnalyseMatch", "ReportBot"}
        assert {call for call, rule in RULES.items() if rule.cost is Cost.WORK} == works

    @pytest.mark.parametrize(
        ("role", "denied"), [("viewer", FOR_AUTHORS | FOR_ORGANISERS), ("author", FOR_ORGANISERS), ("organiser", set())]
    )
    def test_each_role_may_make_its_calls_and_no_others(self, server: Guarded, role: str, denied: set[str]) -> None:
        stub = server.stub(role)
        codes = {call: called(stub, call) for call in CALLS}
        assert {call for call in CALLS if codes[call] is DENIED} == denied
        assert UNAUTHENTICATED not in codes.values()

    def test_without_a_token_nothing_can_be_called(self, server: Guarded) -> None:
        stub = LeagueStub(server.channel)
        assert {called(stub, call) for call in CALLS} == {UNAUTHENTICATED}

    def test_a_refusal_says_what_is_needed_and_what_one_is(self, server: Guarded) -> None:
        with refused(DENIED, "this call is for organisers, but ann is an author"):
            server.stub("ann", "author").CreateLeague(pb.CreateLeagueRequest(name="x", ruleset="bohnanza"))

    def test_where_no_tokens_are_demanded_everybody_is_an_organiser(self, tmp_path: Path, pools: FakePools) -> None:
        """Whoever reaches such a server is the user whose database it is."""
        url = f"sqlite:///{tmp_path / 'a.db'}"
        with embedded(url, cache=tmp_path / "cache", start_pool=pools) as channel:
            stub = LeagueStub(channel)
            assert not {called(stub, call) for call in CALLS} & {DENIED, UNAUTHENTICATED}
            assert submit(stub, "farmer").created
            assert stub.ShowBot(pb.ShowBotRequest(name="farmer")).owner == ""


class TestTokens:
    def test_an_organiser_makes_a_token_that_works_until_it_is_revoked(self, server: Guarded) -> None:
        organiser = server.stub("organiser")
        made = organiser.NewToken(pb.NewTokenRequest(name="vic", role=pb.ROLE_VIEWER, days=2))
        assert (made.info.name, made.info.role, made.info.HasField("revoked")) == ("vic", pb.ROLE_VIEWER, False)
        assert made.info.expires.seconds - made.info.created.seconds == 2 * 86_400
        viewer = server.stub_with(made.token)
        viewer.ListBots(pb.ListBotsRequest())
        revoked = organiser.RevokeToken(pb.RevokeTokenRequest(name="vic"))
        assert revoked.HasField("revoked")
        with refused(UNAUTHENTICATED, "the token of vic was revoked; ask the organiser for a new one"):
            viewer.ListBots(pb.ListBotsRequest())
        listed = organiser.ListTokens(pb.ListTokensRequest()).tokens
        assert [(token.name, token.role) for token in listed] == [
            ("vic", pb.ROLE_VIEWER),
            ("organiser", pb.ROLE_ORGANISER),
        ]
        assert listed[0] == revoked

    @pytest.mark.parametrize(
        ("name", "role", "days", "status", "message"),
        [
            ("Ann!", pb.ROLE_AUTHOR, 0, grpc.StatusCode.INVALID_ARGUMENT, "a token cannot be called 'Ann!'"),
            ("", pb.ROLE_AUTHOR, 0, grpc.StatusCode.INVALID_ARGUMENT, "a token cannot be called ''"),
            ("ann", pb.ROLE_UNSPECIFIED, 0, grpc.StatusCode.INVALID_ARGUMENT, "a token needs a role"),
            ("ann", pb.ROLE_AUTHOR, 99_999, grpc.StatusCode.INVALID_ARGUMENT, "days must be at most 36500"),
            ("organiser", pb.ROLE_AUTHOR, 0, grpc.StatusCode.ALREADY_EXISTS, "organiser already has a valid token"),
        ],
    )
    def test_tokens_that_cannot_be_made(
        self, server: Guarded, name: str, role: pb.Role.ValueType, days: int, status: grpc.StatusCode, message: str
    ) -> None:
        with refused(status, message):
            server.stub("organiser").NewToken(pb.NewTokenRequest(name=name, role=role, days=days))

    def test_the_error_for_an_expired_token_names_the_day(self, server: Guarded) -> None:
        server.token("ann", "author", lifetime=-1.0)
        with pytest.raises(grpc.RpcError) as error:
            server.stub("ann").ListBots(pb.ListBotsRequest())
        assert error.value.code() is UNAUTHENTICATED
        assert re.fullmatch(
            r"the token of ann expired on \d{4}-\d\d-\d\d \(UTC\); ask the organiser for a new one",
            error.value.details() or "",
        )

    def test_tokens_of_others_and_torn_ones_are_not_known(self, server: Guarded) -> None:
        whole = server.token("ann", "organiser")
        for wrong in (whole[:-1], whole + "a", whole.replace("bean", "corn"), "bean", "Bearer"):
            with refused(UNAUTHENTICATED, "this token is not valid here"):
                server.stub_with(wrong).ListBots(pb.ListBotsRequest())

    @pytest.mark.parametrize("header", ["Basic {}", "{}", "Bearer ", "bearer:{}"])
    def test_a_token_that_is_not_shown_as_a_bearer_token_counts_for_none(self, server: Guarded, header: str) -> None:
        metadata = (("authorization", header.format(server.token("organiser"))),)
        with refused(UNAUTHENTICATED, "this server requires a token"):
            LeagueStub(server.channel).ListBots(pb.ListBotsRequest(), metadata=metadata)


class TestOwners:
    def test_an_author_replaces_their_own_bots_only(self, server: Guarded, pools: FakePools) -> None:
        ann, ben, organiser = server.stub("ann", "author"), server.stub("ben", "author"), server.stub("organiser")
        assert submit(ann, "sprout").created
        trials = len(pools.tasks)
        with refused(DENIED, "sprout belongs to ann; choose another name for your bot"):
            submit(ben, "sprout", "# mine")
        with refused(DENIED, "sprout belongs to ann;"):
            submit(ben, "sprout")  # the very same files
        assert len(pools.tasks) == trials, "nothing is tried that cannot be kept"
        assert submit(ann, "sprout", "# better").version == 2
        assert submit(organiser, "sprout", "# fixed").version == 3
        assert submit(ann, "sprout", "# better still").version == 4
        (shown,) = ben.ListBots(pb.ListBotsRequest()).bots
        assert (shown.version, shown.owner) == (4, "ann")

    def test_leagues_keep_the_bots_of_an_author_apart_whatever_their_manifests_say(self, server: Guarded) -> None:
        ann, ben, organiser = server.stub("ann", "author"), server.stub("ben", "author"), server.stub("organiser")
        for stub, names in ((ann, ["boss", "mule"]), (ben, ["bean"]), (organiser, ["bot1", "bot2", "bot3"])):
            for name in names:
                submit(stub, name)
        info = organiser.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", seats=3))
        assert info.shared_owners == [pb.SharedOwner(name="ann", bots=2)]
        *_, last = organiser.RunLeague(pb.RunLeagueRequest(name="spring", workers=1))
        assert last.shared_owners == info.shared_owners
        deals = organiser.ListDeals(pb.ListDealsRequest(league="spring")).deals
        tables = [{entrant.bot for entrant in deal.table} for deal in deals]
        assert len(tables) == 16
        assert not any({"boss", "mule"} <= table for table in tables)

    def test_names_of_house_bots_are_for_organisers(self, server: Guarded) -> None:
        """Ratings are anchored on the bots of these names."""
        with refused(DENIED, "farmer is the name of a house bot; choose another name for your bot"):
            submit(server.stub("ann", "author"), "farmer")

    def test_bots_stay_with_a_later_token_of_the_same_name(self, server: Guarded) -> None:
        submit(server.stub("ann", "author"), "sprout")
        server.store.tokens.revoke("ann")
        del server.tokens["ann"]
        assert submit(server.stub("ann", "author"), "sprout", "# better").version == 2

    def test_logs_of_bots_are_for_their_authors_and_organisers(self, server: Guarded, pools: FakePools) -> None:
        organiser, ann = server.stub("organiser"), server.stub("ann", "author")
        submit(ann, "sprout")
        for name in ("bot1", "bot2"):
            submit(organiser, name)
        organiser.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", deals=1))
        pools.logs = "beans\n"
        list(organiser.RunLeague(pb.RunLeagueRequest(name="spring", workers=1)))
        for stub in (ann, organiser):
            assert "beans" in stub.BotLogs(pb.BotLogsRequest(name="sprout")).logs[0].text
        with refused(DENIED, "only the author of bot1 and organisers may read its logs"):
            ann.BotLogs(pb.BotLogsRequest(name="bot1"))
        with refused(DENIED, "only the author of sprout and organisers may"):
            server.stub("ben", "author").BotLogs(pb.BotLogsRequest(name="sprout"))

    def test_only_organisers_see_where_the_database_is(self, server: Guarded) -> None:
        assert server.stub("organiser").ServerInfo(pb.ServerInfoRequest()).database.startswith("sqlite:///")
        for role in ("viewer", "author"):
            assert server.stub(role).ServerInfo(pb.ServerInfoRequest()).database == ""


def test_an_organiser_elsewhere_gets_a_backup(server: Guarded, tmp_path: Path) -> None:
    submit(server.stub("organiser"), "ann")
    parts = list(server.stub("organiser").Backup(pb.BackupRequest()))
    data = b"".join(part.data for part in parts)
    assert parts[-1].sha256 == hashlib.sha256(data).hexdigest()
    (tmp_path / "b.db").write_bytes(data)
    with Store(f"sqlite:///{tmp_path / 'b.db'}") as restored:
        assert [version.bot for version in restored.bots.newest()] == ["ann"]
