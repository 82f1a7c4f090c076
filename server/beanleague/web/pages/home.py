"""Home page: introduction, a match, the busiest league, links, all leagues, and new bots."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from beanleague.web.site import Site, seat_name
from beanleague.web.viewer import inline
from beanleague.wire import record_from_pb
from beanproto.v1 import league_pb2 as pb

_NEWEST = 8
_LEADERS = 3
_FIRST_ROWS = 8  # rows shown of the busiest league's standings
_MAX_WITH_LEADERS = 24  # leagues shown with their leaders
_FRESH_S = 5.0


def home(request: Request) -> Response:
    """Show the home page."""
    site = Site.of(request)
    every = site.reader.get(site.stub.ListLeagues, pb.ListLeaguesRequest()).leagues
    leagues = sorted(
        (league for league in every if league.has_standings),
        key=lambda league: -league.created.ToMicroseconds(),
    )
    standings = [
        (league, _standings(site, league) if number < _MAX_WITH_LEADERS else [])
        for number, league in enumerate(leagues)
    ]
    busiest = max((pair for pair in standings if pair[1]), key=lambda pair: _bustle(pair[0]), default=None)
    bots = site.reader.get(site.stub.ListBots, pb.ListBotsRequest()).bots
    return site.page(
        request,
        "home.html",
        title="Programs play Bohnanza",
        leagues=[(league, rows[:_LEADERS]) for league, rows in standings],
        busiest=busiest and (busiest[0], busiest[1][:_FIRST_ROWS]),
        replay=busiest and _newest_match(site, busiest[0].name),
        bots=sorted(bots, key=lambda bot: -bot.submitted.ToMicroseconds())[:_NEWEST],
    )


def _bustle(league: pb.LeagueInfo) -> tuple[bool, int]:
    """Return a sort key for the activity of a league: running ones first, then by number of matches."""
    return league.state == pb.LEAGUE_STATE_RUNNING, league.matches_done


def _standings(site: Site, league: pb.LeagueInfo) -> list[pb.Standing]:
    if league.state == pb.LEAGUE_STATE_CREATED:
        return []
    return [standing for standing in site.read_standings(league.name).standings if standing.rank]


def _newest_match(site: Site, league: str) -> Mapping[str, object] | None:
    """Return the newest match of a league for the small viewer; its record has an address or is inlined."""
    asked = pb.ListMatchesRequest(league=league, newest_first=True, limit=1)
    found = site.reader.get(site.stub.ListMatches, asked, fresh=_FRESH_S).matches
    if not found:
        return None
    (info,) = found
    shown = {"info": info, "names": [seat_name(seat) for seat in info.seats]}
    if not site.settings.static:  # the record is fetched only when the viewer starts
        return {**shown, "record": site.address(f"/matches/{info.match}/replay.json"), "inlined": ""}
    record = site.reader.get(site.stub.GetMatch, pb.GetMatchRequest(match=info.match)).record
    return {**shown, "record": "#record", "inlined": inline(record_from_pb(record))}


_ROBOTS = """\
# Leagues, bots and games may be found. Each match is played again to be shown, and there are very many.
User-agent: *
Disallow: /matches/
Disallow: /deals/
Disallow: /compare
Disallow: /play
Disallow: /submit
Disallow: /sign-in
Disallow: /*?
Disallow: /*.json
Disallow: /*.csv
"""


async def robots(request: Request) -> Response:
    """Send robots.txt."""
    return PlainTextResponse(_ROBOTS.replace(": /", f": {Site.of(request).address('/')}"))


routes = {"GET /": home, "GET /robots.txt": robots}
