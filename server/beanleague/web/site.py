"""Common parts of all pages: the site, its templates, lists, and turns for CPU-intensive work."""

import threading
from collections.abc import AsyncIterable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlencode

import grpc
import jinja2
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from beanleague.answers import PROVISIONAL, RATED, STANDING, Kind, StandingColumn, amount, enum_name, tie_note
from beanleague.games import Record
from beanleague.names import format_bot, replace_controls
from beanleague.web.charts import number, percent, signed
from beanleague.web.reading import Events, Live, Reader, StandingsReader
from beanleague.web.security import FOR_ANY_SITE, Sessions, Visitor
from beanleague.web.settings import SiteSettings
from beanleague.web.viewer import inline
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub

_STATES = {
    pb.LeagueState.LEAGUE_STATE_CREATED: "not begun",
    pb.LeagueState.LEAGUE_STATE_STOPPED: "stopped",
    pb.LeagueState.LEAGUE_STATE_RUNNING: "running",
    pb.LeagueState.LEAGUE_STATE_DONE: "finished",
}
_ENTRY_STATES = {state: enum_name(pb.EntryState.DESCRIPTOR, state) for state in pb.EntryState.values()}
_MAX_NAME = 60  # maximum characters of a name
_NEWEST = 8  # number of newest matches shown
_NEWEST_FRESH_S = 1.0
_STANDINGS_FRESH_S = 5.0
_RULESETS_FRESH_S = 60.0
_ROLE_FRESH_S = 60.0  # for the role of anonymous visitors
_TURN_TIMEOUT_S = 10.0  # longest wait for a turn
_MAX_WAITING = 12  # maximum threads waiting for a turn or having one, out of 40

LISTED = 100
"""Number of rows per page."""
ItemT = TypeVar("ItemT")

_NAVIGATION = (
    ("/", "Leagues"),
    ("/bots", "Bots"),
    ("/compare", "Compare"),
    ("/games", "Games"),
    ("/play", "Play"),
    ("/submit", "Submit"),
    ("/guide", "Guide"),
)
"""Main pages in order of navigation: paths and titles."""

_EVENTS = "text/event-stream"
_SERVED = frozenset({"/submit", "/play", "/compare"})  # pages that need a server


def number_of(text: str, what: str, most: int = 10**15) -> int:
    """Return the number from 0 to `most` in a form field or an address.

    Raises:
        HTTPException: the text is not such a number; the message calls it `what`, e.g. "the number of a deal".
    """
    digits = len(str(most))  # Python refuses thousands of digits, and accepts digits of all scripts
    if text.isascii() and text.isdecimal() and len(text) <= digits and (number := int(text)) <= most:
        return number
    raise HTTPException(400, f"{text!r:.40} is not {what}")


@dataclass(frozen=True, slots=True)
class Listed(Generic[ItemT]):
    """A page of a long list."""

    items: Sequence[ItemT]
    """Items on this page."""
    start: int
    """Number of matching items before this page."""
    found: int
    """Number of matching items."""
    every: int
    """Number of all items, matching or not."""
    search: str = ""
    """Text searched for."""
    mine: bool = False
    """Whether only the visitor's own items match."""

    @property
    def next(self) -> int:
        """Start of the next page; 0 on the last page."""
        end = self.start + len(self.items)
        return end if end < self.found else 0

    @property
    def whole(self) -> bool:
        """Whether the whole list is shown, without a search."""
        return len(self.items) == self.every

    def query(self, start: int) -> str:
        """Return the query of the page that begins at `start`."""
        asked = {"after": str(start), "q": self.search, "mine": "1" if self.mine else ""}
        return urlencode({name: value for name, value in asked.items() if value})


