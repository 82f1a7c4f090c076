"""The standings of leagues as pages show them: with the way that ratings took, and who moved."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from beanleague.web.charts.standing_rows import Point, StandingRow, rows
from beanleague.web.reader import Reader
from beanproto.v1.league_pb2 import RatingsRequest, StandingsRequest, StandingsResponse
from beanproto.v1.league_pb2_grpc import LeagueStub

_MAX_POINTS = 120  # of a bot; beyond that every second is dropped
_MAX_LEAGUES = 64  # whose points are kept
_FRESH_S = 1.0

_Bot = tuple[str, int]


@dataclass(slots=True)
class _Past:
    """What has been seen of a league."""

    deals: int = 0
    """Deals played when it was last looked at."""
    path: dict[_Bot, list[Point]] = field(default_factory=dict)
    """Ratings so far."""
    ranks: Mapping[_Bot, int] = field(default_factory=dict)
    """The present ranks."""
    before: Mapping[_Bot, int] = field(default_factory=dict)
    """The ranks before these."""


class StandingsReader:
    """Reads standings; may be used by any thread."""

    def __init__(self, stub: LeagueStub, reader: Reader) -> None:
        self._stub = stub
        self._reader = reader
        self._lock = threading.Lock()
        self._leagues: dict[str, _Past] = {}

    def read(self, league: str) -> tuple[StandingsResponse, list[StandingRow]]:
        """Return the standings of a league, and its rows.

        Raises:
            grpc.RpcError: the service cannot answer.
        """
        answer = self._reader.get(self._stub.Standings, StandingsRequest(league=league), fresh=_FRESH_S)
        with self._lock:
            past = self._leagues.get(league)
        if past is None or not past.deals:
            past = self._begun(league)
        with self._lock:
            self._leagues[league] = past
            if len(self._leagues) > _MAX_LEAGUES:
                del self._leagues[next(iter(self._leagues))]
            _take(past, answer)
            return answer, rows(answer.standings, past.path, past.before)

    def _begun(self, league: str) -> _Past:
        past = _Past()
        history = self._reader.get(self._stub.Ratings, RatingsRequest(league=league), fresh=60).history
        for snapshot in history:
            for rating in snapshot.ratings:
                if snapshot.deals:
                    past.path.setdefault((rating.bot, rating.version), []).append((snapshot.deals, rating.rating))
        past.deals = max((snapshot.deals for snapshot in history), default=0)
        return past


def _take(past: _Past, answer: StandingsResponse) -> None:
    """Add what is new in `answer`."""
    ranks = {(standing.bot, standing.version): standing.rank for standing in answer.standings if standing.rank}
    if answer.deals_done > past.deals:
        past.deals = answer.deals_done
        for standing in answer.standings:
            if standing.rank:
                points = past.path.setdefault((standing.bot, standing.version), [])
                points.append((answer.deals_done, standing.rating))
                if len(points) > _MAX_POINTS:
                    del points[1:-1:2]
    if ranks != past.ranks:
        past.before, past.ranks = past.ranks, ranks
