"""Detection of collusion: gifts between bots in trades, compared with the habits of the other bots.

Expectation. Some bots give more than they get in every trade: bad traders. So each bot has a generosity, in dollars per
trade, and the net flow expected between two bots is the difference of their generosities, times the trades between
them. Generosities are fitted to all pairs except the pair being judged and pairs flagged before.

Judgement. Amounts are relative to the *spread* of the results: the standard deviation of a score, in dollars. A deal is
*conspicuous* if at least `DEAL_DOLLARS` per match, and `DEAL_SHARE` of the spread, went from one bot to the other
beyond the expectation. A pair is flagged if it has more conspicuous deals than chance allows, compared with the rest
and with its own deals in the other direction; or if the lower end of the interval of its mean excess is at least
`MEAN_SHARE` of the spread. Where the expectation is large, as for very bad traders, a part of it is tolerated on top.
Both risks of error are divided by the number of pairs.

Honest bots differ, too, in their gifts to particular bots: an early haggler gave merchant a dollar per match, with a
spread of 5.6.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from beanleague.games.families import points_per_dollar
from beanleague.games.records.trade_flow import TradeFlow, added_up
from beanleague.league.errors import RequestError
from beanleague.league.ratings.intervals import t_quantile
from beanleague.model import League
from beanleague.store import Store

DEAL_DOLLARS = 1.5
DEAL_SHARE = 0.4
MEAN_SHARE = 0.2
SMALL_DOLLARS = 0.5
TOLERANCE = 0.5
"""Tolerated excess, as a share of the expected dollars beyond `SMALL_DOLLARS` per match, since no two bad trades are
alike."""
RISK = 0.01
"""Probability that a league of honest bots has a flagged pair, for each of the two criteria."""
# minimum share of conspicuous deals attributed to chance, even if all other bots have fewer
_MIN_SHARE = 0.01
_MIN_DEALS = 5  # minimum number of deals of a pair to judge it
_MIN_OTHERS = 2  # minimum number of other partners of each bot: a single one does not show its habits
_MAX_FOUND = 20
_ROUNDING = 1e-9
MAX_SHOWN = 10_000
"""Maximum number of pairs listed; reached with more than 141 bots."""

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Flows:
    """Pairs of bots, the smaller number first, and the flow between them in each common deal."""

    pairs: Numbers
    """Bots of each pair that traded: shape (pairs, 2)."""
    pair: Numbers
    """Index of the pair of each observation, which is a pair in a deal. All arrays below are per observation."""
    deal: Numbers
    """Number of the deal."""
    matches: Numbers
    """Number of matches in which the two bots sat together."""
    trades: Numbers
    """Number of trades between the two bots."""
    net: Reals
    """Dollars' worth of cards given by the first bot, minus cards received."""


def flows_of(
    tables: Iterable[tuple[int, Sequence[int]]], matches: int, flows: Mapping[int, Sequence[TradeFlow]]
) -> Flows:
    """Return the flows of deals. `tables`: number and bots of each deal; `matches`: per deal; `flows`: by deal number.

    Skips deals without trades; early versions stored none.
    """
    index: dict[tuple[int, int], int] = {}
    rows: list[tuple[int, int, int, float]] = []
    for number, table in tables:
        given = {(flow.giver, flow.receiver): flow for flow in flows.get(number, ())}
        if not given:
            continue
        for pair in combinations(sorted(table), 2):
            there, back = given.get(pair), given.get(pair[::-1])  # a pair has flows in both directions or in none
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
    """Flow between two bots, in the direction that exceeds the expectation."""

    giver: int
    """Giving bot."""
    receiver: int
    """Receiving bot."""
    excess: float
    """Dollars per match given, minus dollars returned, minus the amount expected for these two bots."""
    interval: float | None
    """Half the width of the 95 % interval of `excess`; None with fewer than two deals."""
    deals: int
    """Deals in which both bots played."""
    conspicuous: tuple[int, ...]
    """Numbers of the conspicuous deals, largest excess first."""
    found: bool
    """Whether the pair is flagged, for trading unlike the rest."""


