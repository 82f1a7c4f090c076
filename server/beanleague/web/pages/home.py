"""The first page: the leagues, and the newest bots."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from beanleague.web.site import Site
from beanproto.v1.league_pb2 import (
    LEAGUE_FORMAT_COMPARISON,
    LEAGUE_STATE_CREATED,
    LeagueInfo,
    ListBotsRequest,
    ListLeaguesRequest,
    Standing,
    StandingsRequest,
)

_NEWEST = 8
_LEADERS = 3
_MAX_WITH_LEADERS = 24  # leagues


def home(request: Request) -> Response:
    """Show the leagues, newest first, with their leaders."""
    site = Site.of(request)
    every = site.reader.get(site.stub.ListLeagues, ListLeaguesRequest()).leagues
    leagues = sorted(
        (league for league in every if league.format != LEAGUE_FORMAT_COMPARISON),
        key=lambda league: -league.created.ToMicroseconds(),
    )
    bots = site.reader.get(site.stub.ListBots, ListBotsRequest()).bots
    return site.page(
        request,
        "home.html",
        title="Leagues",
        leagues=[
            (league, _leaders(site, league) if number < _MAX_WITH_LEADERS else [])
            for number, league in enumerate(leagues)
        ],
        bots=sorted(bots, key=lambda bot: -bot.submitted.ToMicroseconds())[:_NEWEST],
    )


def _leaders(site: Site, league: LeagueInfo) -> list[Standing]:
    if league.state == LEAGUE_STATE_CREATED:
        return []
    answer = site.reader.get(site.stub.Standings, StandingsRequest(league=league.name), fresh=5)
    return [standing for standing in answer.standings if standing.rank][:_LEADERS]


routes = [Route("/", home)]
