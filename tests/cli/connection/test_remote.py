"""Commands that ask a server elsewhere, with TLS and a token: a clear line when it, or what it says, is amiss."""

import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import Result
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from beanleague.cli.connection.session import Session
from beanleague.service.access import Cost
from beanleague.service.endpoint import Certificate
from beanleague.service.gate import Allowance
from beanleague.service.server import served
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.cli.conftest import Run
from tests.cli.helpers import FakeLeague, write_bot
from tests.cli.samples import STANDINGS, info
from tests.service.helpers import Guarded, certified, guarded
from tests.waiting import ending


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certified(tmp_path_factory.mktemp("tls"), "localhost")


@pytest.fixture(scope="module")
def authority(certificate: Certificate) -> str:
    """The file of the authority that vouches for the server."""
    return str(certificate.chain.with_name("authority.pem"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, certificate: Certificate) -> Iterator[Guarded]:
    """A server that others can reach."""
    with guarded(tmp_path_factory.mktemp("server"), listen="0.0.0.0:0", certificate=certificate) as server:
        yield server


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A server without TLS that demands tokens."""
    with guarded(tmp_path_factory.mktemp("plain")) as server:
        yield server


def https(server: Guarded) -> str:
    return f"https://{server.address}"


def failed(result: Result) -> str:
    """What a command that failed says, in one line after "Error: "."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    return line.removeprefix("Error: ")


class TestReaching:
    def test_with_the_authority_and_a_token_all_is_as_with_a_database(
        self, run: Run, server: Guarded, authority: str, tmp_path: Path
    ) -> None:
        settings = {
            "BEANLEAGUE_SERVER": https(server),
            "BEANLEAGUE_TLS_CA": authority,
            "BEANLEAGUE_TOKEN": server.token("ann", "author"),
        }
        result = run("bot", "submit", str(write_bot(tmp_path / "sprout", "sprout")), **settings)
        assert result.output.startswith("Submitted sprout@1"), result.output
        assert json.loads(run("bot", "list", "--json", **settings).stdout)["bots"][0]["owner"] == "ann"
        assert "sprout  by ann  plays bohnanza" in run("bot", "show", "sprout", **settings).output

    def test_the_token_may_be_in_a_file_and_options_may_stand_anywhere(
        self, run: Run, server: Guarded, authority: str, tmp_path: Path
    ) -> None:
        (tmp_path / "my token").write_text(f"{server.token('viewer')}\n")
        words = ["--server", https(server), "--tls-ca", authority, "--token-file", str(tmp_path / "my token")]
        for line in ([*words, "league", "list"], ["league", "list", *words]):
            result = run(*line, BEANLEAGUE_TOKEN="another")
            assert result.exit_code == 0, result.output
            assert result.output == (
                f"No leagues yet; try: beanleague quickstart --server {https(server)} "
                f"--tls-ca {shlex.quote(authority)} --token-file {shlex.quote(str(tmp_path / 'my token'))}\n"
            )

    def test_a_stream_needs_the_token_too(self, run: Run, plain: Guarded) -> None:
        result = run("--server", plain.address, "league", "run", "x", BEANLEAGUE_TOKEN=plain.token("organiser"))
        assert failed(result) == "there is no league 'x'; none was created yet"

    def test_no_proxy_is_asked_for_a_server_on_this_machine(
        self, run: Run, plain: Guarded, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("no_grpc_proxy")
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        result = run("--server", plain.address, "league", "list", BEANLEAGUE_TOKEN=plain.token("viewer"))
        assert result.exit_code == 0, result.output

    def test_no_token_is_ever_an_option(self, run: Run) -> None:
        for words in (["--help"], ["league", "list", "--help"], ["token", "new", "--help"], ["serve", "--help"]):
            assert "--token " not in run(*words).output


class TestTokensThatWillNotDo:
    @pytest.fixture
    def ask(self, run: Run, server: Guarded, authority: str) -> Run:
        def ask(*words: str, **settings: str) -> Result:
            return run("--server", https(server), "--tls-ca", authority, *words, **settings)

        return ask

    def test_none(self, ask: Run) -> None:
        output = failed(ask("league", "list"))
        assert output == "this server requires a token; ask its organiser for one and set BEANLEAGUE_TOKEN to it"

    @pytest.mark.parametrize("text", ["two words", "bean-ü", "a\nb"])
    def test_malformed_tokens_are_refused(self, ask: Run, tmp_path: Path, text: str) -> None:
        output = failed(ask("league", "list", BEANLEAGUE_TOKEN=os.fsdecode(text.encode())))
        assert output == "BEANLEAGUE_TOKEN contains no token; a token is one word, as printed by 'token new'"
        (tmp_path / "token").write_text(text, "utf-8")
        assert "contains no token" in failed(ask("--token-file", str(tmp_path / "token"), "league", "list"))

    def test_files_without_one(self, ask: Run, tmp_path: Path) -> None:
        (tmp_path / "empty").write_text("\n")
        (tmp_path / "binary").write_bytes(b"\xff\xfe")
        for name in ("empty", "binary"):
            assert f"{tmp_path / name} contains no token" in failed(
                ask("league", "list", "--token-file", str(tmp_path / name))
            )
        output = failed(ask("league", "list", "--token-file", str(tmp_path / "none")))
        assert output == f"cannot read the token in {tmp_path / 'none'}: No such file or directory"

    def test_a_server_lists_the_games_of_this_program(self, run: Run, plain: Guarded) -> None:
        there = run("--server", plain.address, "games", "--json", BEANLEAGUE_TOKEN=plain.token("eve", "viewer"))
        assert there.exit_code == 0, there.output
        assert there.stdout == run("games", "--json").stdout


class TestServersThatAreNotReached:
    def test_a_certificate_nobody_vouches_for(self, run: Run, server: Guarded, tmp_path: Path) -> None:
        output = failed(run("--server", https(server), "games"))
        assert output == (
            f"the certificate of the server at {https(server)} is not signed by a trusted authority; ask its operator "
            "for the authority's certificate and pass it with --tls-ca"
        )
        other = certified(tmp_path, "localhost").chain
        output = failed(run("--server", https(server), "--tls-ca", str(other), "games"))
        assert output.endswith(f"is not signed by an authority in {other}; ask its operator for the right file")

    def test_a_certificate_for_another_name(self, run: Run, server: Guarded, authority: str) -> None:
        port = server.address.rpartition(":")[2]
        output = failed(run("--server", f"https://127.0.0.1:{port}", "--tls-ca", authority, "games"))
        assert output.startswith(f"the certificate of the server at https://127.0.0.1:{port} is for another name (")
        assert output.endswith("use the name in the certificate")

    def test_no_tls_to_a_server_with_it(self, run: Run, server: Guarded) -> None:
        output = failed(run("--server", server.address, "games"))
        assert output == f"the server at {server.address} requires TLS; use --server {https(server)}"

    def test_tls_to_a_server_without_it(self, run: Run, plain: Guarded, authority: str) -> None:
        output = failed(run("--server", https(plain), "--tls-ca", authority, "games"))
        assert output == f"the server at {https(plain)} does not use TLS; use --server {plain.address}"

    @pytest.mark.parametrize("scheme", ["", "https://"])
    def test_nobody_there(self, run: Run, scheme: str) -> None:
        with socket.socket() as taken:  # bound, and never listening
            taken.bind(("127.0.0.1", 0))
            address = f"{scheme}127.0.0.1:{taken.getsockname()[1]}"
            assert failed(run("--server", address, "games")).startswith(f"cannot reach a server at {address}; start")

    def test_one_that_breaks_off_or_is_busy(self, run: Run, league: FakeLeague) -> None:
        def broken(_: object, context: grpc.ServicerContext) -> None:
            context.abort(grpc.StatusCode.UNAVAILABLE, "going down")

        def busy(_: object, context: grpc.ServicerContext) -> None:
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "Concurrent RPC limit exceeded!")  # as gRPC says it

        league.answers.update(ListRulesets=broken, ListLeagues=busy)
        output = failed(run("--server", league.address, "games"))
        assert output == f"the server at {league.address} closed the connection: going down; try again"
        output = failed(run("--server", league.address, "league", "list"))
        assert output == f"the server at {league.address} is overloaded; try again in a moment"

    def test_a_token_is_not_sent_without_tls(self, run: Run) -> None:
        """Nothing is sent: the name does not even exist."""
        output = failed(run("--server", "league.invalid:7411", "games", BEANLEAGUE_TOKEN="bean-x-y"))
        assert output == (
            "without TLS your token could be intercepted on the way to league.invalid:7411; use --server "
            "https://league.invalid:7411, or unset BEANLEAGUE_TOKEN"
        )

    def test_an_authority_without_tls_is_a_mistake(self, run: Run, authority: str) -> None:
        output = failed(run("--server", "league.invalid:7411", "--tls-ca", authority, "games"))
        assert output == "--tls-ca requires TLS; use --server https://league.invalid:7411"

    def test_authorities_that_will_not_do(self, run: Run, server: Guarded, tmp_path: Path) -> None:
        (tmp_path / "letter").write_text("Dear organiser")
        output = failed(run("--server", https(server), "--tls-ca", str(tmp_path / "letter"), "games"))
        assert output.startswith(f"{tmp_path / 'letter'} contains no PEM certificate")
        output = failed(run("--server", https(server), "--tls-ca", str(tmp_path / "none"), "games"))
        assert (
            output == f"cannot read {tmp_path / 'none'}: No such file or directory; pass the right file with --tls-ca"
        )

    @pytest.mark.parametrize(
        "address",
        [
            "nowhere",
            "https://localhost",
            "localhost:x",
            "https://localhost:99999",
            "http://localhost:1",
            "https://me@localhost:1",
            "https://localhost:1/x",
            "https://[::1",
        ],
    )
    def test_addresses_that_are_none(self, run: Run, address: str) -> None:
        output = failed(run("--server", address, "games"))
        assert output.startswith(f"'{address}' is not a server address; use host:port, https://host:port")

    def test_grpc_prints_nothing_of_its_own(self, server: Guarded) -> None:
        """It logs by itself, past what tests of one process see."""
        line = [sys.executable, "-m", "beanleague", "--server", https(server), "games"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
        done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1


def too_often(league: FakeLeague, call: str, answer: Callable[[], object], times: int, wait_ms: str) -> list[float]:
    """Let the server refuse so many calls before it answers; return when each came."""
    came: list[float] = []

    def answered(_: object, context: grpc.ServicerContext) -> object:
        came.append(time.monotonic())
        if len(came) <= times:
            context.set_trailing_metadata((("retry-after-ms", wait_ms),) if wait_ms else ())
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "you have made too many calls")
        return answer()

    league.answers[call] = answered
    return came


class TestCallingTooOften:
    def test_a_call_is_made_again_when_the_server_will_take_it(self, run: Run, league: FakeLeague) -> None:
        came = too_often(league, "ListBots", pb.ListBotsResponse, 2, "30")
        result = run("bot", "list", BEANLEAGUE_SERVER=league.address)
        assert (result.exit_code, result.stderr) == (0, "")
        assert all(later - before >= 0.03 for before, later in pairwise(came))
        assert len(came) == 3

    def test_so_is_one_that_answers_with_a_stream_and_long_waits_are_told(self, run: Run, league: FakeLeague) -> None:
        last = pb.VerifyProgress(league="spring", done=True, matches_total=1, matches_done=1)
        too_often(league, "VerifyLeague", lambda: iter([last]), 1, "1000")
        result = run("league", "verify", "spring", BEANLEAGUE_SERVER=league.address)
        assert result.exit_code == 0, result.output
        assert "The server accepts no more calls for now; retrying in 1 s." in result.stderr

    @pytest.mark.parametrize("wait_ms", ["", "600000", "soon"])
    def test_without_a_time_or_with_one_that_nobody_waits_for_it_fails(
        self, run: Run, league: FakeLeague, wait_ms: str
    ) -> None:
        came = too_often(league, "ListBots", pb.ListBotsResponse, 1, wait_ms)
        assert run("bot", "list", BEANLEAGUE_SERVER=league.address).exit_code == 1
        assert len(came) == 1

    def test_visitors_of_a_site_are_told_instead(self, league: FakeLeague) -> None:
        came = too_often(league, "ListBots", pb.ListBotsResponse, 1, "30")
        with Session(server=league.address).service(patient=False) as channel, pytest.raises(grpc.RpcError):
            LeagueStub(channel).ListBots(pb.ListBotsRequest())
        assert len(came) == 1

    def test_many_commands_on_a_server_with_limits_all_succeed(self, run: Run, tmp_path: Path) -> None:
        with guarded(tmp_path, allowances={Cost.READ: Allowance(rate=40, burst=1, open=4)}) as server:
            settings = {"BEANLEAGUE_SERVER": server.address, "BEANLEAGUE_TOKEN": server.token("viewer")}
            assert [run("bot", "list", **settings).exit_code for _ in range(6)] == [0] * 6


class TestServing:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (
                ["--listen", "0.0.0.0:0"],
                "0.0.0.0:0 is reachable from other machines, so it needs a certificate: --tls-cert",
            ),
            (["--tls-cert", "a.pem", "--tls-key", "b.pem"], "cannot read a.pem: No such file or directory"),
        ],
    )
    def test_unusable_addresses_are_refused(self, run: Run, tmp_path: Path, words: list[str], message: str) -> None:
        assert failed(run("--db", str(tmp_path / "a.db"), "serve", *words)).startswith(message)

    def test_a_certificate_needs_its_key(self, run: Run) -> None:
        result = run("serve", "--tls-cert", "a.pem")
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: --tls-cert and --tls-key must be used together\n")

    @pytest.mark.parametrize(
        ("listen", "with_tls", "shown"),
        [
            ("127.0.0.1:0", False, "Serving at 127.0.0.1:{port}; Ctrl-C stops.|--server 127.0.0.1:{port} COMMAND"),
            (
                "0.0.0.0:0",
                True,
                "Serving at 0.0.0.0:{port} with TLS; Ctrl-C stops.|https://NAME-OF-THIS-MACHINE:{port} COMMAND",
            ),
        ],
    )
    def test_a_server_prints_how_to_use_it(
        self, tmp_path: Path, certificate: Certificate, listen: str, with_tls: bool, shown: str
    ) -> None:
        """And requires tokens where others can reach it, or where an option says so."""
        line = [sys.executable, "-m", "beanleague", "--db", str(tmp_path / "a.db"), "serve", "--listen", listen]
        line += ["--tls-cert", str(certificate.chain), "--tls-key", str(certificate.key)] if with_tls else []
        line += [] if with_tls else ["--require-tokens"]
        env = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with ending(subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=env)) as process:
            assert process.stdout is not None
            first, second, third = (process.stdout.readline() for _ in range(3))
            process.terminate()
            assert process.stdout.read() == "Stopped.\n"
        port = first.partition(" with ")[0].partition(";")[0].rpartition(":")[2]
        expected = shown.format(port=port).split("|")
        assert first.strip() == expected[0]
        assert second.strip().endswith(expected[1])
        assert third.startswith("No tokens exist yet; create one with: ")
        assert f"token new NAME --role organiser --db {shlex.quote(str(tmp_path / 'a.db'))}" in third

    def test_without_tokens_none_is_wanted(self, run: Run, tmp_path: Path) -> None:
        with served("127.0.0.1:0", f"sqlite:///{tmp_path / 'a.db'}") as serving:
            assert not serving.tokens
            result = run(
                "--server", serving.address, "league", "create", "x", "--game", "bohnanza", BEANLEAGUE_TOKEN="x"
            )
            assert "a league needs" in failed(result) or "need at least" in result.stderr