def judge(flows: Flows, spread: float) -> tuple[PairFlow, ...]:
    """Return all pairs that can be compared with others: flagged ones first, then by excess.

    `spread`: the standard deviation of a score, in dollars.
    """
    left_out = np.zeros(len(flows.pairs), np.bool_)
    while True:
        judged = _Judge(flows, spread, left_out)
        suspects = np.flatnonzero(judged.found & ~left_out)
        if not len(suspects) or left_out.sum() == _MAX_FOUND:
            return judged.pairs()
        left_out[max(suspects.tolist(), key=lambda pair: (judged.excess[pair], pair))] = True


class _Judge:
    """Judges each pair by all other pairs. `left_out`: flagged pairs, excluded from the expectation.

    Arrays have an entry per pair; arrays of observations are sorted by pair.
    """

    def __init__(self, flows: Flows, spread: float, left_out: NDArray[np.bool_]) -> None:
        order = np.argsort(flows.pair, kind="stable")
        self._pair, self._deal = flows.pair[order], flows.deal[order]
        matches, trades, net = flows.matches[order], flows.trades[order], flows.net[order]
        self._one, self._other = flows.pairs.T
        self._deals, self._trades = self._sums(np.ones(len(order))), self._sums(trades)
        self._matches = self._sums(matches)
        self._rate = self._sums(net) / self._trades  # dollars per trade
        self._weights = np.where(left_out, 0, self._trades)
        self._fit()
        excess = (self._rate - self._expected_rate) / self._own
        per_match = self._trades / self._matches
        expected = trades * (self._rate - excess)[self._pair] / matches
        self._by_deal = net / matches - expected
        self._sign = np.where(excess >= 0, 1, -1)
        self.excess: Reals = np.abs(excess) * per_match
        """Dollars per match."""
        surprise = self._by_deal * self._sign[self._pair]
        tolerated = TOLERANCE * np.maximum(np.abs(expected) - SMALL_DOLLARS, 0)
        much = max(DEAL_DOLLARS, DEAL_SHARE * spread)
        self._odd = surprise >= much + tolerated
        against = (self._sums(surprise <= -much) + 0.5) / (self._deals + 1)
        chance = (self._share_of_rest(np.abs(self._by_deal) >= much, ~left_out) + against) / 2
        often = _at_least(self._sums(self._odd), self._deals, chance) < RISK / max(len(self._rate), 1)
        error = self._errors(net - trades * self._rate[self._pair]) / self._own * per_match
        degrees = np.maximum(self._deals - 1, 1)
        lower_end = self.excess - t_quantile(1 - RISK / max(len(self._rate), 1) / 2, degrees) * error
        large = lower_end >= MEAN_SHARE * spread + self._sums(tolerated) / np.maximum(self._deals, 1)
        self._interval = t_quantile(0.975, degrees) * error
        self.found: NDArray[np.bool_] = self._comparable & (self._deals >= _MIN_DEALS) & (often | large)
        """Per pair: whether it is flagged."""

    def _sums(self, values: NDArray[np.generic]) -> Reals:
        """Return the sums of observations by pair."""
        return np.bincount(self._pair, values, len(self._one)).astype(np.float64, copy=False)

    def _fit(self) -> None:
        """Fit generosities to the rates of all pairs by weighted least squares.

        They come from the pseudo-inverse, (bots, bots), of the Laplacian of the graph of pairs.
        """
        one, other, weights = self._one, self._other, self._weights
        bots = int(max(one.max(initial=-1), other.max(initial=-1))) + 1
        laplacian = np.zeros((bots, bots))
        laplacian[one, other] = laplacian[other, one] = -weights
        laplacian[range(bots), range(bots)] = -laplacian.sum(axis=1)
        linked = _components(bots, one[weights > 0], other[weights > 0])
        # The mean generosity in each connected component is undetermined: fix it, and subtract it afterwards.
        same = (linked[:, None] == linked) / np.bincount(linked, minlength=bots)[linked]
        scale = max(float(laplacian.diagonal().max(initial=0)), 1.0)
        self._inverse: Reals = (np.linalg.inv(laplacian + scale * same) - same / scale).astype(np.float64, copy=False)
        flow = weights * self._rate
        pull = np.bincount(one, flow, bots) - np.bincount(other, flow, bots)
        generosity = self._inverse @ pull
        self._expected_rate = generosity[one] - generosity[other]
        own = 1 - weights * self._across(self._inverse)
        others = np.bincount(np.concatenate([one, other]), minlength=bots)
        enough = np.minimum(others[one], others[other]) - 1 >= _MIN_OTHERS
        self._comparable = (own > _ROUNDING) & (linked[one] == linked[other]) & enough
        self._own = np.where(self._comparable, own, 1)

    def _across(self, matrix: Reals) -> Reals:
        """Return x' matrix x for each pair, with x = 1 for its first bot, -1 for the other; symmetric matrices only."""
        diagonal = matrix.diagonal()
        across: Reals = diagonal[self._one] + diagonal[self._other] - 2 * matrix[self._one, self._other]
        return across

    def _errors(self, surprise: Reals) -> Reals:
        """Return the standard errors of the excesses, in dollars per trade, from the variation of flows between deals.

        A deal changes the generosities of its bots together with the rates of its pairs, so the variance is the sum of
        both squares and of their product. `surprise`: difference between the flow of an observation and the rate of its
        pair.
        """
        bots = len(self._inverse)
        deals, deal = np.unique(self._deal, return_inverse=True)
        moved = np.where(self._weights > 0, 1.0, 0.0)[self._pair] * surprise
        cells = np.concatenate([deal * bots + self._one[self._pair], deal * bots + self._other[self._pair]])
        # Bots of each deal, with the deal's pull on each; the pulls of a deal sum to 0.
        cells, where = np.unique(cells, return_inverse=True)
        pull = np.bincount(where, np.concatenate([moved, -moved]), len(cells)).astype(np.float64, copy=False)
        of_deal, bot = np.divmod(cells, bots)
        scatter = _outer(of_deal, bot, pull, bots)
        square = self._across(self._inverse @ scatter @ self._inverse)
        alone = self._sums(surprise**2) / self._trades**2
        starts = np.searchsorted(of_deal, np.arange(len(deals) + 1))
        at, ends = starts[:-1][deal], starts[1:][deal]
        both = np.zeros(len(surprise))
        while (left := np.flatnonzero(at < ends)).size:  # one bot of each deal per pass
            pair, there = self._pair[left], bot[at[left]]
            lean = self._inverse[self._one[pair], there] - self._inverse[self._other[pair], there]
            both[left] += lean * pull[at[left]]
            at[left] += 1
        product = self._sums(both * surprise) / self._trades
        variance = (square + alone - 2 * product) * self._deals / np.maximum(self._deals - 1, 1)
        return np.sqrt(np.maximum(variance, 0)).astype(np.float64, copy=False)

    def _share_of_rest(self, odd_deals: NDArray[np.bool_], kept: NDArray[np.bool_]) -> Reals:
        """Return the share of conspicuous deals among other pairs, averaged over both directions."""
        rest = self._comparable & kept
        odd = np.where(rest, self._sums(odd_deals), 0)
        of_rest = np.where(rest, self._deals, 0)
        deals, odd = of_rest.sum() - of_rest, (odd.sum() - odd) / 2
        shares: Reals = np.divide(odd, deals, out=np.zeros(len(odd)), where=deals > 0)
        return np.maximum(shares, _MIN_SHARE)

    def pairs(self) -> tuple[PairFlow, ...]:
        """Return the pairs that can be compared, flagged ones first, then by excess."""
        chosen = np.flatnonzero(self._comparable)
        chosen = chosen[np.lexsort((-self.excess[chosen], ~self.found[chosen]))]
        starts = np.searchsorted(self._pair, np.arange(len(self._one) + 1))
        odd = np.flatnonzero(self._odd)
        odd = odd[np.lexsort((-np.abs(self._by_deal[odd]), self._pair[odd]))]
        odd_starts = np.searchsorted(self._pair[odd], np.arange(len(self._one) + 1)).tolist()
        numbers = self._deal[odd].tolist()
        giver = np.where(self._sign > 0, self._one, self._other)
        deals = np.diff(starts)
        return tuple(
            PairFlow(
                giver=int(giver[pair]),
                receiver=int(self._one[pair] + self._other[pair] - giver[pair]),
                excess=float(self.excess[pair]),
                interval=float(self._interval[pair]) if deals[pair] > 1 else None,
                deals=int(deals[pair]),
                conspicuous=tuple(numbers[odd_starts[pair] : odd_starts[pair + 1]]),
                found=bool(self.found[pair]),
            )
            for pair in chosen.tolist()
        )


