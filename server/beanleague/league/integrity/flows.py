"""The net flows between the bots of a league, deal by deal, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from beanleague.games.records.trade_flow import TradeFlow

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Flows:
    """Pairs of bots, the smaller number first, and what happened between the two in each deal of theirs."""

    pairs: Numbers
    """The bots of each pair that traded: shape (pairs, 2)."""
    pair: Numbers
    """Of each observation, which is a pair in a deal: the index of the pair. All below are of observations."""
    deal: Numbers
    """Number of the deal."""
    matches: Numbers
    """Matches in which the two sat together."""
    trades: Numbers
    """Trades between the two."""
    net: Reals
    """Dollars' worth that the first bot gave, less what it got back."""


def flows_of(
    tables: Iterable[tuple[int, Sequence[int]]], matches: int, flows: Mapping[int, Sequence[TradeFlow]]
) -> Flows:
    """Return the flows of deals. `tables`: number and bots of each deal; `matches`: of each; `flows`: by number.

    Deals without any trade, of which those of early versions are some, are left out.
    """
    index: dict[tuple[int, int], int] = {}
    rows: list[tuple[int, int, int, float]] = []
    for number, table in tables:
        given = {(flow.giver, flow.receiver): flow for flow in flows.get(number, ())}
        if not given:
            continue
        for pair in combinations(sorted(table), 2):
            there, back = given.get(pair), given.get(pair[::-1])  # both, or none
            net = there.cents - back.cents if there and back else 0
            rows.append((index.setdefault(pair, len(index)), number, there.trades if there else 0, net / 100))
    pairs = np.array(list(index), np.int64).reshape(-1, 2)
    columns = np.array(rows, np.float64).reshape(-1, 4)
    number_of, deals, trades = columns[:, :3].astype(np.int64).T
    traded = np.bincount(number_of, trades, len(pairs)) > 0
    kept = traded[number_of]
    return Flows(
        pairs=pairs[traded],
        pair=(np.cumsum(traded) - 1)[number_of[kept]],
        deal=deals[kept],
        matches=np.full(int(kept.sum()), matches),
        trades=trades[kept],
        net=columns[kept, 3],
    )
