"""League pages: live standings, the data behind them, and downloads."""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import grpc
from anyio import to_thread
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from beanleague.answers import deals_csv, matrix_csv, shape, standings_csv
from beanleague.games.families import family_of_ruleset
from beanleague.names import escape_controls, replace_controls
from beanleague.web import charts
from beanleague.web.reading import TIMEOUT_S, refused
from beanleague.web.site import LISTED, Site, Turns, event_stream, number_of
from beanproto.v1 import league_pb2 as pb

_FRESH_S = 5.0
_INTEGRITY_FRESH_S = 60.0  # cached for long, since all trades of a league are summed
_MAX_DEALS = 1000  # maximum deals per call
_MAX_CALLS = 50  # maximum calls; larger leagues are for the command line
_MAX_AFTER = 80  # maximum characters of `after`
_KEPT_SHARE = 20  # a file takes at most a twentieth of a core, however often it is requested
_MAX_BYTES = 64 * 2**20  # maximum size of kept files
_DRAWN_DEALS = 5  # fewest deals of a league with a history
_COMPARED_BOTS = 4  # fewest bots whose gifts can be compared: a pair, and two others with whom each of them traded
_NODES_FRESH_S = 60.0  # cached for long, since all deals and faults of a league are summed


def _all_deals(site: Site, league: str) -> pb.ListDealsResponse:
    every, after = pb.ListDealsResponse(), 0
    for _ in range(_MAX_CALLS):
        request = pb.ListDealsRequest(league=league, after=after, limit=_MAX_DEALS)
        answer = site.reader.get(site.stub.ListDeals, request, fresh=_FRESH_S)
        every.deals.extend(answer.deals)
        after = answer.next_after
        if not after:
            return every
    raise HTTPException(413, "This league has too many deals for a download; use: beanleague match list --json")


_KINDS: Mapping[str, tuple[Callable[[Site, str], Message], Callable[..., str]]] = {
    "standings": (lambda site, league: site.read_standings(league), lambda answer: standings_csv(answer.standings)),
    "matrix": (
        lambda site, league: site.reader.get(site.stub.Ratings, pb.RatingsRequest(league=league), fresh=_FRESH_S),
        matrix_csv,
    ),
    "deals": (_all_deals, lambda answer: deals_csv(answer.deals)),
}


