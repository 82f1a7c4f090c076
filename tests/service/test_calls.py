"""What holds of every call, and servers with TLS."""

import hashlib
import math
import re
import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import grpc
import pytest

import beanleague
from beanleague.games.records.record import MAX_BYTES
from beanleague.service.endpoint import Certificate, ServiceError
from beanleague.service.server import served
from beanleague.store.migrations import SCHEMA_VERSION
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.service.conftest import Connect
from tests.service.helpers import certified, guarded, refused


class TestServer:
    @pytest.mark.sqlite
    def test_the_server_describes_itself(self, stub: LeagueStub) -> None:
        info = stub.ServerInfo(pb.ServerInfoRequest())
        assert info.version == beanleague.__version__
        assert info.database.startswith("sqlite:///")
        assert info.schema_version == SCHEMA_VERSION
        assert info.workers >= 1

    def test_the_server_lists_its_games(self, stub: LeagueStub) -> None:
        games = {game.id: game for game in stub.ListRulesets(pb.ListRulesetsRequest()).rulesets}
        bohnanza = games["bohnanza"]
        assert (bohnanza.least_seats, bohnanza.most_seats) == (3, 5)
        assert "max_rounds" in {option.name for option in bohnanza.options}


class TestLeagues:
    def test_a_league_tells_what_it_is(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        assert (spring.state, spring.deals_total, spring.matches_total) == (pb.LEAGUE_STATE_CREATED, 10, 40)
        assert [entrant.bot for entrant in spring.entrants] == [f"bot{n}" for n in range(5)]
        assert (spring.limits.move_ms, spring.limits.strikes) == (1000, 3)
        assert stub.ShowLeague(pb.ShowLeagueRequest(name="spring")) == spring
        (listed,) = stub.ListLeagues(pb.ListLeaguesRequest()).leagues
        assert (listed.name, listed.entrant_count, len(listed.entrants)) == ("spring", 5, 0)

    def test_options_and_limits_are_taken_as_typed(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        made = stub.CreateLeague(
            pb.CreateLeagueRequest(
                name="b",
                ruleset="bohnanza",
                repeats=2,
                bots=["bot1@1", "bot2", "bot3"],
                options=[pb.OptionValue(name="max_rounds", number=2)],
                limits=pb.Limits(strikes=0),
                all_seatings=True,
            )
        )
        assert [(option.name, option.number) for option in made.options] == [("max_rounds", 2)]
        assert (made.limits.strikes, made.limits.move_ms, made.deals_total, made.seats) == (0, 1000, 2, 3)
        assert (made.all_seatings, made.matches_total) == (True, 12)

    def test_a_run_tells_how_it_goes_to_the_end(self, stub: LeagueStub, spring: pb.LeagueInfo) -> None:
        reports = list(stub.RunLeague(pb.RunLeagueRequest(name="spring", workers=2, in_flight=4)))
        last = reports[-1]
        assert last.state == pb.RUN_STATE_DONE
        assert pb.RUN_STATE_DONE not in {progress.state for progress in reports[:-1]}
        assert (last.deals_done, last.deals_total, last.matches_done) == (10, 10, 40)
        assert last.decisions > 0
        answer = stub.Standings(pb.StandingsRequest(league="spring"))
        assert list(answer.standings) == list(last.standings)
        assert (answer.state, answer.deals_done, answer.ruleset) == (pb.LEAGUE_STATE_DONE, 10, "bohnanza")
        assert [standing.rank for standing in answer.standings] == [1, 2, 3, 4, 5]
        assert sum(standing.wins for standing in answer.standings) == pytest.approx(40)


class TestMatches:
    def test_deals_tell_their_digest_first_and_their_seed_when_played(
        self, stub: LeagueStub, played: pb.LeagueInfo
    ) -> None:
        page = stub.ListDeals(pb.ListDealsRequest(league="spring", limit=6))
        rest = stub.ListDeals(pb.ListDealsRequest(league="spring", limit=6, after=page.next_after))
        deals = [*page.deals, *rest.deals]
        assert rest.next_after == 0
        assert [deal.number for deal in deals] == list(range(1, 11))
        for deal in deals:
            assert deal.state == pb.DEAL_STATE_DONE
            assert deal.seed_digest == hashlib.sha256(deal.seed).digest()
            assert len({entrant.bot for entrant in deal.table}) == 4

    def test_matches_are_listed_page_by_page(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
        found, after = list[pb.MatchInfo](), ""
        while True:
            page = stub.ListMatches(pb.ListMatchesRequest(league="spring", bot="bot3@1", limit=7, after=after))
            found += page.matches
            after = page.next_after
            if not after:
                break
        assert len(found) == 32
        assert len({match.match for match in found}) == 32
        assert all("bot3" in {seat.bot for seat in match.seats} for match in found)
        newest = stub.ListMatches(pb.ListMatchesRequest(league="spring", bot="bot3", newest_first=True, limit=32))
        assert list(newest.matches) == found[::-1]
        assert newest.next_after == ""

    def test_matches_can_be_narrowed_down(self, stub: LeagueStub, played: pb.LeagueInfo) -> None:
        third = stub.ListMatches(pb.ListMatchesRequest(league="spring", deal=3)).matches
        assert [match.match for match in third] == [f"spring/3.{rotation}" for rotation in range(4)]
        faulty = stub.ListMatches(pb.ListMatchesRequest(league="spring", bot="bot0", with_faults=True)).matches
        assert faulty
        assert all(any(seat.bot == "bot0" and seat.faults for seat in match.seats) for match in faulty)


BAD = pb.TryBotRequest(bundle=b"beans", submit=True)
NOT_FOUND = grpc.StatusCode.NOT_FOUND
INVALID = grpc.StatusCode.INVALID_ARGUMENT
EXISTS = grpc.StatusCode.ALREADY_EXISTS


REFUSED = (
    ("TryBot", BAD, INVALID, "not a zip file, but text"),
    ("ShowBot", pb.ShowBotRequest(name="x"), NOT_FOUND, "there is no bot 'x'; there are: bot0"),
    ("BotLogs", pb.BotLogsRequest(name="bot0", version=2), NOT_FOUND, "has no version 2"),
    ("BotLogs", pb.BotLogsRequest(name="bot0", league="x"), NOT_FOUND, "there is no league 'x'"),
    ("ShowLeague", pb.ShowLeagueRequest(name="x"), NOT_FOUND, "there is no league 'x'; there are: spring"),
    ("Standings", pb.StandingsRequest(league="x"), NOT_FOUND, "there is no league 'x'"),
    ("RunLeague", pb.RunLeagueRequest(name="x"), NOT_FOUND, "there is no league 'x'"),
    (
        "Compare",
        pb.CompareRequest(a="bot0", b="bot1", ruleset="bohnanza", by=99),  # type: ignore[arg-type]
        INVALID,
        "by is 99, which is no Measure known here",
    ),
    ("ShowPair", pb.ShowPairRequest(league="spring", alpha=math.nan), INVALID, "alpha must be a number, not nan"),
    ("ShowBot", pb.ShowBotRequest(name="a\0b"), INVALID, r"name has a NUL character: 'a\x00b'"),
    ("RunLeague", pb.RunLeagueRequest(name="spring", workers=999), INVALID, "workers must be at most 256, not 999"),
    ("CreateLeague", pb.CreateLeagueRequest(name="b", ruleset="x"), INVALID, "unknown ruleset 'x'; there are:"),
    (
        "CreateLeague",
        pb.CreateLeagueRequest(name="spring", ruleset="bohnanza"),
        EXISTS,
        "the league 'spring' already exists",
    ),
    ("ListMatches", pb.ListMatchesRequest(league="spring", bot="x"), NOT_FOUND, "x does not play in the league spring"),
    ("ListMatches", pb.ListMatchesRequest(league="spring", bot="X!"), INVALID, "'X!' is not a bot"),
    ("ListMatches", pb.ListMatchesRequest(league="spring", limit=1001), INVALID, "limit must be at most 1000"),
    ("ListMatches", pb.ListMatchesRequest(league="spring", deal=2**64 - 1), INVALID, "deal must be at most 999999999"),
    ("ListDeals", pb.ListDealsRequest(league="spring", after=2**63), INVALID, "after must be at most 999999999"),
    ("ListMatches", pb.ListMatchesRequest(league="spring", after="x"), INVALID, "'x' is not a match"),
    ("ListMatches", pb.ListMatchesRequest(league="spring", after="x/1.0"), INVALID, "a match of another league"),
    ("GetMatch", pb.GetMatchRequest(match="1.0"), INVALID, 'write it as "league/deal.rotation"'),
    ("GetMatch", pb.GetMatchRequest(match="spring/1.0"), NOT_FOUND, "deal 1 does not exist in this league"),
)


@pytest.mark.usefixtures("spring")
def test_impossible_calls_end_with_a_status_and_a_sentence(stub: LeagueStub) -> None:
    for call, request, code, details in REFUSED:
        with refused(code, details):
            list(getattr(stub, call)(request))  # a stream fails when it is read


class TestBadDatabases:
    @pytest.mark.sqlite
    def test_a_database_that_cannot_be_opened_fails_the_calls_that_need_it(
        self, connect: Connect, tmp_path: Path
    ) -> None:
        file = tmp_path / "newer.db"
        with closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA user_version = 99")
        stub = connect(file)
        assert stub.ListRulesets(pb.ListRulesetsRequest()).rulesets
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "was written by a newer version of Beanleague"):
            stub.ListBots(pb.ListBotsRequest())

    @pytest.mark.sqlite
    @pytest.mark.parametrize("record", [b"beef", zlib.compress(bytes(MAX_BYTES + 1), 1)], ids=["no record", "a bomb"])
    def test_a_damaged_record_is_an_error(
        self, stub: LeagueStub, played: pb.LeagueInfo, tmp_path: Path, record: bytes
    ) -> None:
        with closing(sqlite3.connect(tmp_path / "a.db")) as database, database:
            database.execute("UPDATE match SET record = ? WHERE deal = 1", (record,))
        with refused(
            grpc.StatusCode.FAILED_PRECONDITION, f"the record of spring/1.0 in {tmp_path / 'a.db'} is damaged"
        ):
            stub.GetMatch(pb.GetMatchRequest(match="spring/1.0"))


@pytest.mark.sqlite
def test_a_failure_over_rows_that_somebody_else_wrote_is_no_bug(
    stub: LeagueStub, spring: pb.LeagueInfo, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as database, database:
        database.execute("UPDATE league SET seats = -1 WHERE name = ?", (spring.name,))
    for _ in range(2):
        with refused(
            grpc.StatusCode.FAILED_PRECONDITION, "it contains a value that Beanleague never stores (league.seats is -1)"
        ):
            stub.ListLeagues(pb.ListLeaguesRequest())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certified(tmp_path_factory.mktemp("tls"), "localhost", "127.0.0.1")


def missing(folder: Path, good: Certificate) -> Certificate:
    return Certificate(folder / "none.pem", good.key)


def folder_as_key(folder: Path, good: Certificate) -> Certificate:
    return Certificate(good.chain, folder)


def swapped(folder: Path, good: Certificate) -> Certificate:
    return Certificate(good.key, good.chain)


def key_that_is_none(folder: Path, good: Certificate) -> Certificate:
    return Certificate(good.chain, good.chain)


def key_of_another(folder: Path, good: Certificate) -> Certificate:
    return Certificate(good.chain, certified(folder, "localhost").key)


def torn(folder: Path, good: Certificate) -> Certificate:
    (folder / "torn.pem").write_text(good.chain.read_text()[:200])
    return Certificate(folder / "torn.pem", good.key)


def with_passphrase(folder: Path, good: Certificate) -> Certificate:
    (folder / "locked.pem").write_text("-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n")
    return Certificate(good.chain, folder / "locked.pem")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (missing, r"cannot read .*/none\.pem: No such file or directory"),
        (folder_as_key, r"cannot read .*: Is a directory"),
        (swapped, r".*/key\.pem contains no PEM certificate"),
        (key_that_is_none, r".*/cert\.pem contains no PEM private key"),
        (key_of_another, r"the key in .*/key\.pem does not belong to the certificate in .*/cert\.pem"),
        (torn, r".*/torn\.pem and .*/key\.pem cannot be used: "),
        (with_passphrase, r"the key in .*/locked\.pem has a passphrase; remove it with: openssl pkey"),
    ],
)
def test_unusable_files_are_refused_with_the_reason(
    tmp_path: Path, certificate: Certificate, spoil: Callable[[Path, Certificate], Certificate], message: str
) -> None:
    spoilt = spoil(tmp_path, certificate)
    with pytest.raises(ServiceError, match=message), served("127.0.0.1:0", "sqlite://", certificate=spoilt):
        pass


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "0.0.0.0:0"])
def test_a_server_with_a_certificate_is_reached_with_tls_and_tokens_only(
    tmp_path: Path, certificate: Certificate, listen: str
) -> None:
    with guarded(tmp_path, listen=listen, certificate=certificate) as server:
        assert not server.stub("viewer").ListBots(pb.ListBotsRequest()).bots
        with refused(grpc.StatusCode.UNAUTHENTICATED, "requires a token"):
            LeagueStub(server.channel).ListBots(pb.ListBotsRequest())
        with grpc.insecure_channel(server.address) as plain, refused(grpc.StatusCode.UNAVAILABLE, ""):
            LeagueStub(plain).ListBots(pb.ListBotsRequest())


