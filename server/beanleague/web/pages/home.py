"""The first page: what this is, a match, the league where most happens, and ways on; then all leagues and new bots."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from beanleague.web.reading import Reader
from beanleague.web.site import Site, seat_name
from beanleague.web.viewer import inline
from beanleague.wire import record_from_pb
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub

_NEWEST = 8
_LEADERS = 3
_FIRST_ROWS = 8  # of the standings of the busiest league
_MAX_WITH_LEADERS = 24  # leagues
_FRESH_S = 5.0


@dataclass(frozen=True, slots=True)
class SmallReplay:
    """A match that is shown small."""

    info: pb.MatchInfo
    """The match."""
    names: tuple[str, ...]
    """The players, by seat."""
    record: str
    """Where its record is: an address, or an element of the page."""
    inlined: str = ""
    """The record, where it is an element of the page."""


def home(request: Request) -> Response:
    """Show the first page."""
    site = Site.of(request)
    every = site.reader.get(site.stub.ListLeagues, pb.ListLeaguesRequest()).leagues
    leagues = sorted(
        (league for league in every if league.format != pb.LEAGUE_FORMAT_COMPARISON),
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


def _standings(site: Site, league: pb.LeagueInfo) -> list[pb.Standing]:
    if league.state == pb.LEAGUE_STATE_CREATED:
        return []
    answer = site.reader.get(site.stub.Standings, pb.StandingsRequest(league=league.name), fresh=_FRESH_S)
    return [standing for standing in answer.standings if standing.rank]


def _bustle(league: pb.LeagueInfo) -> tuple[bool, int]:
    """Return what a league that is busier has more of: it runs, and has been played."""
    return league.state == pb.LEAGUE_STATE_RUNNING, league.matches_done


def _newest_match(site: Site, league: str) -> SmallReplay | None:
    asked = pb.ListMatchesRequest(league=league, newest_first=True, limit=1)
    found = site.reader.get(site.stub.ListMatches, asked, fresh=_FRESH_S).matches
    if not found:
        return None
    (info,) = found
    names = tuple(seat_name(seat) for seat in info.seats)
    if not site.settings.static:  # nobody plays a record before somebody looks at it
        return SmallReplay(info, names, f"/matches/{info.match}/replay.json")
    return SmallReplay(info, names, "#record", _inlined(site.reader, site.stub, info.match))


def _inlined(reader: Reader, stub: LeagueStub, match: str) -> str:
    return inline(record_from_pb(reader.get(stub.GetMatch, pb.GetMatchRequest(match=match)).record))


routes = [Route("/", home)]
