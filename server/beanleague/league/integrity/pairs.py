"""Which pairs of bots give each other more than the rest do: by size, with intervals clustered by deal.

What is expected. Some bots give more than they get, in every trade and with everybody: bad traders. So each bot has a
generosity, in dollars a trade, and the net flow expected between two is the difference of theirs, times the trades
between them. Generosities are fitted to all pairs but the one that is judged, and those found before.

What is found. A deal is *conspicuous* if at least `DEAL_DOLLARS` a match went from one bot to the other beyond what is
expected. A pair is found if it has more conspicuous deals than chance allows, by what the rest have and by what it has
the other way round; or if the mean excess is at least `MEAN_DOLLARS` a match, and its interval is above zero.
Both risks of error are divided by the number of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from beanleague.league.integrity.flows import Flows
from beanleague.league.ratings.student_t import quantile

DEAL_DOLLARS = 1.5
MEAN_DOLLARS = 0.7
RISK = 0.01
"""Chance that a league of honest bots has a pair that is found in one of the two ways."""

_LEAST_SHARE = 0.01  # of deals that are taken to be conspicuous by chance, if the rest have fewer
_LEAST_DEALS = 5  # of a pair, to be judged
_MAX_FOUND = 20
_CONNECTED = 1e-9


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
    found: list[PairFlow] = []
    while True:
        judged = _Judge(flows, left_out).pairs()
        suspects = [(pair, flow) for pair, flow in judged if flow.found and not left_out[pair]]
        if not suspects or len(found) == _MAX_FOUND:
            flows_now = [flow for _, flow in judged]
            return tuple(sorted(flows_now, key=lambda flow: (not flow.found, -flow.excess)))
        pair, flow = max(suspects, key=lambda suspect: suspect[1].excess)
        left_out[pair] = True
        found.append(flow)


class _Judge:
    """Judges each pair by the rest. `left_out`: pairs that were found, from which nothing is expected."""

    def __init__(self, flows: Flows, left_out: NDArray[np.bool_]) -> None:
        self._flows = flows
        self._left_out = left_out
        pairs = len(flows.pairs)
        bots = int(flows.pairs.max(initial=-1)) + 1
        self._trades = np.bincount(flows.pair, flows.trades, pairs)
        self._matches = np.bincount(flows.pair, flows.matches, pairs)
        self._rate = np.bincount(flows.pair, flows.net, pairs) / self._trades  # dollars a trade
        design = np.zeros((pairs, bots))
        design[np.arange(pairs), flows.pairs[:, 0]] = 1
        design[np.arange(pairs), flows.pairs[:, 1]] = -1
        weight = np.where(left_out, 0, self._trades)
        inverse = np.linalg.pinv(design.T @ (weight[:, None] * design))
        hat = design @ inverse @ (design * weight[:, None]).T
        own = hat.diagonal()
        reached = np.abs(design @ inverse @ (design.T @ (weight[:, None] * design)) - design).max(axis=1, initial=0)
        self._comparable = (own < 1 - _CONNECTED) & (reached < _CONNECTED)
        # Row p: how much each pair's rate counts in that of p, less what all but p let expect.
        self._excess_of = (np.eye(pairs) - hat) / np.where(self._comparable, 1 - own, 1)[:, None]
        self._expected = self._rate - self._excess_of @ self._rate
        degrees = np.maximum(np.arange(np.bincount(flows.pair).max(initial=0) + 1) - 1, 1)  # by number of deals
        self._quantile, self._quantile_95 = quantile(1 - RISK / max(pairs, 1) / 2, degrees), quantile(0.975, degrees)
        self._by_deal = (flows.net - flows.trades * self._expected[flows.pair]) / flows.matches

    def pairs(self) -> list[tuple[int, PairFlow]]:
        counts = np.bincount(self._flows.pair, minlength=len(self._rate))
        return [(int(p), self._pair(int(p))) for p in np.flatnonzero(self._comparable & (counts > 0))]

    def _pair(self, pair: int) -> PairFlow:
        flows = self._flows
        mine = np.flatnonzero(flows.pair == pair)
        deals = len(mine)
        scale = self._trades[pair] / self._matches[pair]  # from dollars a trade to dollars a match
        excess = float(self._excess_of[pair] @ self._rate * scale)
        sign = 1 if excess >= 0 else -1
        spread = self._spread(pair) * scale
        by_deal = sign * self._by_deal[mine]
        odd = np.flatnonzero(by_deal >= DEAL_DOLLARS)
        by_chance = (self._share_of_rest(pair) + ((by_deal <= -DEAL_DOLLARS).sum() + 0.5) / (deals + 1)) / 2
        often = _at_least(len(odd), deals, by_chance) < RISK / len(self._rate)
        much = abs(excess) >= max(MEAN_DOLLARS, self._quantile[deals] * spread)
        giver, receiver = flows.pairs[pair][::sign].tolist()
        numbers = flows.deal[mine][odd[np.argsort(-by_deal[odd], kind="stable")]]
        return PairFlow(
            giver=giver,
            receiver=receiver,
            excess=abs(excess),
            interval=float(self._quantile_95[deals] * spread) if deals > 1 else None,
            deals=deals,
            conspicuous=tuple(numbers.tolist()),
            found=bool(deals >= _LEAST_DEALS and (often or much)),
        )

    def _spread(self, pair: int) -> float:
        """Return the standard error of the excess of a pair in dollars a trade, from how it varies between deals."""
        flows = self._flows
        share = self._excess_of[pair][flows.pair] / self._trades[flows.pair]
        pull = share * (flows.net - flows.trades * self._rate[flows.pair])
        by_deal = np.bincount(flows.deal, pull)
        deals = int((flows.pair == pair).sum())
        return float(np.sqrt((by_deal**2).sum() * deals / max(deals - 1, 1)))

    def _share_of_rest(self, pair: int) -> float:
        """Return which share of the deals of other pairs is conspicuous, in one direction."""
        rest = (self._flows.pair != pair) & ~self._left_out[self._flows.pair] & self._comparable[self._flows.pair]
        count = int(rest.sum())
        odd = int((np.abs(self._by_deal[rest]) >= DEAL_DOLLARS).sum())
        return max(odd / 2 / count if count else 0.0, _LEAST_SHARE)


def _at_least(successes: int, trials: int, chance: float) -> float:
    """Return the probability of at least so many successes."""
    return 1 - sum(comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(successes))