def _components(bots: int, one: Numbers, other: Numbers) -> Numbers:
    """Return for each bot the first bot in its connected component."""
    linked = np.arange(bots)
    while True:
        low = np.minimum(linked[one], linked[other])
        further = linked.copy()
        np.minimum.at(further, linked[one], low)
        np.minimum.at(further, linked[other], low)
        further = further[further]
        if (further == linked).all():
            return linked
        linked = further


def _outer(of_deal: Numbers, bot: Numbers, pull: Reals, bots: int) -> Reals:
    """Return the sum over deals of y y', with y the pull on each bot: (bots, bots). Input sorted by deal."""
    cells = np.zeros(bots * bots)
    first = np.searchsorted(of_deal, of_deal)
    for back in range(int((np.arange(len(bot)) - first).max(initial=-1)) + 1):
        later = np.flatnonzero(np.arange(len(bot)) - back >= first)
        one, other, product = bot[later], bot[later - back], pull[later] * pull[later - back]
        cells += np.bincount(one * bots + other, product, bots * bots)
        if back:
            cells += np.bincount(other * bots + one, product, bots * bots)
    return cells.reshape(bots, bots)


def _at_least(successes: Reals, trials: Reals, chance: Reals) -> Reals:
    """Return the binomial probabilities of at least `successes`. `chance`: above 0, below 1."""
    # In logarithms: the binomial coefficients of thousands of trials exceed the range of a float.
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, int(trials.max(initial=0)) + 1)))])
    of, fewer, k = trials.astype(np.int64), np.zeros(len(trials)), 0
    while (left := np.flatnonzero(successes > k)).size:
        ways = factorial[of[left]] - factorial[k] - factorial[of[left] - k]
        fewer[left] += np.exp(ways + k * np.log(chance[left]) + (of[left] - k) * np.log1p(-chance[left]))
        k += 1
    return 1 - fewer


