"""A league: its standings as they move, and what lies behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import grpc
from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from beanleague.web.charts.heat import gift_matrix, rating_matrix
from beanleague.web.charts.history import history_chart
from beanleague.web.charts.seats import seat_bars
from beanleague.web.refusals import refused
from beanleague.web.site import Site
from beanproto.v1.league_pb2 import (
    LEAGUE_FORMAT_COMPARISON,
    IntegrityRequest,
    LeagueInfo,
    ListDealsRequest,
    NodeTotals,
    RatingsRequest,
    RatingsResponse,
    ShowLeagueRequest,
)

_PAGE = 100  # deals
_INTEGRITY_FRESH_S = 60.0  # it counts all trades of a league
_RATINGS_FRESH_S = 5.0
_NODES_FRESH_S = 60.0  # it counts all deals and faults of a league


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of a league."""

    path: str
    """What follows the path of the league."""
    name: str
    """How it is called."""


_TABS = (
    Tab("", "Standings"),
    Tab("/history", "History"),
    Tab("/matrix", "Matrix"),
    Tab("/seats", "Seats"),
    Tab("/gifts", "Gifts"),
    Tab("/deals", "Deals"),
)


def standings(request: Request) -> Response:
    """Show the standings."""
    site, info = Site.of(request), _league(request)
    if info.format == LEAGUE_FORMAT_COMPARISON:
        return deals(request)
    answer, rows = site.standings.read(info.name)
    return _page(request, info, "league/standings.html", answer=answer, rows=rows)


async def live(request: Request) -> Response:
    """Send the standings whenever they change, as server-sent events."""
    site = Site.of(request)
    info = await to_thread.run_sync(_league, request)
    if info.format == LEAGUE_FORMAT_COMPARISON:
        raise HTTPException(404, "A comparison has no standings.")
    return StreamingResponse(site.live.watch(info.name), media_type="text/event-stream")


def history(request: Request) -> Response:
    """Show how the ratings came about."""
    info = _league(request)
    rated = _ratings(request, info)
    return _page(request, info, "league/history.html", chart=history_chart(rated.standings, rated.history), rated=rated)


def matrix(request: Request) -> Response:
    """Show each bot against each other."""
    info = _league(request)
    return _page(request, info, "league/matrix.html", matrix=rating_matrix(_ratings(request, info)))


def seats(request: Request) -> Response:
    """Show what each seat is worth."""
    info = _league(request)
    return _page(request, info, "league/seats.html", bars=seat_bars(info.seat_effects))


def gifts(request: Request) -> Response:
    """Show what bots gave each other in trades."""
    site, info = Site.of(request), _league(request)
    try:
        answer = site.reader.get(site.stub.Integrity, IntegrityRequest(league=info.name), fresh=_INTEGRITY_FRESH_S)
    except grpc.RpcError as error:
        status, why = refused(error, posted=False)
        if status != 400:
            raise
        return _page(request, info, "league/gifts.html", why=why)  # a game without trades, or nothing played yet
    return _page(request, info, "league/gifts.html", why="", answer=answer, matrix=gift_matrix(answer.pairs))


def deals(request: Request) -> Response:
    """Show a page of the deals; on the first, who played them, if those were several nodes."""
    site, info = Site.of(request), _league(request)
    after = _number(request.query_params.get("after", "0"))
    answer = site.reader.get(site.stub.ListDeals, ListDealsRequest(league=info.name, after=after, limit=_PAGE))
    nodes = () if after else _nodes(site, info)
    return _page(
        request,
        info,
        "league/deals.html",
        deals=answer.deals,
        next_after=answer.next_after,
        after=after,
        size=_PAGE,
        nodes=nodes if len(nodes) > 1 else (),
    )


def _nodes(site: Site, info: LeagueInfo) -> Sequence[NodeTotals]:
    return site.reader.get(
        site.stub.ShowLeague, ShowLeagueRequest(name=info.name, nodes=True), fresh=_NODES_FRESH_S
    ).nodes


def _ratings(request: Request, info: LeagueInfo) -> RatingsResponse:
    site = Site.of(request)
    return site.reader.get(site.stub.Ratings, RatingsRequest(league=info.name), fresh=_RATINGS_FRESH_S)


def _league(request: Request) -> LeagueInfo:
    site = Site.of(request)
    return site.reader.get(site.stub.ShowLeague, ShowLeagueRequest(name=request.path_params["league"]))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise HTTPException(400, f"{text!r:.40} is not the number of a deal.")
    return int(text)


def _page(request: Request, info: LeagueInfo, template: str, **values: Any) -> Response:  # noqa: ANN401 - of templates
    common: Mapping[str, Any] = {
        "info": info,
        "tabs": _TABS[-1:] if info.format == LEAGUE_FORMAT_COMPARISON else _TABS,
        "here": next((tab for tab in _TABS if template == f"league{tab.path}.html"), _TABS[0]),
        "home": f"/leagues/{quote(info.name, safe='')}",
        "title": info.name,
    }
    return Site.of(request).page(request, template, **common, **values)


routes = [
    Route("/leagues/{league}", standings),
    Route("/leagues/{league}/live", live),
    Route("/leagues/{league}/history", history),
    Route("/leagues/{league}/matrix", matrix),
    Route("/leagues/{league}/seats", seats),
    Route("/leagues/{league}/gifts", gifts),
    Route("/leagues/{league}/deals", deals),
]
