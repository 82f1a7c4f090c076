"""The calls of league.proto about ratings: standings, and bots against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import grpc

from beanleague.league.standings import standings
from beanleague.model import (
    Entrant,
    Rating,
    Snapshot,
)
from beanleague.service.backend import Calls
from beanleague.service.messages import league_state, standing_to_pb, with_ratings, write_entrant
from beanleague.wire.codec import Codec
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanleague.league.counting import Matrix

_PAST_RATING = Codec(Rating, pb.PastRating, apart=("entrant", "best_rank", "worst_rank", "anchor", "provisional"))
_SNAPSHOT = Codec(Snapshot, pb.RatingSnapshot, apart=("ratings", "better", "seats", "luck"))


class RatingCalls(Calls):
    """Answers these calls."""

    def Standings(self, request: pb.StandingsRequest, context: grpc.ServicerContext) -> pb.StandingsResponse:
        store = self._backend.store
        league = with_ratings(store.leagues.get(request.league))
        running = league.id in store.runs.running()
        return pb.StandingsResponse(
            league=league.name,
            ruleset=league.ruleset,
            state=league_state(league, running=running),
            deals_done=league.deals_done,
            deals_total=league.deals,
            standings=map(standing_to_pb, standings(store, league, running=running)),
        )

    def Ratings(self, request: pb.RatingsRequest, context: grpc.ServicerContext) -> pb.RatingsResponse:
        from beanleague.league.counting import matrix

        store = self._backend.store
        league = with_ratings(store.leagues.get(request.league))
        running = league.id in store.runs.running()
        order = standings(store, league, running=running)
        entrants = store.leagues.entrants(league.id)
        return pb.RatingsResponse(
            league=league.name,
            standings=map(standing_to_pb, order),
            matrix=_matrix_to_pb(matrix(store, league, [standing.entrant.number for standing in order])),
            history=[_snapshot_to_pb(past, entrants) for past in store.ratings.history(league.id)],
        )

    def ShowPair(self, request: pb.ShowPairRequest, context: grpc.ServicerContext) -> pb.ShowPairResponse:
        from beanleague.service.pairs import show_pair

        return show_pair(self._backend.store, request)

    def Integrity(self, request: pb.IntegrityRequest, context: grpc.ServicerContext) -> pb.IntegrityResponse:
        from beanleague.service.pairs import show_integrity

        return show_integrity(self._backend.store, request.league)

    def Compare(self, request: pb.CompareRequest, context: grpc.ServicerContext) -> Iterator[pb.ComparisonProgress]:
        from beanleague.service.running import compare

        return compare(self._backend, request, context)


def _snapshot_to_pb(snapshot: Snapshot, entrants: Sequence[Entrant]) -> pb.RatingSnapshot:
    """Return the ratings after a number of deals."""
    message = _SNAPSHOT.encode(snapshot)
    for rating in snapshot.ratings:
        past = message.ratings.add()
        _PAST_RATING.write(rating, past)
        write_entrant(past, entrants[rating.entrant])
    return message


def _matrix_to_pb(matrix: Matrix) -> list[pb.MatrixRow]:
    """Return who is better than whom."""
    return [
        pb.MatrixRow(better=better, pair_score=scores)
        for better, scores in zip(matrix.better, matrix.pair_scores, strict=True)
    ]
