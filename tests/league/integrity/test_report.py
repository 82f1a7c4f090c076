"""What bots of a league gave each other: kept with each deal, the same as in the records, and compared."""

from __future__ import annotations

import zlib
from dataclasses import replace

import pytest

from beanleague.games.records.trade_flow import added_up, trade_flows
from beanleague.league.errors import RequestError
from beanleague.league.integrity.report import integrity
from beanleague.model import MatchFilter, TradeFlow
from beanleague.store.store import Store
from beanleague.wire import record_from_pb
from beanproto.v1 import referee_pb2 as pb
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools, play
from tests.league.helpers import league_run


def from_records(store: Store, deal: int) -> tuple[TradeFlow, ...]:
    """Return the flows of a deal, computed from its records."""
    flows = []
    for match in store.matches.list(1, MatchFilter(deal=deal)):
        _, packed = store.matches.get(1, deal, match.rotation)
        record = record_from_pb(pb.Record.FromString(zlib.decompress(packed)))
        entrants = [seat.entrant for seat in match.seats]
        flows += [
            replace(flow, giver=entrants[flow.giver], receiver=entrants[flow.receiver])
            for flow in trade_flows(record.seats, record.events)
        ]
    return added_up(flows)


@pytest.mark.parametrize(("seats", "all_seatings"), [(4, False), (3, True)])
def test_what_is_kept_follows_from_the_records(make_league: MakeLeague, seats: int, all_seatings: bool) -> None:
    store = make_league(seats=seats, all_seatings=all_seatings, deals=3)
    league_run(store, FakePools(play)).play()
    kept = store.trades.by_deal(1)
    assert set(kept) == {1, 2, 3}
    for deal, flows in kept.items():
        assert flows
        assert flows == from_records(store, deal)


def test_pairs_of_a_league_are_compared(make_league: MakeLeague) -> None:
    store = make_league(deals=6)
    league_run(store, FakePools(play)).play()
    found = integrity(store, store.leagues.get("spring"))
    assert found.deals == 6
    assert found.pairs
    for pair, given, received in found.pairs:
        assert (given.giver, given.receiver) == (pair.giver, pair.receiver) == (received.receiver, received.giver)
        assert given.trades == received.trades > 0


def test_where_nothing_was_traded_that_is_said(make_league: MakeLeague) -> None:
    store = make_league(bots=3, seats=2, deals=3, game="duel")
    with pytest.raises(RequestError, match="spring has no trades to compare: no match is played yet"):
        integrity(store, store.leagues.get("spring"))
    league_run(store, FakePools(play)).play()
    with pytest.raises(RequestError, match="nothing was traded in its duel"):
        integrity(store, store.leagues.get("spring"))
