"""Calls about a league that another bot joins, and in which it plays, between two reads of the database."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from beanleague.league.create import join
from beanleague.league.ladder.changing import enter
from beanleague.league.uses import worst_deals
from beanleague.service.access import Access
from beanleague.service.backend import Backend, Settings
from beanleague.service.ladders import LadderCalls
from beanleague.service.leagues import RatingCalls
from beanleague.service.matches import MatchCalls
from beanleague.service.pairs import show_integrity
from beanproto.v1 import league_pb2 as pb
from tests.league.fakepool import FakePools, play
from tests.league.helpers import league_run, store_with_bots, store_with_league, submit_late
from tests.league.ladder import playing
from tests.league.ladder.playing import Until, create

CONTEXT: Any = None  # these calls do not look at it
MATRIX = pb.MatrixWindow(row=0, rows=9, column=0, columns=9)


def newest(backend: Backend, bot: str = "") -> object:
    request = pb.ListMatchesRequest(league="spring", newest_first=True, bot=bot)
    return MatchCalls(backend, Access(None)).ListMatches(request, CONTEXT)


def ratings(backend: Backend, **more: Any) -> object:
    return RatingCalls(backend, Access(None)).Ratings(pb.RatingsRequest(league="spring", **more), CONTEXT)


CALLS: dict[str, Callable[[Backend], object]] = {
    "matches": newest,
    "matches of a bot": lambda backend: newest(backend, "bot1"),
    "ratings": ratings,
    "ratings of a bot": lambda backend: ratings(backend, history_of=pb.Entrant(bot="bot1", version=1)),
    "matrix": lambda backend: ratings(backend, matrix=MATRIX),
    "standings": lambda backend: RatingCalls(backend, Access(None)).Standings(
        pb.StandingsRequest(league="spring"), CONTEXT
    ),
    "integrity": lambda backend: show_integrity(backend.store, "spring"),
    "worst deals": lambda backend: list(worst_deals.worst_matches(backend.store, ())),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the league "spring", all of whose deals are played; to be copied."""
    file = tmp_path_factory.mktemp("played") / "a.db"
    with store_with_league(file, deals=3) as store:
        league_run(store, FakePools(play)).play()
    return file


@pytest.fixture
def backend(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    """A server with the league of `played`."""
    monkeypatch.setattr(worst_deals, "analysis_version", lambda: 1)  # asks a program
    backend = Backend(Settings(f"sqlite:///{shutil.copy(played, tmp_path)}"))
    yield backend
    backend.close()


@pytest.mark.parametrize("read", ["get", "entrants"])
@pytest.mark.parametrize("name", CALLS)
def test_a_bot_that_joins_between_two_reads_ends_no_call(backend: Backend, read: str, name: str) -> None:
    read = "list" if name == "worst deals" and read == "get" else read  # it looks at all leagues
    store = backend.store
    leagues = store.leagues
    first_read = getattr(leagues, read)

    def then_another_joins(*asked: str | int) -> object:
        found = first_read(*asked)
        delattr(leagues, read)
        submit_late(store)
        join(store, "spring", ["late"], 6)
        league_run(store, FakePools()).play()
        return found

    setattr(leagues, read, then_another_joins)
    assert CALLS[name](backend)
    assert store.leagues.get("spring").entrants == 6
    assert store.leagues.totals(1)[5].deals > 0


@pytest.mark.parametrize("call", ["ShowLadder", "LadderStatus"])
def test_a_bot_that_enters_a_ladder_between_two_reads_ends_no_call(tmp_path: Path, call: str) -> None:
    with store_with_bots(tmp_path / "a.db", 6) as store:
        create(store)
        playing.play(store, Until(20))
    backend = Backend(Settings(f"sqlite:///{tmp_path / 'a.db'}"))
    leagues = backend.store.leagues
    first_read = leagues.entrants

    def then_another_enters(league_id: int) -> object:
        found = first_read(league_id)
        delattr(leagues, "entrants")
        submit_late(backend.store)
        enter(backend.store, "spring", "late")
        playing.play(backend.store, Until(20))
        return found

    leagues.entrants = then_another_enters  # type: ignore[method-assign, assignment]
    calls = LadderCalls(backend, Access(None))
    requests = {"ShowLadder": pb.ShowLadderRequest(name="spring"), "LadderStatus": pb.LadderStatusRequest(bot="bot1")}
    assert getattr(calls, call)(requests[call], CONTEXT)
    assert backend.store.leagues.totals(1)[6].deals > 0
    backend.close()