def test_where_others_can_reach_it_tokens_are_demanded_without_being_asked_for(
    tmp_path: Path, certificate: Certificate
) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with served("0.0.0.0:0", url, certificate=certificate) as serving:
        assert (serving.tls, serving.tokens, serving.without_tokens) == (True, True, True)
    with served("127.0.0.1:0", url, certificate=certificate) as serving:
        assert (serving.tls, serving.tokens) == (True, False)


def test_at_a_unix_socket_tokens_are_demanded_without_being_asked_for(tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 'socket'}"
    with served(address, f"sqlite:///{tmp_path / 'a.db'}") as serving:
        assert serving.tokens
        with grpc.insecure_channel(address) as channel, refused(grpc.StatusCode.UNAUTHENTICATED, "requires a token"):
            LeagueStub(channel).ListBots(pb.ListBotsRequest())


def test_the_certificate_made_as_documented_will_do(tmp_path: Path) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "server.md").read_text("utf-8")
    found = re.search(r"^openssl req (?:.*\\\n)*.*$", docs, re.MULTILINE)
    assert found, "docs/server.md tells how to make a certificate"
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl here")
    subprocess.run(["bash", "-ec", found[0]], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    made = Certificate(tmp_path / "cert.pem", tmp_path / "key.pem")
    assert made.key.stat().st_mode & 0o077 == 0
    with guarded(tmp_path, listen="0.0.0.0:0", certificate=made) as server:
        assert not server.stub("viewer").ListBots(pb.ListBotsRequest()).bots
