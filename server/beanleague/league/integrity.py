"""Whether bots play into each other's hands: what they gave each other in trades, compared with what the others do.

What is expected. Some bots give more than they get, in every trade and with everybody: bad traders. So each bot has a
generosity, in dollars a trade, and the net flow expected between two is the difference of theirs, times the trades
between them. Generosities are fitted to all pairs but the one that is judged, and those found before.

What is found. A deal is *conspicuous* if at least `DEAL_DOLLARS` a match went from one bot to the other beyond what is
expected. A pair is found if it has more conspicuous deals than chance allows, by what the rest have and by what it has
the other way round; or if the mean excess is at least `MEAN_DOLLARS` a match, and its interval is above zero. Where
much is expected, as of very bad traders, part of that is allowed on top. Both risks of error are divided by the number
of pairs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

from beanleague.games.records.trade_flow import TradeFlow, added_up
from beanleague.league.errors import RequestError
from beanleague.league.ratings.intervals import t_quantile
from beanleague.model import COMPARISON, League
from beanleague.store.store import Store

DEAL_DOLLARS = 1.5
MEAN_DOLLARS = 0.7
SMALL_DOLLARS = 0.5
TOLERANCE = 0.5
"""Of what is expected beyond `SMALL_DOLLARS` a match, the share that is no news on top: no two bad trades are alike."""
RISK = 0.01
"""Chance that a league of honest bots has a pair that is found in one of the two ways."""
_MIN_SHARE = 0.01  # of deals that are taken to be conspicuous by chance, if the rest have fewer
_MIN_DEALS = 5  # of a pair, to be judged
_MIN_OTHERS = 2  # that each of the two has traded with: from one alone nobody can say what is usual
_MAX_FOUND = 20
_ROUNDING = 1e-9

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


@dataclass(frozen=True, slots=True)
class PairFlow:
    """The flow between two bots, from the one that gives more than is expected."""

    giver: int
    """The bot that gives."""
    receiver: int
    """The bot that receives."""
    excess: float
    """Dollars a match that it gives, less what comes back, and less what is expected of the two."""
    interval: float | None
    """Half the width of the 95 % interval of `excess`; None with fewer than two deals."""
    deals: int
    """Deals in which the two sat together."""
    conspicuous: tuple[int, ...]
    """Numbers of the conspicuous deals, the largest excess first."""
    found: bool
    """Whether this is far from what the rest do."""


def judge(flows: Flows) -> tuple[PairFlow, ...]:
    """Return all pairs that can be compared with others: those found first, then by excess."""
    left_out = np.zeros(len(flows.pairs), np.bool_)
    while True:
        judged = _Judge(flows, left_out).pairs()
        suspects = [(flow.excess, pair) for pair, flow in judged if flow.found and not left_out[pair]]
        if not suspects or left_out.sum() == _MAX_FOUND:
            return tuple(sorted((flow for _, flow in judged), key=lambda flow: (not flow.found, -flow.excess)))
        left_out[max(suspects)[1]] = True


class _Judge:
    """Judges each pair by the rest. `left_out`: pairs that were found, from which nothing is expected."""

    def __init__(self, flows: Flows, left_out: NDArray[np.bool_]) -> None:
        self._flows = flows
        pairs = len(flows.pairs)
        self._deals = np.bincount(flows.pair, minlength=pairs)
        self._trades = np.bincount(flows.pair, flows.trades, pairs)
        self._matches = np.bincount(flows.pair, flows.matches, pairs)
        self._rate = np.bincount(flows.pair, flows.net, pairs) / self._trades  # dollars a trade
        self._fit(np.where(left_out, 0, self._trades))
        excess = (self._rate - self._sides @ (self._share @ self._rate)) / self._own
        self._excess = excess * self._trades / self._matches  # dollars a match
        self._expected = flows.trades * (self._rate - excess)[flows.pair] / flows.matches
        self._by_deal = flows.net / flows.matches - self._expected
        odd = np.bincount(flows.pair, np.abs(self._by_deal) >= DEAL_DOLLARS, pairs)
        rest = self._comparable & ~left_out
        self._odd_in_rest, self._deals_of_rest = np.where(rest, odd, 0), np.where(rest, self._deals, 0)
        degrees = np.maximum(self._deals - 1, 1)
        self._quantile, self._quantile_95 = (
            t_quantile(1 - RISK / max(pairs, 1) / 2, degrees),
            t_quantile(0.975, degrees),
        )

    def _fit(self, weights: Reals) -> None:
        """Fit generosities to the rates of all pairs by weighted least squares.

        `_share[b, p]`: how much the rate of pair p counts for bot b. `_own`: 1 less what it counts for itself.
        """
        pairs = np.arange(len(self._flows.pairs))
        self._sides = np.zeros((len(pairs), int(self._flows.pairs.max(initial=-1)) + 1))
        self._sides[pairs, self._flows.pairs[:, 0]] = 1
        self._sides[pairs, self._flows.pairs[:, 1]] = -1
        weighted = (weights[:, None] * self._sides).T
        self._share = np.linalg.pinv(weighted @ self._sides) @ weighted
        own = 1 - (self._sides * self._share.T).sum(axis=1)
        reached = np.abs(self._sides @ (self._share @ self._sides) - self._sides).max(axis=1, initial=0)
        others = np.bincount(self._flows.pairs.ravel())[self._flows.pairs].min(axis=1) - 1
        self._comparable = (own > _ROUNDING) & (reached < _ROUNDING) & (others >= _MIN_OTHERS)
        self._own = np.where(self._comparable, own, 1)

    def pairs(self) -> list[tuple[int, PairFlow]]:
        """Return index and flow of each pair that can be compared."""
        return [(pair, self._pair(pair)) for pair in np.flatnonzero(self._comparable).tolist()]

    def _pair(self, pair: int) -> PairFlow:
        mine = self._flows.pair == pair
        deals = int(self._deals[pair])
        sign = 1 if self._excess[pair] >= 0 else -1
        excess, spread = float(abs(self._excess[pair])), self._spread(pair)
        by_deal = sign * self._by_deal[mine]
        tolerated = TOLERANCE * np.maximum(np.abs(self._expected[mine]) - SMALL_DOLLARS, 0)
        odd = np.flatnonzero(by_deal >= DEAL_DOLLARS + tolerated)
        against = ((by_deal <= -DEAL_DOLLARS).sum() + 0.5) / (deals + 1)
        often = _at_least(len(odd), deals, (self._share_of_rest(pair) + against) / 2) < RISK / len(self._rate)
        much = excess >= max(MEAN_DOLLARS, self._quantile[pair] * spread) + tolerated.mean()
        giver, receiver = self._flows.pairs[pair][::sign].tolist()
        numbers = self._flows.deal[mine][odd[np.argsort(-by_deal[odd], kind="stable")]]
        return PairFlow(
            giver=giver,
            receiver=receiver,
            excess=excess,
            interval=float(self._quantile_95[pair] * spread) if deals > 1 else None,
            deals=deals,
            conspicuous=tuple(numbers.tolist()),
            found=bool(deals >= _MIN_DEALS and (often or much)),
        )

    def _spread(self, pair: int) -> float:
        """Return the standard error of the excess of a pair, in dollars a match, from how it varies between deals."""
        flows = self._flows
        counts = -(self._sides[pair] @ self._share)  # how much the rate of each pair counts in the excess of this one
        counts[pair] += 1
        pull = (counts / self._trades)[flows.pair] * (flows.net - flows.trades * self._rate[flows.pair])
        deals = self._deals[pair]
        variance = (np.bincount(flows.deal, pull) ** 2).sum() * deals / max(deals - 1, 1)
        return float(np.sqrt(variance) / self._own[pair] * self._trades[pair] / self._matches[pair])

    def _share_of_rest(self, pair: int) -> float:
        """Return which share of the deals of other pairs is conspicuous in one direction, on average of the two."""
        deals = self._deals_of_rest.sum() - self._deals_of_rest[pair]
        odd = (self._odd_in_rest.sum() - self._odd_in_rest[pair]) / 2
        return max(float(odd / deals) if deals else 0.0, _MIN_SHARE)


def _at_least(successes: int, trials: int, chance: float) -> float:
    """Return the probability of at least so many successes. `chance`: above 0, below 1."""
    # In logs: of thousands of trials, how many choices there are is more than a float holds.
    ways = (lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) for k in range(successes))
    fewer = (exp(log_ways + k * log(chance) + (trials - k) * log1p(-chance)) for k, log_ways in enumerate(ways))
    return 1 - sum(fewer)


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
