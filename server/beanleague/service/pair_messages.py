"""Pairs of bots and thinking times as messages for people. See `messages`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from beanleague.games.rulesets import points_per_dollar
from beanleague.league.pair import Pair
from beanleague.model import League, PairDeal, PairMatch, ThinkingTime
from beanleague.names import format_match
from beanleague.service.playing_messages import finite, set_lead
from beanleague.wire.codec import Codec
from beanproto.v1 import league_pb2 as pb

_THINKING_TIME = Codec(ThinkingTime, pb.ThinkingTime)


def thinking_to_pb(league: League, time: ThinkingTime) -> pb.ThinkingTime:
    """Return how long a version thought in a league."""
    message = _THINKING_TIME.encode(time)
    message.league = league.name
    return message


def score_to_pb(league: League, pair: Pair) -> pb.PairScore:
    """Return how a bot did against another in all their deals."""
    least, most = pair.by_places.interval
    message = pb.PairScore(
        deals=len(pair.deals),
        pairs=sum(deal.pairs for deal in pair.deals),
        score=pair.by_places.score,
        elo=finite(pair.by_places.elo) if pair.deals else None,
        elo_least=finite(least),
        elo_most=finite(most),
    )
    set_lead(message, league, pair.by_dollars)
    return message


def deals_to_pb(league: League, deals: Iterable[PairDeal], matches: Sequence[PairMatch]) -> list[pb.PairDeal]:
    """Return deals in which two bots differed. `matches`: theirs, and perhaps those of other deals."""
    dollar = points_per_dollar(league.ruleset)
    return [
        pb.PairDeal(
            deal=deal.deal,
            lead=deal.mean_lead / dollar,
            score=deal.share,
            matches=[_match_to_pb(league, match, dollar) for match in matches if match.deal == deal.deal],
        )
        for deal in deals
    ]


def _match_to_pb(league: League, match: PairMatch, dollar: int) -> pb.PairMatch:
    return pb.PairMatch(
        match=format_match(league.name, match.deal, match.rotation),
        a=None if match.a is None else match.a / dollar,
        b=None if match.b is None else match.b / dollar,
    )
