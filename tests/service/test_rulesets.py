"""A small league of the house bots for every ruleset: it runs, stands, and its records verify."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from beanbot import load_bot
from beanbot.practice.at import decisions
from beanleague.games import ruleset, rulesets, verify
from beanleague.league.bots.bundles import pack
from beanleague.league.bots.house_bots import house_bots
from beanleague.service.server import embedded
from beanleague.store.store import Store
from beanleague.wire import record_from_pb
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.helpers import SECRET, keep

VARIANTS = {
    "bohnanza-extended",
    "bohnanza-classic",
    "dice-2012",
    "bean-thief-easy",
    "bean-thief-normal",
    "bean-thief-hard",
}
"""Rulesets that differ little from another one."""
GAMES = [
    pytest.param(game.id, marks=pytest.mark.slow) if game.id in VARIANTS else pytest.param(game.id)
    for game in rulesets()
]


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


@pytest.mark.parametrize("game", GAMES)
def test_a_league_runs_and_its_records_verify(stub: LeagueStub, game: str) -> None:
    bots = [folder.name for folder in house_bots(game)]
    assert len(bots) > 1, "random, and one that plays well"
    solo = ruleset(game).most_seats == 1
    made = stub.CreateLeague(pb.CreateLeagueRequest(name=f"l-{game}", ruleset=game, deals=1, secret=SECRET))
    *_, last = stub.RunLeague(pb.RunLeagueRequest(name=made.name, workers=1))
    assert last.state == pb.RUN_STATE_DONE
    found = stub.Standings(pb.StandingsRequest(league=made.name)).standings
    assert sorted(standing.bot for standing in found) == sorted([*bots, *(["Bean Thief"] if solo else [])])
    assert not any(standing.faults for standing in found)
    assert all(0 <= standing.mean_score < 60 for standing in found)
    matches = stub.ListMatches(pb.ListMatchesRequest(league=made.name, limit=100)).matches
    assert len(matches) == made.matches_total == (len(bots) if solo else made.seats)
    for match in matches:
        record = record_from_pb(stub.GetMatch(pb.GetMatchRequest(match=match.match)).record)
        assert verify(record).reproduced, verify(record).problem
        assert [seat.score for seat in match.seats][: record.seats] == list(record.scores)


def test_practice_gives_a_bot_the_luck_that_it_had_in_the_league(stub: LeagueStub) -> None:
    request = pb.CreateLeagueRequest(name="luck", ruleset="duel", deals=1, bots=["random", "novice"], secret=SECRET)
    stub.CreateLeague(request)
    *_, last = stub.RunLeague(pb.RunLeagueRequest(name="luck", workers=1))
    assert last.state == pb.RUN_STATE_DONE
    for number in range(2):
        record = record_from_pb(stub.GetMatch(pb.GetMatchRequest(match=f"luck/1.{number}")).record)
        seat, asked = decisions(record, load_bot("random"))
        assert len(asked) == sum(move.seat == seat for move in record.moves)
        assert len({decision.action for decision in asked}) > 5
        assert not any(decision.otherwise for decision in asked)
