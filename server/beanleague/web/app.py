"""The web application: routes, static files, middleware and error pages."""

import logging
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import cast

import grpc
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from beanleague.service.access import Cost
from beanleague.service.gate import Allowance
from beanleague.web.pages import bots, compare, games, guide, home, ladders, leagues, match, play, submit
from beanleague.web.play_tables import PlayTables
from beanleague.web.reading import SENTENCES, refused, sentence
from beanleague.web.security import ALLOWANCES, Guarded, Headed, Placed
from beanleague.web.settings import SiteSettings
from beanleague.web.site import Site
from beanleague.web.viewer import STATIC
from beanproto.v1.league_pb2_grpc import LeagueStub

_log = logging.getLogger(__name__)
_PAGES = (home, ladders, leagues, bots, match, compare, games, guide, play, submit)


def _on_http_error(request: Request, error: Exception) -> Response:
    """Answer a refused request."""
    refusal = cast("HTTPException", error)
    known = refusal.detail != HTTPStatus(refusal.status_code).phrase
    text = sentence(refusal.detail) if known else SENTENCES.get(refusal.status_code, refusal.detail)
    response = _error_page(request, refusal.status_code, text)
    response.headers.update(refusal.headers or {})
    return response


def _on_rpc_error(request: Request, error: Exception) -> Response:
    """Answer a request whose call to the service failed."""
    return _error_page(request, *refused(cast("grpc.RpcError", error), posted=request.method == "POST"))


def _on_bug(request: Request, error: Exception) -> Response:
    """Answer a request that failed because of a bug."""
    number = secrets.token_hex(4)
    _log.error("error %s: %s failed unexpectedly", number, request.url.path, exc_info=error)
    return _error_page(request, 500, f"This is a bug in beanleague; the server's log has the details: error {number}.")


def _error_page(request: Request, status: int, text: str) -> Response:
    """Return an error page, or JSON for programs."""
    if request.url.path.endswith(".json") or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": text}, status)
    title = HTTPStatus(status).phrase
    submits = request.url.path.rstrip("/").endswith("/submit")
    return Site.of(request).page(request, "error.html", status, title=title, sentence=text, submits=submits)


def make_app(
    stub: LeagueStub,
    settings: SiteSettings,
    allowances: Mapping[Cost, Allowance] = ALLOWANCES,
    *,
    tables: grpc.Channel | None = None,
) -> Starlette:
    """Return the application for the site of a service.

    `stub`: calls to the service, on behalf of all visitors unless they carry a token. `allowances`: limits per visitor.
    `tables`: channel to the service for visitors who play; None disables playing.
    """
    handlers = {HTTPException: _on_http_error, grpc.RpcError: _on_rpc_error, Exception: _on_bug}
    pages = ((*name.split(), page) for room in _PAGES for name, page in room.routes.items())  # pages by "GET /path"
    routes = [Route(path, page, methods=[method]) for method, path, page in pages]
    app = Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=STATIC))],
        middleware=[
            Middleware(Headed, settings=settings),
            Middleware(ExceptionMiddleware, handlers=handlers),
            Middleware(Placed, settings=settings),
            Middleware(Guarded, settings=settings, allowances=allowances),
        ],
        exception_handlers=handlers,
    )
    site = app.state.site = Site(stub, settings)
    app.state.replays = match.Replays(stub, site.reader)
    app.state.downloads = leagues.Downloads()
    app.state.submissions = submit.Submissions(stub)
    app.state.tables = PlayTables(tables) if tables else None
    return app
