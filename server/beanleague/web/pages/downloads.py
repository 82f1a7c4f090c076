"""Standings, matrices and deals as files: CSV and JSON, with the contents that the command line prints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from beanleague.answers.csv_tables import deals_csv, matrix_csv, standings_csv
from beanleague.answers.shapes import shape
from beanleague.safe_text import escape_controls, replace_controls
from beanleague.web.site import Site
from beanproto.v1.league_pb2 import (
    ListDealsRequest,
    ListDealsResponse,
    RatingsRequest,
    RatingsResponse,
    StandingsRequest,
    StandingsResponse,
)

_FRESH_S = 5.0
_MAX_DEALS = 1000  # of one call
_MAX_CALLS = 50  # more deals are for the command line


def _standings(site: Site, league: str) -> StandingsResponse:
    return site.reader.get(site.stub.Standings, StandingsRequest(league=league), fresh=_FRESH_S)


def _ratings(site: Site, league: str) -> RatingsResponse:
    return site.reader.get(site.stub.Ratings, RatingsRequest(league=league), fresh=_FRESH_S)


def _deals(site: Site, league: str) -> ListDealsResponse:
    every, after = ListDealsResponse(), 0
    for _ in range(_MAX_CALLS):
        request = ListDealsRequest(league=league, after=after, limit=_MAX_DEALS)
        answer = site.reader.get(site.stub.ListDeals, request, fresh=_FRESH_S)
        every.deals.extend(answer.deals)
        after = answer.next_after
        if not after:
            return every
    raise HTTPException(413, "This league has too many deals for a download; use: beanleague match list --json")


_KINDS: Mapping[str, tuple[Callable[[Site, str], Message], Callable[..., str]]] = {
    "standings": (_standings, lambda answer: standings_csv(answer.standings)),
    "matrix": (_ratings, matrix_csv),
    "deals": (_deals, lambda answer: deals_csv(answer.deals)),
}


def download(request: Request) -> Response:
    """Send a file."""
    league, kind, form = (request.path_params[name] for name in ("league", "kind", "form"))
    if kind not in _KINDS or form not in {"csv", "json"}:
        raise HTTPException(404)
    read, as_csv = _KINDS[kind]
    answer = read(Site.of(request), league)
    if form == "json":
        text, media_type = escape_controls(json.dumps(shape(answer), ensure_ascii=False)), "application/json"
    else:
        text, media_type = replace_controls(as_csv(answer)), "text/csv"
    name = f"{re.sub('[^a-z0-9_-]', '_', league)}-{kind}.{form}"
    return Response(text, media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}"'})


routes = [Route("/leagues/{league}/{kind}.{form}", download)]
