"""Matches are analysed on demand: by whom, from what, and what is kept; and bots say what they would do."""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import pytest

from beanleague.games import record_to_json
from beanleague.league.errors import LeagueError
from beanleague.league.uses import analyses, reports
from beanleague.league.uses.programs import Program, ProgramBounds, analysis_version
from beanleague.model import Rating, Snapshot
from beanleague.names import parse_match
from beanleague.referee.messages import MatchTask
from beanleague.referee.this_node import default_workers
from beanleague.service import trials
from beanleague.service.access import Cost
from beanleague.service.gate import Allowance
from beanleague.store import Store
from beanleague.wire import record_from_pb
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from beanproto.v1.referee_pb2 import Record
from tests.league.fakepool import FakePools, play
from tests.league.helpers import bundle
from tests.service.helpers import guarded, refused, submit

MATCH = "spring/1.0"
RUN = pb.RunLeagueRequest(name="spring")
OWN = """
from beanbot import Bot, run

class Own(Bot):
    games = ("dice",)

    def decide(self, view):
        return view.legal()[-1]

run(Own)
"""


@pytest.fixture
def pools() -> FakePools:
    """A referee of real matches."""
    return FakePools(play)


def create(stub: LeagueStub, game: str = "bohnanza", *, run: bool = True) -> None:
    """Create the league "spring" of one deal, and play it."""
    for number in range(3):
        submit(stub, bundle(f"bot{number}", games=[game]))
    stub.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset=game, seats=3, deals=1))
    if run:
        list(stub.RunLeague(RUN))


def analysed(stub: LeagueStub) -> list[str]:
    return [known.found for known in stub.AnalyseMatch(pb.AnalyseMatchRequest(match=MATCH)) if known.found]


def match_of(stub: LeagueStub) -> pb.GetMatchResponse:
    return stub.GetMatch(pb.GetMatchRequest(match=MATCH))


def kept(stub: LeagueStub) -> str:
    return match_of(stub).analysis


def ask(stub: LeagueStub, move: int, record: Record | None = None) -> dict[str, Any]:
    """Ask bots at a move of the match, or of a record."""
    asked = pb.AnalyseMatchRequest(move=move, record=record)
    if record is None:
        asked.match = MATCH
    *_, last = stub.AnalyseMatch(asked)
    answer: dict[str, Any] = json.loads(last.found)
    return answer


def keep(store: Store, stub: LeagueStub, found: str, of_version: int, digest: bytes | None = None) -> None:
    """Keep what a version found of the match, as if it had analysed it."""
    name, deal, rotation = parse_match(MATCH)
    digest = digest or sha256(match_of(stub).record.SerializeToString(deterministic=True)).digest()
    league = store.leagues.get(name)
    store.analyses.keep(league.id, deal, rotation, digest, of_version, zlib.compress(found.encode()))


def test_stored_analyses_are_for_everybody_but_only_authors_start_one(tmp_path: Path, pools: FakePools) -> None:
    with guarded(tmp_path, pools=pools) as server:
        create(server.stub("organiser"))
        viewer = server.stub("viewer")
        assert kept(viewer) == ""
        with refused(grpc.StatusCode.PERMISSION_DENIED, "this call is for authors"):
            analysed(viewer)
        keep(server.store, viewer, "{}", analysis_version())
        assert kept(viewer) == "{}"
        assert analysed(server.stub("ann", "author")) == ["{}"]


def test_an_analysis_of_another_version_or_of_other_moves_is_not_shown(stub: LeagueStub, store_url: str) -> None:
    create(stub)
    with Store(store_url) as store:
        keep(store, stub, '{"version": 1}', analysis_version() - 1)
        assert kept(stub) == ""
        keep(store, stub, "{}", analysis_version(), bytes(32))
        assert kept(stub) == ""
        keep(store, stub, '{"version": "this"}', analysis_version())
    assert kept(stub) == '{"version": "this"}', "it stands in place of what was kept before"


def test_of_a_deal_that_is_not_over_nothing_is_said_but_that(stub: LeagueStub, pools: FakePools) -> None:
    heard: list[str] = []

    def look(_: MatchTask) -> None:
        """Ask for the first match of the deal while the others are played."""
        for call in (kept, analysed, lambda stub: ask(stub, 0)):
            with pytest.raises(grpc.RpcError) as error:
                call(stub)
            heard.append(error.value.details() or "")

    create(stub, run=False)
    pools.before = look
    list(stub.RunLeague(RUN))
    assert set(heard) == {"deal 1 is not played yet"}