@dataclass(frozen=True, slots=True)
class Integrity:
    """Result of checking a league for collusion."""

    deals: int
    """Number of deals with trades."""
    pairs: tuple[tuple[PairFlow, TradeFlow, TradeFlow], ...]
    """Pairs, flagged ones first, then by excess, at most `MAX_SHOWN`: the pair, gifts of the giver, gifts in return."""


def integrity(store: Store, league: League, newest: int | None = None) -> Integrity:
    """Compare the gifts between bots of a league, in its `newest` deals or in all.

    Raises:
        RequestError: if the league is a comparison, or its bots have not traded.
    """
    if league.traits.compares:
        raise RequestError(f"{league.name} is a comparison of two bots; gifts are compared in leagues and ladders only")
    tables = store.deals.tables(league.id)
    after = max(len(tables) - newest, 0) if newest is not None else 0
    flows = store.trades.by_deal(league.id, after)
    if not flows:
        raise RequestError(f"{league.name} has no trades to compare: {_why_no_trades(league)}")
    spread = store.matches.spread(league.id, after) / points_per_dollar(league.ruleset)
    judged = judge(flows_of(enumerate(tables, 1), league.matches_a_deal, flows), spread)[:MAX_SHOWN]
    in_all = {(flow.giver, flow.receiver): flow for flow in added_up(flow for deal in flows.values() for flow in deal)}
    pairs = ((pair, in_all[pair.giver, pair.receiver], in_all[pair.receiver, pair.giver]) for pair in judged)
    return Integrity(len(flows), tuple(pairs))


def _why_no_trades(league: League) -> str:
    """Return the reason why a league has no stored trades."""
    if not league.deals_done:
        return "no match has been played yet"
    if league.rules < 2:
        return f"it was played under rules {league.rules}, and trades are stored since rules 2"
    return f"nothing was traded in its {league.ruleset}"
