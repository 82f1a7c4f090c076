"""A small league of real bot processes for every ruleset: it runs, stands, and its records verify."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from beanleague.games import ruleset, rulesets, verify
from beanleague.league.bundles import read_bundle
from beanleague.service import embedded
from beanleague.store.store import Store
from beanleague.wire import record_from_pb
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.helpers import SECRET, bundle

BOTS = ("ann", "bob", "cat")
CODE = """
from beanbot import Bot, run

class Any(Bot):
    def decide(self, view):
        return view.default() if self.random.random() < 0.5 else self.random.choice(view.legal())

run(Any)
"""
GAMES = [game.id for game in rulesets()]


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LeagueStub]:
    """A server with three bots that play everything; they are kept without trials."""
    home = tmp_path_factory.mktemp("rulesets")
    url = f"sqlite:///{home / 'a.db'}"
    with Store(url) as store:
        for name in BOTS:
            made = read_bundle(bundle(name, f"# {name}{CODE}", GAMES))
            store.bots.add(made.manifest, made.digest, made.data)
    with embedded(url, cache=home / "cache") as channel:
        yield LeagueStub(channel)


@pytest.mark.parametrize("game", GAMES)
def test_a_league_runs_and_its_records_verify(stub: LeagueStub, game: str) -> None:
    solo = ruleset(game).most_seats == 1
    made = stub.CreateLeague(pb.CreateLeagueRequest(name=f"l-{game}", ruleset=game, deals=1, secret=SECRET))
    *_, last = stub.RunLeague(pb.RunLeagueRequest(name=made.name, workers=1))
    assert last.state == pb.RUN_STATE_DONE
    found = stub.Standings(pb.StandingsRequest(league=made.name)).standings
    assert sorted(standing.bot for standing in found) == sorted([*BOTS, *(["Bean Thief"] if solo else [])])
    assert not any(standing.faults for standing in found)
    assert all(0 <= standing.mean_score < 60 for standing in found)
    matches = stub.ListMatches(pb.ListMatchesRequest(league=made.name, limit=100)).matches
    assert len(matches) == made.matches_total == (len(BOTS) if solo else made.seats)
    for match in matches:
        record = record_from_pb(stub.GetMatch(pb.GetMatchRequest(match=match.match)).record)
        assert verify(record).reproduced, verify(record).problem
        assert [seat.score for seat in match.seats][: record.seats] == list(record.scores)
