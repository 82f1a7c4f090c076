"""Deals are kept with the node that played them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from beanleague.model import Fault, FaultKind, League, Node, NodeTotals, PlayedDeal
from beanleague.store import ConflictError
from beanleague.store.store import Store
from tests.store.helpers import NODE, add_bots, add_league, deal

RIGHT = replace(NODE, name="right")
UPDATED = replace(NODE, beanleague="0.3.0")
OTHER_CPU = replace(RIGHT, cpu="another CPU")


def played_by(node: Node, number: int, faults: int = 0) -> PlayedDeal:
    return replace(deal(number, faults=[(0, 1)] * faults), node=node)


class TestDeals:
    def test_a_deal_is_kept_with_who_played_it(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [played_by(NODE, 1), played_by(RIGHT, 2), played_by(UPDATED, 3)])
        store.deals.commit(league.id, [played_by(NODE, 4), deal(5)])
        nodes = [each.node for each in store.deals.list(league.id)]
        assert nodes == [NODE, RIGHT, UPDATED, NODE, None, *[None] * 5]

    def test_a_void_deal_is_kept_with_where_it_failed(self, store: Store, league: League) -> None:
        store.deals.voided(league.id, 3, "the worker died", RIGHT)
        store.deals.voided(league.id, 3, "nobody knows where")
        assert {void.reason: void.node for void in store.deals.voids(league.id, limit=9)} == {
            "the worker died": RIGHT,
            "nobody knows where": None,
        }


class TestTotals:
    def test_faults_and_deals_played_again_are_counted_by_node(self, store: Store, league: League) -> None:
        crash = played_by(RIGHT, 3)
        one = replace(crash.matches[0], faults=(Fault(0, 9, FaultKind.CRASH, "it crashed", forfeited=True),))
        store.deals.commit(
            league.id,
            [played_by(NODE, 1, 2), played_by(RIGHT, 2, 1), replace(crash, matches=(one, *crash.matches[1:])), deal(4)],
        )
        store.deals.voided(league.id, 5, "the worker died", RIGHT)
        assert store.nodes.totals(league.id) == (
            NodeTotals(NODE, deals=1, voids=0, faults=2, timeouts=2),
            NodeTotals(RIGHT, deals=2, voids=1, faults=2, timeouts=1),
        )

    def test_a_node_that_played_nothing_that_counts_is_there_with_what_failed(
        self, store: Store, league: League
    ) -> None:
        store.deals.voided(league.id, 5, "the worker died", NODE)
        assert store.nodes.totals(league.id) == (NodeTotals(NODE, deals=0, voids=1, faults=0, timeouts=0),)

    def test_leagues_do_not_share_what_a_node_did(self, store: Store, league: League) -> None:
        other = add_league(store, [1, 2, 3], "autumn")
        store.deals.commit(league.id, [played_by(NODE, 1, 1)])
        store.deals.commit(other.id, [played_by(NODE, 1)])
        assert store.nodes.totals(other.id) == (NodeTotals(NODE, deals=1, voids=0, faults=0, timeouts=0),)


class TestOneCpu:
    @pytest.fixture
    def strict(self, store: Store) -> League:
        """A league that is to be played on one model of CPU."""
        return add_league(store, add_bots(store, 4), one_cpu=True)

    def test_the_first_deal_decides_the_model(self, store: Store, strict: League) -> None:
        assert store.leagues.get("spring").cpu == ""
        store.deals.commit(strict.id, [played_by(NODE, 1), played_by(RIGHT, 2)])
        assert store.leagues.get("spring").cpu == NODE.cpu

    @pytest.mark.parametrize("before", [1, 0])
    def test_a_deal_of_another_model_is_refused_and_nothing_is_stored(
        self, store: Store, strict: League, before: int
    ) -> None:
        if before:
            store.deals.commit(strict.id, [played_by(NODE, 1)])
        with pytest.raises(
            ConflictError, match=r"deal 3 was played on another CPU, but .* on a CPU; nothing was stored"
        ):
            store.deals.commit(strict.id, [played_by(NODE, 2), played_by(OTHER_CPU, 3)])
        assert store.leagues.get("spring").deals_done == before
        assert store.leagues.get("spring").cpu == NODE.cpu * before

    def test_other_leagues_are_played_on_any(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [played_by(NODE, 1), played_by(OTHER_CPU, 2)])
        assert store.leagues.get("spring").cpu == ""
        assert store.leagues.get("spring").deals_done == 2
