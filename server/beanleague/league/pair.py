"""Two bots of a league in the deals that both played: how they did, and what the sequential test says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.league.errors import RequestError
from beanleague.league.ratings.deal_score import By, DealScore
from beanleague.league.ratings.sprt import Comparison, SequentialTest, Verdict
from beanleague.model import COMPARISON, League, PairDeal
from beanleague.store.store import Store

_FIRST_DEALS = 1000
"""Up to this deal the test is looked at after each, later after each hundredth part more: a league is long."""


@dataclass(frozen=True, slots=True)
class Pair:
    """How a bot did against another in a league."""

    deals: tuple[PairDeal, ...]
    """The deals in which both sat, by number."""
    test: Comparison
    """The test over these deals, up to its verdict."""
    by_places: Comparison
    """All deals, compared by places; it has no verdict."""
    by_dollars: Comparison
    """All deals, compared by dollars; it has no verdict."""

    def ahead(self, limit: int, *, sign: int = 1) -> tuple[PairDeal, ...]:
        """Return up to `limit` deals with the largest leads of the first bot; with `sign` -1 of the second."""
        found = [deal for deal in self.deals if sign * deal.lead > 0]
        return tuple(sorted(found, key=lambda deal: (-sign * deal.mean_lead, deal.deal))[:limit])


def pair(store: Store, league: League, a: int, b: int, test: SequentialTest) -> Pair:
    """Return how entrant `a` did against entrant `b`.

    Raises:
        RequestError: if they are the same.
    """
    if a == b:
        raise RequestError("a bot cannot be compared with itself; name two bots, or two versions of one")
    deals = store.pairs.by_deal(league.id, a, b, solo=league.solo)
    scores = [_score(deal) for deal in deals]
    counts: dict[DealScore, int] = {}
    for score in scores:
        counts[score] = counts.get(score, 0) + 1
    return Pair(
        deals=deals,
        test=_tested(test, scores, every_deal=league.format == COMPARISON),
        by_places=Comparison(SequentialTest(by=By.PLACES), counts),
        by_dollars=Comparison(SequentialTest(by=By.DOLLARS), counts),
    )


def _score(deal: PairDeal) -> DealScore:
    return DealScore(deal.share, deal.mean_lead, deal.squares / deal.pairs)


def _tested(test: SequentialTest, scores: Sequence[DealScore], *, every_deal: bool) -> Comparison:
    """Return the test after the deal that gave its verdict, or after all; `every_deal`: look at it after each."""
    counts: dict[DealScore, int] = {}
    comparison = Comparison(test, counts)
    for number, score in enumerate(scores, 1):
        seen = DealScore(score.share) if test.by is By.PLACES else score
        counts[seen] = counts.get(seen, 0) + 1
        if every_deal or number <= _FIRST_DEALS or number % (number // 100) == 0 or number == len(scores):
            comparison = comparison.judged()
            if comparison.verdict is not Verdict.OPEN:
                break
    return comparison
