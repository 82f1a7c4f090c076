"""The games that can be played: their rules, and what they are played with."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from beanleague.web.decks import deck
from beanleague.web.rules_pages import rules_page
from beanleague.web.site import Site
from beanproto.v1.league_pb2 import ListRulesetsRequest, ListRulesetsResponse

_FRESH_S = 60.0


def games(request: Request) -> Response:
    """Show the list of games."""
    return Site.of(request).page(request, "games.html", title="Games", games=_rulesets(request).rulesets)


def game(request: Request) -> Response:
    """Show a game, as it is at a table of the wanted size."""
    name = request.path_params["ruleset"]
    found = next((each for each in _rulesets(request).rulesets if each.id == name), None)
    if found is None:
        raise HTTPException(404, f"There is no game {name[:60]!r}; the list of games has all.")
    sizes = range(found.least_seats, found.most_seats + 1)
    seats = request.path_params.get("seats", sizes[0])
    if seats not in sizes:
        raise HTTPException(404, f"{name} is for {sizes[0]} to {sizes[-1]} seats.")
    return Site.of(request).page(
        request,
        "game.html",
        title=name,
        game=found,
        sizes=sizes,
        seats=seats,
        deck=deck(name, seats),
        rules=rules_page(name),
    )


def _rulesets(request: Request) -> ListRulesetsResponse:
    site = Site.of(request)
    return site.reader.get(site.stub.ListRulesets, ListRulesetsRequest(), fresh=_FRESH_S)


routes = [Route("/games", games), Route("/games/{ruleset}", game), Route("/games/{ruleset}/{seats:int}", game)]
