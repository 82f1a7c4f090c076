"""What a server analyses by itself: which matches of worst deals, in which order, and when not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from beanleague.league.errors import LeagueError
from beanleague.league.uses import analyses as analysing, worst_deals
from beanleague.league.uses.analyses import BOUNDS, AnalysisRequest
from beanleague.league.uses.programs import AnalysisProgress, Program, Runner
from beanleague.model import COMPARISON, Deal, League, NewLeague, PlayedDeal, PlayedMatch, SeatResult
from beanleague.names import parse_match
from beanleague.service import keeper, trials
from beanleague.service.backend import Backend, Settings, TrialQueue
from beanleague.service.keeper import WorstDeals
from beanleague.store import Store
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools, play
from tests.league.helpers import bundle
from tests.service.conftest import Connect
from tests.service.helpers import submit
from tests.store.helpers import digest, manifest

VERSION = 7  # of the analysis
LOST = ((0, 9), (2, 1))
"""Scores of a deal of two, by rotation and seat: the first bot has seat 0, then seat 1, where it lost most."""
WON = ((9, 0), (1, 2))


@pytest.fixture
def backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    monkeypatch.setattr(worst_deals, "analysis_version", lambda: VERSION)
    backend = Backend(Settings(f"sqlite:///{tmp_path / 'a.db'}"))
    backend.trials = TrialQueue(1)
    yield backend
    backend.close()


def add_league(store: Store, name: str, bot: str, *deals: tuple[tuple[int, int], ...], **settings: Any) -> League:
    """Play `deals` of a bot against trader, and publish one more."""
    versions = tuple(store.bots.add(manifest(each), digest(each), b"zip")[0].id for each in (bot, "trader"))
    given = {"ruleset": "bohnanza", "seats": 2, "secret": b"secret", "deals": len(deals) + 1, **settings}
    league = store.leagues.create(NewLeague(name=name, versions=versions, **given))
    numbers = range(1, len(deals) + 2)
    store.deals.schedule(league.id, [Deal(number, (0, 1), b"digest %d" % number) for number in numbers])
    for number, scores in enumerate(deals, 1):
        played = [_match(rotation, of_seats) for rotation, of_seats in enumerate(scores)]
        store.deals.commit(league.id, [PlayedDeal(number, b"seed %d" % number, tuple(played))])
    return league


def _match(rotation: int, scores: tuple[int, int]) -> PlayedMatch:
    seats = [
        SeatResult((seat + rotation) % 2, score, 1 + (score < max(scores)), 50, 0, forfeited=False)
        for seat, score in enumerate(scores)
    ]
    return PlayedMatch(rotation, b"record", seats=tuple(seats))


class Analyses:
    """Stands for the analysis of matches; `matches`: those asked for. `during`: what happens meanwhile."""

    def __init__(self, backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
        self.matches: list[str] = []
        self.during: Callable[[], None] = lambda: None
        self.worst = WorstDeals(backend)
        self.backend = backend
        monkeypatch.setattr(analysing, "analyse", self.analyse)
        monkeypatch.setattr(trials, "output_of", self.output_of)

    def analyse(self, _: Store, request: AnalysisRequest, run: Runner) -> Iterator[AnalysisProgress]:
        self.matches.append(request.match)
        yield from run(lambda: Program((), {}), BOUNDS)
        self.keep(request.match)

    def output_of(self, _: Program, wanted: Callable[[], bool], *__: object) -> str:
        self.during()
        if not wanted():
            raise LeagueError("it took longer than 600 seconds")
        return "{}"

    def keep(self, match: str, version: int = VERSION) -> None:
        name, deal, rotation = parse_match(match)
        store = self.backend.store
        store.analyses.keep(store.leagues.get(name).id, deal, rotation, b"digest", version, b"")

    def look(self, times: int = 12) -> list[str]:
        """Look so often; return what was analysed."""
        for _ in range(times):
            self.worst.look(lambda: True)
        return self.matches


@pytest.fixture
def analyses(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> Analyses:
    return Analyses(backend, monkeypatch)


def test_of_the_three_worst_deals_the_match_in_which_others_made_most_more_of_the_seat(analyses: Analyses) -> None:
    even, near, less = ((5, 6), (6, 5)), ((8, 9), (9, 8)), ((4, 6), (7, 4))
    add_league(analyses.backend.store, "spring", "plum", even, WON, LOST, near, less)
    assert analyses.look() == ["spring/3.1", "spring/5.0", "spring/1.0"], "once each, and none of deal 6, not played"


def test_bots_take_turns_beginning_with_the_one_that_played_last(analyses: Analyses) -> None:
    add_league(analyses.backend.store, "spring", "plum", LOST, LOST)
    add_league(analyses.backend.store, "autumn", "pear", LOST, LOST)
    assert analyses.look() == ["autumn/2.1", "spring/2.1", "autumn/1.1", "spring/1.1"]


def test_none_of_other_games_of_comparisons_and_of_house_bots(analyses: Analyses) -> None:
    store = analyses.backend.store
    add_league(store, "dice", "plum", LOST, ruleset="dice")
    add_league(store, "compared", "plum", LOST, format=COMPARISON)
    add_league(store, "house", "farmer", LOST)
    assert analyses.look() == []


def test_analyses_of_this_version_stay_and_those_of_another_are_replaced(analyses: Analyses) -> None:
    add_league(analyses.backend.store, "spring", "plum", LOST, LOST)
    analyses.keep("spring/1.1")
    analyses.keep("spring/2.1", VERSION - 1)
    assert analyses.look() == ["spring/2.1"]


def test_nothing_is_begun_while_anybody_has_something_tried(analyses: Analyses) -> None:
    add_league(analyses.backend.store, "spring", "plum", LOST)
    with analyses.backend.trials.turn("ann"):
        assert analyses.look() == []
    assert analyses.look() == ["spring/1.1"]


def test_an_analysis_is_given_up_for_a_waiting_caller_and_begun_again_later(
    analyses: Analyses, caplog: pytest.LogCaptureFixture
) -> None:
    add_league(analyses.backend.store, "spring", "plum", LOST)

    def wait() -> None:
        """Queue up; whoever waits goes before what the server does by itself."""
        analyses.during = lambda: None
        turn = analyses.backend.trials.turn("ann")
        turn.__enter__()
        waiting.append(turn)

    waiting: list[Any] = []
    analyses.during = wait
    assert analyses.look() == ["spring/1.1"]
    waiting.pop().__exit__(None, None, None)
    assert analyses.look() == ["spring/1.1", "spring/1.1"]
    assert not caplog.records


def test_a_failed_analysis_is_logged_and_not_tried_again(analyses: Analyses, caplog: pytest.LogCaptureFixture) -> None:
    add_league(analyses.backend.store, "spring", "plum", LOST, LOST)

    def fail() -> None:
        analyses.during = lambda: None
        raise LeagueError("no such move")

    analyses.during = fail
    with caplog.at_level(logging.WARNING):
        assert analyses.look() == ["spring/2.1", "spring/1.1"]
    assert [each.getMessage() for each in caplog.records] == [
        "match spring/2.1 of a worst deal is not analysed: no such move"
    ]


def test_the_analyser_rests_nine_times_as_long_as_an_analysis_took(
    analyses: Analyses, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_league(analyses.backend.store, "spring", "plum", LOST)
    passed = [100.0]
    monkeypatch.setattr(keeper, "time", SimpleNamespace(monotonic=lambda: passed[0]))
    analyses.during = lambda: passed.append(passed.pop() + 4)
    rests = [analyses.worst.look(lambda: True) for _ in range(3)]
    assert rests == [60, 36, 60], "when the server begins, after an analysis, and after all were looked at"


@pytest.mark.slow  # some seconds of CPU; tox -e contract
def test_finished_analyses_are_shown_to_everybody(connect: Connect, tmp_path: Path) -> None:
    stub: LeagueStub = connect(referee=FakePools(play))
    for number in range(3):
        submit(stub, bundle(f"bot{number}"))
    stub.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", seats=3, deals=1))
    list(stub.RunLeague(pb.RunLeagueRequest(name="spring")))
    backend = Backend(Settings(f"sqlite:///{tmp_path / 'a.db'}"))
    worst = WorstDeals(backend)
    assert worst.look(lambda: True) == 60
    worst.look(lambda: True)
    backend.close()
    found = [stub.GetMatch(pb.GetMatchRequest(match=f"spring/1.{rotation}")).analysis for rotation in range(3)]
    assert sum(map(bool, found)) == 1
