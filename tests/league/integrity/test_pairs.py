"""Pairs that are found, in flows made up with known sizes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from beanleague.games.records.trade_flow import TradeFlow
from beanleague.league.integrity.flows import flows_of
from beanleague.league.integrity.pairs import PairFlow, judge
from beanleague.league.schedule.schedule import tables

NOISE = 0.5  # dollars a match, of a pair in a deal; between traders it is 0.4 to 0.6
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
    return judge(flows_of(played, 4, flows))


def found(pairs: tuple[PairFlow, ...]) -> list[tuple[int, int]]:
    return [(pair.giver, pair.receiver) for pair in pairs if pair.found]


@pytest.mark.parametrize(
    ("gift", "share"), [(2.0, 1.0), (1.0, 1.0), (3.0, 1 / 3)], ids=["large", "small", "in one deal of three"]
)
def test_a_mule_is_found_with_its_boss_and_nobody_else(gift: float, share: float) -> None:
    for seed in range(5):
        pairs = made_up(4, 40, seed=seed, gifts={(2, 1): gift}, share=share)
        assert found(pairs) == [(2, 1)]
        assert pairs[0].excess == pytest.approx(gift * share, abs=4 * gift * share / 6)


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
