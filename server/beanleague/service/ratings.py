"""The calls of league.proto about ratings: standings, and bots against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import grpc

from beanleague.league.standings import standings
from beanleague.model import (
    Entrant,
    League,
    Rating,
    Snapshot,
)
from beanleague.service.backend import Calls
from beanleague.service.messages import league_state, standing_to_pb, with_ratings, write_entrant
from beanleague.wire.codec import Codec
from beanproto.v1 import league_pb2 as pb

_PAST_RATING = Codec(Rating, pb.PastRating, apart=("entrant", "best_rank", "worst_rank", "anchor", "provisional"))
_SNAPSHOT = Codec(Snapshot, pb.RatingSnapshot, apart=("ratings", "seats", "luck"))


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
        store = self._backend.store
        league = with_ratings(store.leagues.get(request.league))
        running = league.id in store.runs.running()
        order = standings(store, league, running=running)
        entrants = store.leagues.entrants(league.id)
        history = () if request.no_history else store.ratings.history(league.id)
        return pb.RatingsResponse(
            league=league.name,
            standings=map(standing_to_pb, order),
            matrix=self._matrix(league, [standing.entrant.number for standing in order], request),
            history=[_snapshot_to_pb(past, entrants) for past in history],
        )

    def _matrix(self, league: League, order: Sequence[int], request: pb.RatingsRequest) -> list[pb.MatrixRow]:
        """Return the part of the matrix that is asked for."""
        window = request.matrix
        rows, columns = order, order
        if request.HasField("matrix"):
            rows = order[window.row : window.row + window.rows]
            columns = order[window.column : window.column + window.columns]
        if not rows:
            return []
        found = self._backend.compared(league).matrix(rows, columns)
        return [
            pb.MatrixRow(better=better, pair_score=scores)
            for better, scores in zip(found.better, found.pair_scores, strict=True)
        ]

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