FAR = Timestamp(seconds=10**18)
BOTH = [pb.Standing(bot="ann"), pb.Standing(bot="ben")]


def streamed(*answers: Message) -> Callable[..., Any]:
    return lambda *_: iter(answers)


def wrong_league(**wrong: object) -> pb.LeagueInfo:
    """A league of the samples with something wrong."""
    changed = info()
    changed.MergeFrom(type(changed)(**wrong))  # type: ignore[arg-type]
    return changed


@pytest.mark.parametrize(
    ("words", "call", "answer", "wrong"),
    [
        ("league show spring", "ShowLeague", wrong_league(state=99), "state"),
        ("league show spring --json", "ShowLeague", wrong_league(created=FAR), "created.seconds"),
        (
            "league list",
            "ListLeagues",
            pb.ListLeaguesResponse(leagues=[info(), wrong_league(state=99)]),
            "leagues.state",
        ),
        (
            "standings spring",
            "Standings",
            pb.StandingsResponse(standings=[*STANDINGS, pb.Standing(rating=float("nan"))]),
            "standings.rating",
        ),
        (
            "standings spring --matrix",
            "Ratings",
            pb.RatingsResponse(standings=BOTH, matrix=[pb.MatrixRow()]),
            "does not fit together",
        ),
        (
            "standings spring --matrix --csv",
            "Ratings",
            pb.RatingsResponse(standings=BOTH, matrix=[pb.MatrixRow(better=[0, 1], pair_score=[0])] * 2),
            "RatingsResponse does not fit together",
        ),
        ("bot show ann", "ShowBot", pb.ShowBotResponse(name="ann"), "ShowBotResponse does not fit together"),
        (
            "token new ann --role author",
            "NewToken",
            pb.NewTokenResponse(token="a; rm -r ~", info=pb.TokenInfo(name="ann")),
            "NewTokenResponse does not fit together",
        ),
        ("league run spring", "RunLeague", streamed(pb.Progress(host_delay=float("inf"))), "host_delay"),
        ("league verify spring", "VerifyLeague", streamed(pb.VerifyProgress(seconds=float("nan"))), "seconds"),
        (
            "compare a b --game duel",
            "Compare",
            streamed(pb.ComparisonProgress(lower=2.9, upper=-2.9)),
            "does not fit together",
        ),
        ("compare a b --game duel --json", "Compare", streamed(pb.ComparisonProgress(verdict=99)), "verdict"),  # type: ignore[arg-type]
        ("compare a b --game duel", "Compare", streamed(pb.ComparisonProgress(llr=float("nan"))), "llr"),
    ],
)
def test_implausible_answers_are_reported(
    run: Run, league: FakeLeague, words: str, call: str, answer: Any, wrong: str
) -> None:
    league.answers |= {"ShowLeague": info(), call: answer}
    found = run(*words.split(), "--server", league.address)
    assert (found.exit_code, found.stdout) == (1, "")
    (line,) = found.stderr.splitlines()
    assert line.startswith(f"Error: the server at {league.address} sent an invalid answer (")
    assert wrong in line.partition(")")[0]


def test_a_part_of_a_matrix_can_be_but_is_not_shown_as_the_whole(run: Run, league: FakeLeague) -> None:
    part = [pb.MatrixRow(better=[-1], pair_score=[-1])]
    league.answers["Ratings"] = pb.RatingsResponse(standings=BOTH, matrix=part)
    found = run("standings", "spring", "--matrix", "--server", league.address)
    assert found.stderr == "Error: the matrix sent by the server does not match its standings\n"
