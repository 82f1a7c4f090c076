"""What all pages share."""

from __future__ import annotations

import grpc
from starlette.requests import Request
from starlette.responses import HTMLResponse

from beanleague.web.live import Events, Live
from beanleague.web.play_tables import PlayTables
from beanleague.web.reader import Reader
from beanleague.web.replays import Replays
from beanleague.web.sessions import Sessions, Visitor
from beanleague.web.settings import SiteSettings
from beanleague.web.standings import StandingsReader
from beanleague.web.submissions import Submissions
from beanleague.web.templating import Templates
from beanproto.v1.league_pb2 import LEAGUE_STATE_DONE, ServerInfoRequest
from beanproto.v1.league_pb2_grpc import LeagueStub

_ROLE_FRESH_S = 60.0  # of what visitors may do

NAVIGATION = (
    ("/", "Leagues"),
    ("/bots", "Bots"),
    ("/compare", "Compare"),
    ("/games", "Games"),
    ("/play", "Play"),
    ("/submit", "Submit"),
)
"""Paths of the main pages and how they are called, in the order of the navigation."""

_SERVED = frozenset({"/submit", "/play", "/compare"})  # pages that need a server


class Site:
    """The service behind a site, and what is kept for all its pages. `of(request)` gives it."""

    def __init__(self, stub: LeagueStub, settings: SiteSettings, tables: grpc.Channel | None = None) -> None:
        self.stub = stub
        """The calls. Those in the name of a caller take `metadata=caller.metadata`."""
        self.settings = settings
        self.navigation = [entry for entry in NAVIGATION if not (settings.static and entry[0] in _SERVED)]
        """As `NAVIGATION`, of the pages that there are."""
        self.reader = Reader()
        """For what everybody may see: asks the service once for all visitors."""
        self.standings = StandingsReader(stub, self.reader)
        """The standings, with what their rows draw."""
        self.replays = Replays(stub, self.reader)
        """Records, and what the rules say of them."""
        self.sessions = Sessions(secure=settings.tls or settings.behind_proxy)
        self.submissions = Submissions(stub)
        """Bots that were uploaded."""
        self.play = PlayTables(tables) if tables else None
        """Tables at which visitors play; None: they cannot."""
        self.live = Live(self._league_events)
        """Streams of what moves on the pages of leagues."""
        self._templates = Templates(static=settings.static)

    @staticmethod
    def of(request: Request) -> Site:
        """Return the site that a request came to."""
        site: Site = request.app.state.site
        return site

    def caller(self, request: Request) -> Visitor:
        """Return who looks at a page.

        Raises:
            grpc.RpcError: nobody is signed in, and the service does not say what visitors may do.
        """
        signed_in = self.sessions.caller(request)
        if signed_in:
            return signed_in
        return Visitor("", self.reader.get(self.stub.ServerInfo, ServerInfoRequest(), fresh=_ROLE_FRESH_S).role)

    def may_read_log(self, request: Request, owner: str) -> bool:
        """Whether who looks at a page may read what a bot of this owner wrote; on pages that become files nobody may.

        Raises:
            grpc.RpcError: see `caller`.
        """
        return not self.settings.static and self.caller(request).may_read_log(owner)

    def page(self, request: Request, template: str, /, status: int = 200, **values: object) -> HTMLResponse:
        """Render a page: a template that extends base.html. `title`: its title, one of `values`."""
        return HTMLResponse(self.part(template, **self._around(request), **values), status)

    def _league_events(self, league: str) -> Events:
        """Return what the page of a league shows of it now."""
        answer, rows = self.standings.read(league)
        return {
            "standings": self.part("league/rows.html", rows=rows),
            "progress": self.part("league/progress.html", league=answer),
            "away": "",
        } | ({"ended": ""} if answer.state == LEAGUE_STATE_DONE else {})

    def part(self, template: str, /, **values: object) -> str:
        """Render a part of a page."""
        return self._templates.render(template, values)

    def _around(self, request: Request) -> dict[str, object]:
        try:
            caller = None if self.settings.static else self.caller(request)
        except grpc.RpcError:
            caller = None  # a page that says that the service is away must be shown
        return {"navigation": self.navigation, "path": request.url.path, "caller": caller}
