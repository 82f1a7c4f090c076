"""Which pairs are found, and what is said of a league."""

import zlib
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from beanleague.games.records.trade_flow import TradeFlow, added_up, trade_flows
from beanleague.league.errors import RequestError
from beanleague.league.integrity import Flows, PairFlow, flows_of, integrity, judge
from beanleague.league.ratings.intervals import t_quantile
from beanleague.model import MatchFilter
from beanleague.store import Store
from beanleague.wire import record_from_pb
from beanproto.v1 import referee_pb2 as pb
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools, play
from tests.league.helpers import league_run
from tests.league.schedule.helpers import tables

NOISE = 0.5  # dollars a match, of a pair in a deal; between traders it is 0.4 to 0.6
SPREAD = 3.0  # dollars, of a score; among traders it is 2.7 to 3.2
TRADES = 9  # of a pair in a match


def made_up(
    bots: int,
    deals: int,
    *,
    seed: int = 1,
    generosity: dict[int, float] | None = None,
    gifts: dict[tuple[int, int], float] | None = None,
    share: float = 1.0,
    silent: frozenset[int] = frozenset(),
    spread: float = SPREAD,
) -> tuple[PairFlow, ...]:
    """Judge a league at four seats.

    `generosity`: dollars a trade that a bot gives away to all; `gifts`: dollars a match from one bot to another, in a
    `share` of the deals; `silent`: bots that never trade.
    """
    rng = np.random.default_rng(seed)
    played = list(enumerate(tables(bots, 4, deals), 1))
    flows = {}
    for number, table in played:
        serves = rng.random() < share
        rows = []
        for a, b in combinations([bot for bot in table if bot not in silent], 2):
            net = rng.normal(0, NOISE) + TRADES * ((generosity or {}).get(a, 0) - (generosity or {}).get(b, 0))
            if serves:
                net += (gifts or {}).get((a, b), 0) - (gifts or {}).get((b, a), 0)
            cents = round(4 * 100 * net)
            rows += [
                TradeFlow(a, b, 4 * TRADES, 20, 0, 1_000 + max(cents, 0)),
                TradeFlow(b, a, 4 * TRADES, 20, 0, 1_000 + max(-cents, 0)),
            ]
        flows[number] = tuple(rows)
    return judge(flows_of(played, 4, flows), spread)


def found(pairs: tuple[PairFlow, ...]) -> list[tuple[int, int]]:
    return [(pair.giver, pair.receiver) for pair in pairs if pair.found]


@pytest.mark.parametrize(
    ("gift", "share"), [(2.0, 1.0), (1.3, 1.0), (3.0, 1 / 3)], ids=["large", "small", "in one deal of three"]
)
def test_a_mule_is_found_with_its_boss_and_nobody_else(gift: float, share: float) -> None:
    for seed in range(5):
        pairs = made_up(4, 40, seed=seed, gifts={(2, 1): gift}, share=share)
        assert found(pairs) == [(2, 1)]
        assert pairs[0].excess == pytest.approx(gift * share, abs=4 * gift * share / 6)


def test_a_certain_but_small_excess_is_not_flagged() -> None:
    """As an earlier haggler gave merchant a dollar a match."""
    assert found(made_up(7, 105, gifts={(2, 1): 1.0})) == [(2, 1)]
    assert found(made_up(7, 105, gifts={(2, 1): 1.0}, spread=5.6)) == []
    assert found(made_up(7, 105, gifts={(2, 1): 2.0}, spread=5.6)) == [(2, 1)]


@pytest.mark.slow
def test_a_mule_is_found_in_a_league_of_ten_thousand_deals() -> None:
    assert found(made_up(4, 10_000, gifts={(2, 1): 3.0}, share=0.1)) == [(2, 1)]


def test_deals_to_look_at_are_those_with_gifts_the_largest_first() -> None:
    (pair, *_) = made_up(4, 40, gifts={(2, 1): 4.0}, share=0.3)
    assert 5 <= len(pair.conspicuous) <= 19
    assert set(pair.conspicuous) <= set(range(1, 41))