class Turns:
    """Turns for CPU-intensive work: one thread works, and a few others wait.

    `refusal`: sentence for further requests; `headers`: headers of that response.
    """

    def __init__(self, refusal: str, headers: Mapping[str, str] | None = None) -> None:
        self._refusal = refusal
        self._headers = headers
        self._turn = threading.Lock()
        # Waiting requests occupy the threads that render all pages, so their number is limited.
        self._line = threading.Semaphore(_MAX_WAITING)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold a turn during this context, waiting for it first.

        Raises:
            HTTPException: if too many requests are waiting, or the wait took too long.
        """
        here = self._line.acquire(blocking=False)
        if not (here and self._turn.acquire(timeout=_TURN_TIMEOUT_S)):
            if here:
                self._line.release()
            raise HTTPException(503, self._refusal, self._headers)
        try:
            yield
        finally:
            self._turn.release()
            self._line.release()


class Templates:
    """Template renderer. All values are text: escaped, and without characters that change the writing direction."""

    def __init__(self, *, static: bool = False, root: str = "") -> None:
        """`static`: whether pages are exported; `root`: path prefix. Templates use both names.

        Exported pages omit the parts that need a server.
        """
        self._environment = jinja2.Environment(
            loader=jinja2.PackageLoader("beanleague.web"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=lambda value: (
                replace_controls(value) if isinstance(value, str) and not isinstance(value, Markup) else value
            ),
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.globals |= {
            "static": static,
            "root": root,
            "columns": STANDING,
            "provisional": PROVISIONAL,
            "rated_of": Markup('<span class="mark" title="{}">?</span>').format(RATED),
            "tie_note": tie_note,
        }
        self._environment.filters |= {
            "number": number,
            "signed": signed,
            "percent": percent,
            "figure": _figure,
            "clip": lambda text, most=80: text if len(text) <= most else f"{text[: most - 1]}…",
            "league_state": lambda state: _STATES.get(state, "unknown"),
            "entry_state": lambda state: _ENTRY_STATES.get(state, "unknown"),
            "day": lambda time: time.ToDatetime().strftime("%Y-%m-%d %H:%M"),  # in UTC, like the next format
            "iso": lambda time: time.ToDatetime().strftime("%Y-%m-%dT%H:%M:%SZ"),
            "dollars": amount,
            "by_place": lambda seats: sorted(enumerate(seats), key=lambda numbered: numbered[1].place),
        }

    def render(self, name: str, values: Mapping[str, object]) -> str:
        """Render a page, or a part of one."""
        return self._environment.get_template(name).render(values)


def _figure(value: float, column: StandingColumn) -> str:
    if column.kind is Kind.SHARE:
        return percent(value)
    return number(value, 1 if column.kind is Kind.DOLLARS else 0)


def seat_name(seat: pb.SeatResult) -> str:
    """Return the name of the player in a seat, for scripts."""
    return replace_controls(format_bot(seat.bot, seat.version))[:_MAX_NAME]


class Site:
    """The service behind a site, with caches shared by all pages; `of(request)` returns it.

    Methods that call the service raise grpc.RpcError if it is unavailable.
    """

    def __init__(self, stub: LeagueStub, settings: SiteSettings) -> None:
        self.stub = stub
        """Calls of the service. Calls on behalf of a visitor take `metadata=caller.metadata`."""
        self.settings = settings
        self.navigation = [entry for entry in _NAVIGATION if not (settings.static and entry[0] in _SERVED)]
        """Entries of `_NAVIGATION` that this site has."""
        self.reader = Reader()
        """Cache for public data, read once for all visitors."""
        self.standings = StandingsReader(stub, self.reader)
        """Standings, with the drawings of their rows."""
        self.sessions = Sessions(secure=settings.tls or settings.behind_proxy, prefix=settings.prefix)
        self.for_any_site = FOR_ANY_SITE if settings.public else {}
        """Headers of public records and tables."""
        self.live = Live(self._league_events)
        """Server-sent updates of league pages."""
        self._templates = Templates(static=settings.static, root=settings.prefix)

    @staticmethod
    def of(request: Request) -> "Site":
        """Return the site that received a request."""
        site: Site = request.app.state.site
        return site

    def address(self, path: str) -> str:
        """Return the full path of a page. `path`: path in its route, e.g. "/bots"."""
        return f"{self.settings.prefix}{path}"

    def caller(self, request: Request) -> Visitor:
        """Return the visitor of a page; without a session, an anonymous one with the role that the service gives."""
        if signed_in := self.sessions.caller(request):
            return signed_in
        return Visitor("", self.reader.get(self.stub.ServerInfo, pb.ServerInfoRequest(), fresh=_ROLE_FRESH_S).role)

    def listed(
        self, request: Request, every: Sequence[ItemT], words: Callable[[ItemT], str], owner: Callable[[ItemT], str]
    ) -> Listed[ItemT]:
        """Return the requested page of a list. `words`: searchable text of an item."""
        search, mine = request.query_params.get("q", "")[:_MAX_NAME].strip(), "mine" in request.query_params
        found = [item for item in every if search.casefold() in words(item).casefold()] if search else every
        if mine:
            name = self.caller(request).name
            found = [item for item in found if name and owner(item) == name]
        start = number_of(request.query_params.get("after", "0"), "the number of a row")
        return Listed(found[start : start + LISTED], start, len(found), len(every), search, mine)

    def may_read_log(self, request: Request, owner: str) -> bool:
        """Return whether the visitor may read the log of a bot of `owner`; never on exported pages."""
        return not self.settings.static and self.caller(request).may_read_log(owner)

    def page(self, request: Request, template: str, /, status: int = 200, **values: object) -> HTMLResponse:
        """Render a page from a template that extends base.html.

        `values` include its `title`, and `about`, a sentence for previews of links to it, if it has any.
        """
        try:
            caller = None if self.settings.static else self.caller(request)
        except grpc.RpcError:
            caller = None  # the error page must work without the service, too
        values.setdefault("about", "")
        values |= {"navigation": self.navigation, "path": request.url.path, "caller": caller}
        return HTMLResponse(self.part(template, contact=self.settings.contact, **values), status)

    def read_standings(self, league: str) -> pb.StandingsResponse:
        """Return the standings of a league, at most a few seconds old."""
        return self.reader.get(self.stub.Standings, pb.StandingsRequest(league=league), fresh=_STANDINGS_FRESH_S)

    def rulesets(self) -> Sequence[pb.RulesetInfo]:
        """Return the games of the service."""
        return self.reader.get(self.stub.ListRulesets, pb.ListRulesetsRequest(), fresh=_RULESETS_FRESH_S).rulesets

    def newest_matches(self, league: str) -> Sequence[pb.MatchInfo]:
        """Return the latest matches of a league, newest first."""
        asked = pb.ListMatchesRequest(league=league, newest_first=True, limit=_NEWEST)
        return self.reader.get(self.stub.ListMatches, asked, fresh=_NEWEST_FRESH_S).matches

    def _league_events(self, league: str) -> Events:
        """Return the current contents of a league's page, by event."""
        answer, rows = self.standings.read(league)
        return {
            "standings": self.part("league/rows.html", rows=rows[:LISTED]),
            "progress": self.part("league/progress.html", league=answer),
            "newest": self.part("league/newest.html", info=answer, matches=self.newest_matches(league)),
            "away": "",
        } | ({"ended": ""} if answer.state == pb.LEAGUE_STATE_DONE else {})

    def part(self, template: str, /, **values: object) -> str:
        """Render part of a page."""
        return self._templates.render(template, values)


def event_stream(request: Request, events: AsyncIterable[bytes], headers: Mapping[str, str] | None = None) -> Response:
    """Return a response that sends server-sent events; for a HEAD request only the headers."""
    if request.method == "HEAD":
        return Response(media_type=_EVENTS, headers=headers)
    return StreamingResponse(events, media_type=_EVENTS, headers=headers)


def trial_page(request: Request, title: str, record: Record, back: str, back_name: str) -> HTMLResponse:
    """Show a trial match. `back`, `back_name`: path of the bot's page, and the bot's name."""
    site, ruleset, text = Site.of(request), record.ruleset, inline(record)
    return site.page(
        request, "trial.html", title=title, back=site.address(back), back_name=back_name, ruleset=ruleset, record=text
    )