def test_an_impossible_analysis_is_refused_before_it_waits(stub: LeagueStub) -> None:
    create(stub, "dice")
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "name a match, or send its record"):
        list(stub.AnalyseMatch(pb.AnalyseMatchRequest()))
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "the match has no move 9999"):
        ask(stub, 9999)


def test_an_author_asks_as_often_as_the_token_allows(tmp_path: Path, pools: FakePools) -> None:
    with guarded(tmp_path, pools=pools, allowances={Cost.WORK: Allowance(1e-6, 4, 4)}) as server:
        create(server.stub("organiser"), "dice")
        ann = server.stub("ann", "author")
        keep(server.store, ann, "{}", analysis_version())
        for _ in range(4):
            analysed(ann)
        with refused(grpc.StatusCode.RESOURCE_EXHAUSTED, ""):
            analysed(ann)
        analysed(server.stub("ben", "author"))


@pytest.mark.parametrize(("rated", "said"), [(3, ["--ratings=1500.0,1560.0,1470.5"]), (2, [])])
def test_ratings_count_where_all_seats_have_one(
    stub: LeagueStub, store_url: str, rated: int, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    create(stub, "dice")
    known = [40.0 if number < rated else None for number in range(3)]
    ratings = [Rating(number, elo, known[number], 1, 3) for number, elo in enumerate((1500.0, 1560.0, 1470.5))]
    with Store(store_url) as store:
        league = store.leagues.get("spring").id
        store.ratings.keep(league, Snapshot(1, tuple(ratings), 0.0))
    run: list[list[str]] = []

    def output_of(program: Program, *_: object) -> str:
        run.append(list(program.words))
        return "{}"

    monkeypatch.setattr(trials, "output_of", output_of)
    analysed(stub)
    assert [words[2:] for words in run] == [said]


def test_a_report_is_of_the_newest_matches_of_a_bot_beside_as_many_of_another(
    stub: LeagueStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(stub)
    run: list[Program] = []

    def output_of(program: Program, *_: object) -> str:
        run.append(program)
        return "{}"

    monkeypatch.setattr(trials, "output_of", output_of)
    monkeypatch.setattr(reports, "_MATCHES", 2)
    asked = pb.ReportBotRequest(league="spring", bot="bot1", against="bot2@1")
    assert [known.found for known in stub.ReportBot(asked)] == ["{}"]
    [program] = run
    assert program.words == ["analyse", "matches.jsonl", "--report", "bot1", "--against", "bot2@1"]
    lines = [json.loads(line) for line in program.files["matches.jsonl"].splitlines()]
    assert [(line["match"], line["for"]) for line in lines] == [
        ("spring/1.2", ["bot1", "bot2@1"]),
        ("spring/1.1", ["bot1", "bot2@1"]),
    ]
    assert sorted(lines[0]["players"]) == ["bot0@1", "bot1@1", "bot2@1"]
    with refused(grpc.StatusCode.NOT_FOUND, "bot9 does not play in the league"):
        list(stub.ReportBot(pb.ReportBotRequest(league="spring", bot="bot9")))


def test_of_a_game_without_trading_there_is_no_report(stub: LeagueStub) -> None:
    create(stub, "dice")
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "in the trading games only"):
        list(stub.ReportBot(pb.ReportBotRequest(league="spring", bot="bot1")))


def test_the_strongest_house_bots_say_what_they_would_do_of_a_match_and_of_a_record(stub: LeagueStub) -> None:
    create(stub, "dice")
    record = match_of(stub).record
    found = ask(stub, 2, record)
    assert (found["move"], found["seat"]) == (2, record.moves[2].seat)
    assert [bot["bot"] for bot in found["bots"]][:4] == ["dicer", "journeyman", "apprentice", "pupil"]
    assert all(bot["does"] not in {"", "an error"} for bot in found["bots"][:4])


def test_an_author_s_own_bots_are_asked_and_nobody_else_s(tmp_path: Path, pools: FakePools) -> None:
    with guarded(tmp_path, pools=pools) as server:
        create(server.stub("organiser"), "dice")
        ann, ben = server.stub("ann", "author"), server.stub("ben", "author")
        for stub, name, code in ((ann, "anns", OWN), (ann, "broken", "1 / 0"), (ben, "bens", OWN)):
            submit(stub, bundle(name, code, ["dice"]))
        submit(ann, bundle("trades", OWN))
        answers = {bot["bot"]: bot["does"] for bot in ask(ann, 2)["bots"]}
    assert list(answers)[4:] == ["broken", "anns"]
    assert answers["broken"].startswith("cannot be asked: ")
    assert not answers["anns"].startswith("cannot be asked")


def test_a_record_that_cannot_be_played_again_is_refused_in_the_words_of_the_program(stub: LeagueStub) -> None:
    create(stub, "dice")
    record = match_of(stub).record
    record.moves[0].seat = (record.moves[0].seat + 1) % 3
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "cannot be replayed"):
        ask(stub, 3, record)


