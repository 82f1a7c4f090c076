"""Comparison of two bots in a league. `ratings` imports this late, since it imports the statistical tests."""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Literal

from beanleague.games.families import points_per_dollar
from beanleague.league.compare import ComparisonRequest, Pair, pair, sequential_test
from beanleague.league.integrity import PairFlow, integrity
from beanleague.league.ratings.scores import By
from beanleague.league.ratings.sprt import Comparison, SequentialTest
from beanleague.league.uses.matches import entrants_called
from beanleague.model import Entrant, League, PairDeal, PairMatch
from beanleague.names import format_match
from beanleague.service.messages import ENTRANT, number
from beanleague.store import Store
from beanleague.wire.codec import Codec, Names, timestamp
from beanproto.v1 import league_pb2 as pb

_MAX_NIGHTS = 30
_MAX_PAIR_DEALS = 100  # maximum deals in each list of a pair

_PAIR_FLOW = Codec(PairFlow, pb.PairFlow, apart=("giver", "receiver"))
_VERDICTS: Names[str] = Names(pb.Verdict.DESCRIPTOR)
_MEASURES: Names[str] = Names(pb.Measure.DESCRIPTOR)


def show_pair(store: Store, request: pb.ShowPairRequest) -> pb.ShowPairResponse:
    """Compare two bots by the deals in which both played."""
    league = store.leagues.get(request.league)
    entrants = store.leagues.entrants(league.id)
    a, b = (entrants_called(bot, league, entrants)[-1] for bot in (request.a, request.b))
    limit = number("limit", request.limit, 10, _MAX_PAIR_DEALS)
    found = pair(store, league, a, b, test_of(request, SequentialTest(**league.test)))
    ahead, behind = found.ahead(limit), found.ahead(limit, sign=-1)
    matches = store.pairs.matches(league.id, [deal.deal for deal in (*ahead, *behind)], a, b)
    return pb.ShowPairResponse(
        test=test_to_pb(league, entrants[a], entrants[b], found.test),
        all=_score_to_pb(league, found),
        ahead=_deals_to_pb(league, ahead, matches),
        behind=_deals_to_pb(league, behind, matches),
    )


def show_integrity(store: Store, name: str) -> pb.IntegrityResponse:
    """Compare the gifts between the bots of a league."""
    league = store.leagues.get(name)
    found = integrity(store, league)
    checks = store.ladders.checks(league.id, _MAX_NIGHTS) if league.traits.has_entries else ()
    entrants = store.leagues.entrants(league.id)  # read last: another bot may join and play in the meantime
    message = pb.IntegrityResponse(league=league.name, deals=found.deals)
    for flow_of, given, received in found.pairs:
        flow = message.pairs.add(trades=given.trades)
        _PAIR_FLOW.write(flow_of, flow)
        ENTRANT.write(entrants[flow_of.giver], flow.giver)
        ENTRANT.write(entrants[flow_of.receiver], flow.receiver)
        for side, told in ((given, flow.given), (received, flow.received)):
            told.cards, told.gifts, told.dollars = side.cards, side.gifts, side.cents / 100
            told.SetInParent()
    for check in checks:
        night = message.nights.add(day=check.day, made=timestamp(check.made), deals=check.deals)
        for giver, receiver, cents in zip(check.givers, check.receivers, check.cents, strict=True):
            bots = {"giver": ENTRANT.encode(entrants[giver]), "receiver": ENTRANT.encode(entrants[receiver])}
            night.pairs.add(**bots, found=True, excess=cents / 100)
    return message


def comparison_from_pb(request: pb.CompareRequest) -> ComparisonRequest:
    """Convert a request for a comparison.

    Raises:
        RequestError: if its test is invalid.
    """
    test = test_of(request, SequentialTest())
    return ComparisonRequest(request.a, request.b, request.ruleset, test, request.seats, tuple(request.fillers))


def test_of(request: pb.CompareRequest | pb.ShowPairRequest, default: SequentialTest) -> SequentialTest:
    """Return the sequential test of a request; missing fields are taken from `default`."""
    names: tuple[Literal["elo0", "elo1", "alpha", "beta"], ...] = ("elo0", "elo1", "alpha", "beta")
    values = (getattr(request if request.HasField(name) else default, name) for name in names)
    return sequential_test(*values, by=_MEASURES.name_or_none(request.by) or default.by)


def test_to_pb(league: League, a: Entrant, b: Entrant, comparison: Comparison) -> pb.ComparisonProgress:
    """Convert the verdict and the figures of a sequential test of `a` against `b`."""
    least, most = comparison.interval
    message = pb.ComparisonProgress(
        league=league.name,
        a=ENTRANT.encode(a),
        b=ENTRANT.encode(b),
        verdict=_VERDICTS.number[comparison.verdict],
        deals=comparison.deals,
        score=comparison.score,
        elo=_finite(comparison.elo),
        elo_least=_finite(least),
        elo_most=_finite(most),
        llr=comparison.llr,
        lower=comparison.test.lower,
        upper=comparison.test.upper,
        elo0=comparison.test.elo0,
        elo1=comparison.test.elo1,
        obvious=comparison.obvious,
        by=_MEASURES.number[comparison.test.by],
    )
    if comparison.test.by is By.DOLLARS:
        _set_lead(message, league, comparison)
    return message


def _set_lead(message: pb.ComparisonProgress | pb.PairScore, league: League, comparison: Comparison) -> None:
    """Write the lead of a comparison by dollars into a message, as far as known."""
    dollar = points_per_dollar(league.ruleset)
    ends = comparison.lead_interval
    for name, value in zip(("lead", "lead_least", "lead_most"), (comparison.lead, *ends), strict=True):
        if isfinite(value):
            setattr(message, name, value / dollar)


def _finite(number: float) -> float | None:
    """Return a finite `number`; None for an infinite one."""
    return number if isfinite(number) else None


def _score_to_pb(league: League, pair: Pair) -> pb.PairScore:
    """Convert the results of one bot against another over all their deals."""
    least, most = pair.by_places.interval
    message = pb.PairScore(
        deals=len(pair.deals),
        pairs=sum(deal.pairs for deal in pair.deals),
        score=pair.by_places.score,
        elo=_finite(pair.by_places.elo) if pair.deals else None,
        elo_least=_finite(least),
        elo_most=_finite(most),
    )
    _set_lead(message, league, pair.by_dollars)
    return message


def _deals_to_pb(league: League, deals: Iterable[PairDeal], matches: Sequence[PairMatch]) -> list[pb.PairDeal]:
    """Convert the deals in which two bots differed. `matches`: includes their matches in these deals."""
    dollar = points_per_dollar(league.ruleset)
    return [
        pb.PairDeal(
            deal=deal.deal,
            lead=deal.mean_lead / dollar,
            score=deal.share,
            matches=[
                pb.PairMatch(
                    match=format_match(league.name, match.deal, match.rotation),
                    a=None if match.a is None else match.a / dollar,
                    b=None if match.b is None else match.b / dollar,
                )
                for match in matches
                if match.deal == deal.deal
            ],
        )
        for deal in deals
    ]