class Downloads:
    """Files for download, made one at a time and cached for `_KEPT_SHARE` times the CPU time that each took.

    The matrix of a thousand bots takes seconds; with this limit visitors cannot occupy a whole core or all threads.
    `clock`, `cpu`: return time and CPU time of this thread, in seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, cpu: Callable[[], float] = time.thread_time
    ) -> None:
        self._clock = clock
        self._cpu = cpu
        self._turns = Turns("too many files are being created at the moment; try again", {"retry-after": "10"})
        # time until which a file is kept, and the file, oldest first
        self._kept: dict[tuple[str, ...], tuple[float, bytes]] = {}

    def get(self, key: tuple[str, ...], make: Callable[[], str]) -> bytes:
        """Return a file from the cache, else from `make`.

        Raises:
            HTTPException: if too many requests are waiting.
        """
        if kept := self._newest(key):
            return kept
        with self._turns.turn():
            return self._newest(key) or self._make(key, make)

    def _newest(self, key: tuple[str, ...]) -> bytes:
        until, file = self._kept.get(key, (0.0, b""))
        return file if self._clock() < until else b""

    def _make(self, key: tuple[str, ...], make: Callable[[], str]) -> bytes:
        began = self._cpu()
        file = make().encode()
        self._kept.pop(key, None)
        self._kept[key] = self._clock() + _KEPT_SHARE * (self._cpu() - began), file
        while len(self._kept) > 1 and sum(len(each) for _, each in self._kept.values()) > _MAX_BYTES:
            del self._kept[next(iter(self._kept))]
        return file


def download(request: Request) -> Response:
    """Send a file."""
    league, kind, form = (request.path_params[name] for name in ("league", "kind", "form"))
    if kind not in _KINDS or form not in {"csv", "json"}:
        raise HTTPException(404)
    read, as_csv = _KINDS[kind]
    site = Site.of(request)

    def make() -> str:
        answer = read(site, league)
        if form == "json":
            return escape_controls(json.dumps(shape(answer), ensure_ascii=False))
        return replace_controls(as_csv(answer))

    downloads: Downloads = request.app.state.downloads
    name = f"{re.sub('[^a-z0-9_-]', '_', league)}-{kind}.{form}"
    headers = {**site.for_any_site, "content-disposition": f'attachment; filename="{name}"'}
    media_type = "application/json" if form == "json" else "text/csv"
    return Response(downloads.get((league, kind, form), make), media_type=media_type, headers=headers)


_TABS = ("standings", "entries", "matches", "history", "matrix", "seats", "gifts", "deals")
"""Templates of a league's pages. The first is at the league's address, the others below it."""


def league_of(request: Request) -> pb.LeagueInfo:
    """Return the league named in the address."""
    site = Site.of(request)
    return site.reader.get(site.stub.ShowLeague, pb.ShowLeagueRequest(name=request.path_params["league"]))


def league_page(request: Request, info: pb.LeagueInfo, tab: str, **values: Any) -> Response:
    """Render a page of a league with the template league/`tab`.html."""
    bots, deals = f"{info.entrant_count:,} bots play {info.ruleset}", f"{info.deals_done:,} deals"
    played = deals if info.endless else f"{info.deals_done:,} of {info.deals_total:,} deals"
    about = f"{bots}: {played} played."
    common: Mapping[str, Any] = {
        "info": info,
        "tabs": _tabs(request, info),
        "here": tab,
        "title": info.name,
        "about": about,
    }
    site = Site.of(request)
    home = site.address(f"/leagues/{quote(info.name, safe='')}")
    return site.page(request, f"league/{tab}.html", home=home, **common, **values)


def _tabs(request: Request, info: pb.LeagueInfo) -> Sequence[str]:
    """Return the templates of a league's pages that have something to show.

    Gifts are for organisers, and only for games with trades.
    """
    if not info.has_standings:
        return ("matches", "deals")
    family = family_of_ruleset(info.ruleset)
    without = _empty_tabs(info)
    site = Site.of(request)
    organises = not site.settings.static and site.caller(request).role == pb.ROLE_ORGANISER
    if not organises or (family is not None and family.name != "bohnanza"):
        without.add("gifts")
    return [tab for tab in _TABS if tab not in without]


def _empty_tabs(info: pb.LeagueInfo) -> set[str]:
    """Return the pages of a league that have nothing to show so far."""
    without = set() if info.has_entries else {"entries"}
    if not info.deals_done:
        without |= {"matrix", "seats", "gifts"}
    if info.deals_done < _DRAWN_DEALS and not info.has_entries:
        without.add("history")
    if info.entrant_count < _COMPARED_BOTS:
        without.add("gifts")
    return without


def standings(request: Request) -> Response:
    """Show the standings."""
    site, info = Site.of(request), league_of(request)
    if not info.has_standings:
        return matches(request)
    answer, every = site.standings.read(info.name)
    rows = site.listed(request, every, lambda row: _words(row.standing), lambda row: row.standing.owner)
    newest = site.newest_matches(info.name)
    return league_page(request, info, "standings", answer=answer, rows=rows, size=LISTED, matches=newest)


def matches(request: Request) -> Response:
    """Show a page of the matches, newest first."""
    site, info = Site.of(request), league_of(request)
    after = request.query_params.get("after", "")[:_MAX_AFTER]
    last = f"{info.name}/{after}" if after else ""
    asked = pb.ListMatchesRequest(league=info.name, after=last, newest_first=True, limit=site.settings.page)
    answer = site.reader.get(site.stub.ListMatches, asked)
    return league_page(
        request, info, "matches", matches=answer.matches, after=after, next_after=answer.next_after.rpartition("/")[2]
    )


async def live(request: Request) -> Response:
    """Stream the standings as server-sent events."""
    site = Site.of(request)
    info = await to_thread.run_sync(league_of, request)
    if not info.has_standings:
        raise HTTPException(404, "A comparison has no standings.")
    return event_stream(request, site.live.watch(info.name))


def history(request: Request) -> Response:
    """Show the rating history."""
    info = league_of(request)
    site = Site.of(request)
    asked = pb.RatingsRequest(league=info.name, matrix=pb.MatrixWindow())
    rated = site.reader.get(site.stub.Ratings, asked, fresh=_FRESH_S)
    listed = site.listed(request, rated.standings, _words, lambda standing: standing.owner)
    chosen = listed.items if listed.search or listed.mine else ()
    drawn = charts.drawn_in_history(rated.standings, chosen)
    return league_page(
        request,
        info,
        "history",
        chart=charts.history_chart(rated.standings, rated.history, chosen),
        table=charts.history_table(drawn, rated.history),
        history=rated.history,
        by_day=any(snapshot.day for snapshot in rated.history),
        listed=listed,
        rest=sum(standing.rank > 0 for standing in rated.standings) - len(drawn),
    )


def matrix(request: Request) -> Response:
    """Show the results of each bot against each other."""
    site, info = Site.of(request), league_of(request)
    places = (request.query_params.get(name, "0") for name in ("row", "column"))
    row, column = (number_of(place, "the number of a bot", 10**6) for place in places)
    window = pb.MatrixWindow(row=row, rows=charts.WINDOW, column=column, columns=charts.WINDOW)
    asked = pb.RatingsRequest(league=info.name, matrix=window, no_history=True)
    rated = site.reader.get(site.stub.Ratings, asked, fresh=_FRESH_S)
    return league_page(request, info, "matrix", matrix=charts.rating_matrix(rated, row, column))


def seats(request: Request) -> Response:
    """Show the effect of each seat."""
    info = league_of(request)
    return league_page(request, info, "seats", bars=charts.seat_bars(info.seat_effects))


def gifts(request: Request) -> Response:
    """Show gifts in trades to organisers; others cannot see them, since they name bots without being proof."""
    site, info = Site.of(request), league_of(request)
    try:
        asked, signed_in = pb.IntegrityRequest(league=info.name), site.sessions.caller(request)
        if signed_in:
            answer = site.stub.Integrity(asked, metadata=signed_in.metadata, timeout=TIMEOUT_S)
        else:
            answer = site.reader.get(site.stub.Integrity, asked, fresh=_INTEGRITY_FRESH_S)
    except grpc.RpcError as error:
        status, why = refused(error, posted=False)
        if status != 400:
            raise
        return league_page(request, info, "gifts", why=why)  # a game without trades, or a league without matches
    return league_page(request, info, "gifts", why="", answer=answer, matrix=charts.gift_matrix(answer.pairs))


def deals(request: Request) -> Response:
    """Show a page of the deals. The first page also shows the nodes that played them, if there were several."""
    site, info = Site.of(request), league_of(request)
    after = number_of(request.query_params.get("after", "0"), "the number of a deal")
    answer = site.reader.get(
        site.stub.ListDeals, pb.ListDealsRequest(league=info.name, after=after, limit=site.settings.page)
    )
    asked = pb.ShowLeagueRequest(name=info.name, nodes=True)  # include the nodes and their sandbox layers
    played = pb.LeagueInfo() if after else site.reader.get(site.stub.ShowLeague, asked, fresh=_NODES_FRESH_S)
    return league_page(
        request,
        info,
        "deals",
        deals=answer.deals,
        dropped=pb.DEAL_STATE_DROPPED,
        next_after=answer.next_after,
        after=after,
        size=site.settings.page,
        nodes=played.nodes if len(played.nodes) > 1 else (),
        weak_layers=played.weak_layers,
    )


def _words(standing: pb.Standing) -> str:
    return f"{standing.bot} {standing.owner}"


routes = {
    "GET /leagues/{league}/{kind}.{form}": download,
    "GET /leagues/{league}": standings,
    "GET /leagues/{league}/live": live,
    **{f"GET /leagues/{{league}}/{page.__name__}": page for page in (matches, history, matrix, seats, gifts, deals)},
}