def test_honest_pairs_are_not_found() -> None:
    for seed in range(5):
        assert found(made_up(9, 240, seed=seed)) == []


def test_a_bad_trader_gives_to_all_and_is_not_found() -> None:
    for seed in range(10):
        pairs = made_up(6, 60, seed=seed, generosity={3: 0.25, 5: 0.1}, silent=frozenset({0}))
        assert found(pairs) == []
        assert all(0 not in (pair.giver, pair.receiver) for pair in pairs)


def test_two_mules_of_one_boss_are_both_found() -> None:
    assert set(found(made_up(6, 90, gifts={(0, 5): 2.0, (3, 5): 2.0}))) == {(0, 5), (3, 5)}


def test_a_pair_that_nobody_can_be_compared_with_is_left_out() -> None:
    """The only two that trade: nobody knows whether one gives to all."""
    assert made_up(4, 40, gifts={(0, 1): 3.0}, silent=frozenset({2, 3})) == ()


def test_three_bots_are_too_few_to_say_who_does_more_than_the_rest() -> None:
    assert made_up(4, 40, generosity={0: 0.3}, gifts={(0, 1): 3.0}, silent=frozenset({3})) == ()


def test_the_interval_covers_the_excess_in_about_95_of_100_leagues() -> None:
    covered = [
        abs(pair.excess - (1 if pair.giver == 0 else -1) * 0.3) <= pair.interval
        for seed in range(40)
        for pair in made_up(5, 25, seed=seed, gifts={(0, 1): 0.3})
        if {pair.giver, pair.receiver} == {0, 1} and pair.interval
    ]
    assert 0.87 <= np.mean(covered) <= 1


def test_the_interval_is_that_of_the_excess_as_a_sum_over_deals() -> None:
    """With full matrices: how much the rate of each pair counts, and how each deal moves it."""
    rng = np.random.default_rng(3)
    pairs = np.array(list(combinations(range(5), 2)))
    pair, deal = np.tile(np.arange(10), 12), np.repeat(np.arange(12), 10)
    seated = (pairs[pair] != rng.integers(0, 5, 12)[deal, None]).all(axis=1)  # one bot sits out each deal
    pair, deal = pair[seated], deal[seated]
    trades, net = rng.integers(1, 9, len(pair)), rng.normal(0, 2, len(pair))
    judged = judge(Flows(pairs, pair, deal, np.full(len(pair), 4), trades, net), SPREAD)
    sides = np.zeros((10, 5))
    sides[np.arange(10), pairs[:, 0]], sides[np.arange(10), pairs[:, 1]] = 1, -1
    total, matches = np.bincount(pair, trades), 4 * np.bincount(pair)
    share = np.linalg.pinv(sides.T @ (total[:, None] * sides)) @ (total[:, None] * sides).T
    counts = np.eye(10) - sides @ share  # how much the rate of each pair counts in the excess of each
    surprise = (net - trades * (np.bincount(pair, net) / total)[pair]) / total[pair]
    for flow in judged:
        own = int(np.flatnonzero((pairs == sorted((flow.giver, flow.receiver))).all(axis=1))[0])
        by_deal = np.bincount(deal, counts[own, pair] * surprise)
        error = np.sqrt((by_deal**2).sum() * flow.deals / (flow.deals - 1)) / counts[own, own]
        assert flow.interval == pytest.approx(
            float(t_quantile(0.975, flow.deals - 1)) * error * total[own] / matches[own], rel=1e-9
        )


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
def test_stored_flows_follow_from_the_records(make_league: MakeLeague, seats: int, all_seatings: bool) -> None:
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
    with pytest.raises(RequestError, match="spring has no trades to compare: no match has been played yet"):
        integrity(store, store.leagues.get("spring"))
    league_run(store, FakePools(play)).play()
    with pytest.raises(RequestError, match="nothing was traded in its duel"):
        integrity(store, store.leagues.get("spring"))