class TestASentRecord:
    """Who sends it decides how long its analysis takes; this one would take an hour."""

    @pytest.fixture
    def endless(self, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
        """Set when it has begun."""
        begun = threading.Event()

        def output_of(_: Program, wanted: Callable[[], bool], __: object, timeout_s: float) -> str:
            begun.set()
            ends = time.monotonic() + timeout_s
            while wanted() and time.monotonic() < ends:
                time.sleep(0.01)
            raise LeagueError(f"it took longer than {timeout_s} seconds")

        monkeypatch.setattr(trials, "output_of", output_of)
        return begun

    def test_gives_way_when_somebody_else_waits(
        self, stub: LeagueStub, endless: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(analyses, "SENT_BOUNDS", ProgramBounds(timeout_s=60.0, share_s=0.0))
        create(stub, "dice")
        at_once = max(1, default_workers() // 2)
        request = pb.AnalyseMatchRequest(record=match_of(stub).record)
        with ThreadPoolExecutor(at_once) as calls:
            given_up = [calls.submit(lambda: list(stub.AnalyseMatch(request))) for _ in range(at_once)]
            assert endless.wait(60)
            waiting = stub.TryBot(pb.TryBotRequest(bundle=bundle("ben")), metadata=(("visitor", "another"),))
            assert any(known.report.trials for known in waiting)
            errors = [call.exception() for call in given_up]
        told = [str(error) for error in errors]
        assert any("it takes longer than 0 seconds while others wait: try again later" in why for why in told)

    def test_is_given_up_after_a_minute_though_nobody_waits(
        self, stub: LeagueStub, endless: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert analyses.SENT_BOUNDS.timeout_s == 60.0
        monkeypatch.setattr(analyses, "SENT_BOUNDS", ProgramBounds(timeout_s=0.05, share_s=10.0))
        create(stub, "dice")
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "it took longer than 0.05 seconds"):
            list(stub.AnalyseMatch(pb.AnalyseMatchRequest(record=match_of(stub).record)))
        assert endless.is_set()


@pytest.mark.slow  # some seconds of CPU; tox -e contract
def test_an_analysis_is_kept_and_replaces_that_of_an_older_version(stub: LeagueStub, store_url: str) -> None:
    create(stub)
    with Store(store_url) as store:
        keep(store, stub, '{"version": 1}', analysis_version() - 1)
    (found,) = analysed(stub)
    assert json.loads(found)["version"] == analysis_version()
    assert kept(stub) == found
    record = match_of(stub).record
    assert json.loads(record_to_json(record_from_pb(record)))["players"] == json.loads(found)["players"]
    (again,) = [known.found for known in stub.AnalyseMatch(pb.AnalyseMatchRequest(record=record)) if known.found]
    assert {**json.loads(again), "by_strength": []} == {**json.loads(found), "by_strength": []}


@pytest.mark.slow  # some seconds of CPU; tox -e contract
def test_a_report_is_made(stub: LeagueStub) -> None:
    create(stub)
    *_, last = stub.ReportBot(pb.ReportBotRequest(league="spring", bot="bot1", against="bot2"))
    found = json.loads(last.found)
    assert (found["bot"], found["against"], found["matches"], found["against_matches"]) == ("bot1", "bot2", 3, 3)
