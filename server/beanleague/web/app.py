"""The application: pages, static files, and what every request passes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import grpc
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from beanleague.service.access import Cost
from beanleague.service.throttle import Allowance
from beanleague.web.errors import on_bug, on_http_error, on_rpc_error
from beanleague.web.pages import account, bot, compare, downloads, games, home, league, match, play, submit
from beanleague.web.security import ALLOWANCES, Guarded, Headed
from beanleague.web.settings import SiteSettings
from beanleague.web.site import Site
from beanproto.v1.league_pb2_grpc import LeagueStub

STATIC = Path(__file__).with_name("static")
"""The folder of what browsers fetch: styles, scripts, the viewer."""

_PAGES = (home, downloads, league, bot, match, compare, games, play, submit, account)


def make_app(
    stub: LeagueStub,
    settings: SiteSettings,
    allowances: Mapping[Cost, Allowance] = ALLOWANCES,
    *,
    tables: grpc.Channel | None = None,
) -> Starlette:
    """Return the site of a service.

    `stub`: its calls; those without a token are made for all visitors. `allowances`: the limits of each visitor.
    `tables`: leads to the service for people who play; None: nobody can.
    """
    handlers = {HTTPException: on_http_error, grpc.RpcError: on_rpc_error, Exception: on_bug}
    app = Starlette(
        routes=[*(route for page in _PAGES for route in page.routes), Mount("/static", StaticFiles(directory=STATIC))],
        middleware=[
            Middleware(Headed, settings=settings),
            Middleware(ExceptionMiddleware, handlers=handlers),
            Middleware(Guarded, settings=settings, allowances=allowances),
        ],
        exception_handlers=handlers,
    )
    app.state.site = Site(stub, settings, tables)
    return app
