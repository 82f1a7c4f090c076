"""The pairs of bots of a league whose trades are far from what the rest do."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.records.trade_flow import added_up
from beanleague.league.errors import RequestError
from beanleague.league.integrity.flows import flows_of
from beanleague.league.integrity.pairs import PairFlow, judge
from beanleague.model import COMPARISON, League, TradeFlow
from beanleague.store.store import Store


@dataclass(frozen=True, slots=True)
class Integrity:
    """What was found about a league."""

    deals: int
    """Deals with trades."""
    pairs: tuple[tuple[PairFlow, TradeFlow, TradeFlow], ...]
    """Those found first, then by excess: the pair, what the giver gave in all, and what it got back."""


def integrity(store: Store, league: League) -> Integrity:
    """Compare what the bots of a league gave each other.

    Raises:
        RequestError: if the league is a comparison, or its bots have not traded.
    """
    if league.format == COMPARISON:
        raise RequestError(f"{league.name} is a comparison of two bots, which decides nothing for others")
    flows = store.trades.by_deal(league.id)
    if not flows:
        raise RequestError(f"{league.name} has no trades to compare: {_why_none(league)}")
    tables = enumerate(store.deals.tables(league.id), 1)
    judged = judge(flows_of(tables, league.matches_a_deal, flows))
    in_all = {(flow.giver, flow.receiver): flow for flow in added_up(flow for deal in flows.values() for flow in deal)}
    return Integrity(
        len(flows),
        tuple((pair, in_all[pair.giver, pair.receiver], in_all[pair.receiver, pair.giver]) for pair in judged),
    )


def _why_none(league: League) -> str:
    if not league.deals_done:
        return "no match is played yet"
    if league.rules < 2:
        return f"it was played under rules {league.rules}, and trades are stored since rules 2"
    return f"nothing was traded in its {league.ruleset}"
