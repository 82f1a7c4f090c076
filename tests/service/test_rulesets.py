"""A small league of the house bots for every ruleset: it runs, stands, and its records verify."""

import hashlib
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from beanbot import load_bot
from beanbot.practice.at import decisions
from beanleague.games import ruleset, rulesets, verify
from beanleague.league.bots.bundles import pack
from beanleague.league.bots.house_bots import house_bots
from beanleague.names import format_bot
from beanleague.service.server import embedded
from beanleague.store import Store
from beanleague.wire import record_from_pb
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.helpers import SECRET, keep
from tests.variants import VARIANTS

LEAGUES = [
    *((game.id, "quick") for game in rulesets() if game.id not in VARIANTS),
    *(pytest.param(game.id, "all", marks=pytest.mark.slow) for game in rulesets()),
]
"""Who plays: the bots that think least, which are as many as the smallest table has seats; or all house bots."""

Played = Callable[[str, str], pb.LeagueInfo]


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LeagueStub]:
    """A server with the house bots; they are kept without trials."""
    home = tmp_path_factory.mktemp("rulesets")
    url = f"sqlite:///{home / 'a.db'}"
    with Store(url) as store:
        for folder in house_bots():
            keep(store, pack(folder))
    with embedded(url, cache=home / "cache", trust_bots=True) as channel:
        yield LeagueStub(channel)


def players(game: str, which: str) -> list[str]:
    """Return who plays: see `LEAGUES`."""
    bots = [folder.name for folder in house_bots(game)]
    quick = ["random", "novice", "beginner", "farmer"]
    return bots if which == "all" else [bot for bot in quick if bot in bots]


@pytest.fixture(scope="module")
def played(stub: LeagueStub) -> Played:
    """Play a league of one deal, once."""

    @cache
    def play(game: str, which: str) -> pb.LeagueInfo:
        bots = players(game, which)
        request = pb.CreateLeagueRequest(name=f"{game}-{which}", ruleset=game, deals=1, bots=bots, secret=SECRET)
        made = stub.CreateLeague(request)
        *_, last = stub.RunLeague(pb.RunLeagueRequest(name=made.name, workers=1))
        assert last.state == pb.RUN_STATE_DONE
        return made

    return play


@pytest.mark.parametrize(("game", "which"), LEAGUES)
def test_a_league_runs_and_its_records_verify(stub: LeagueStub, played: Played, game: str, which: str) -> None:
    bots = players(game, which)
    assert len(bots) > 1, "random, and one that plays better"
    solo = ruleset(game).most_seats == 1
    made = played(game, which)
    rated = stub.Standings(pb.StandingsRequest(league=made.name)).standings
    assert sorted(standing.bot for standing in rated) == sorted([*bots, *(["Bean Thief"] if solo else [])])
    assert not any(standing.faults for standing in rated)
    assert all(0 <= standing.mean_score < 60 for standing in rated)
    matches = stub.ListMatches(pb.ListMatchesRequest(league=made.name, limit=100)).matches
    assert len(matches) == made.matches_total == (len(bots) if solo else made.seats)
    for match in matches:
        found = stub.GetMatch(pb.GetMatchRequest(match=match.match))
        record = record_from_pb(found.record)
        assert verify(record).reproduced, verify(record).problem
        assert found.seed_digest == hashlib.sha256(record.seed).digest()
        assert found.info == match
        seats = match.seats[: record.seats]
        assert record.scores == tuple(seat.score for seat in seats)
        assert record.players == tuple(format_bot(seat.bot, seat.version) for seat in seats)


def test_practice_gives_a_bot_the_luck_that_it_had_in_the_league(stub: LeagueStub, played: Played) -> None:
    league = played("duel", "quick").name
    for number in range(2):
        record = record_from_pb(stub.GetMatch(pb.GetMatchRequest(match=f"{league}/1.{number}")).record)
        seat, asked = decisions(record, load_bot("random"))
        assert len(asked) == sum(move.seat == seat for move in record.moves)
        assert len({decision.action for decision in asked}) > 5
        assert not any(decision.otherwise for decision in asked)
