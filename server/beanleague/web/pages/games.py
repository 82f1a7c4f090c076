"""The games that can be played."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from beanleague.web.site import Site
from beanproto.v1.league_pb2 import ListRulesetsRequest


def games(request: Request) -> Response:
    """Show the list of games."""
    site = Site.of(request)
    answer = site.reader.get(site.stub.ListRulesets, ListRulesetsRequest(), fresh=60)
    return site.page(request, "games.html", title="Games", games=answer.rulesets)


routes = [Route("/games", games)]
