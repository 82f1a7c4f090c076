"""Comparison page: two bots of a league, their score, sequential test, and the most decisive deals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import grpc
from starlette.requests import Request
from starlette.responses import Response

from beanleague.names import format_bot
from beanleague.web.charts import Bar, Scale
from beanleague.web.reading import refused
from beanleague.web.site import Site
from beanproto.v1 import league_pb2 as pb

_MIN_ELO = 40.0
_MARGIN = 1.15
_FRESH_S = 10.0  # lifetime of a pair's cached sums of deals
_DEALS = 6  # deals shown on each side
_MEASURES: dict[str, pb.Measure.ValueType] = {"places": pb.MEASURE_PLACES, "dollars": pb.MEASURE_DOLLARS}


def _elo_bar(score: pb.PairScore) -> tuple[Bar, int]:
    """Return the bar of a pair's Elo difference, and the difference at the end of its line, whose centre is 0.

    An unbounded interval reaches the end of the line.
    """
    known = [abs(getattr(score, name)) for name in ("elo", "elo_least", "elo_most") if score.HasField(name)]
    most = max([_MIN_ELO, *(value * _MARGIN for value in known)])
    scale = Scale(-most, most)
    left = scale.at(score.elo_least) if score.HasField("elo_least") else 0.0
    right = scale.at(score.elo_most) if score.HasField("elo_most") else 100.0
    return Bar(left, right, scale.at(score.elo) if score.HasField("elo") else None), round(most)


@dataclass(frozen=True, slots=True)
class CompareForm:
    """Values of the comparison form."""

    leagues: Sequence[pb.LeagueInfo]
    """Leagues with deals, newest first."""
    league: pb.LeagueInfo | None
    """League chosen."""
    bots: Sequence[str]
    """Bots of the league, "name@version"."""
    a: str
    """First bot chosen."""
    b: str
    """Second bot chosen."""
    by: str
    """Quantity that the test compares; "" for the default."""

    @property
    def comparison(self) -> bool:
        """Whether the league is a comparison."""
        return self.league is not None and self.league.compares


def compare(request: Request) -> Response:
    """Show two bots of a league, by default the leaders."""
    site = Site.of(request)
    choice, answer, problem, status = _choice(request), None, "", 200
    if choice.league and choice.a and choice.b:
        by = _MEASURES.get(choice.by, pb.MEASURE_UNSPECIFIED)
        asked = pb.ShowPairRequest(league=choice.league.name, a=choice.a, b=choice.b, by=by, limit=_DEALS)
        try:
            answer = site.reader.get(site.stub.ShowPair, asked, fresh=_FRESH_S)
        except grpc.RpcError as error:
            status, problem = refused(error, posted=False)
            if status not in {400, 404}:
                raise
    return site.page(
        request, "compare.html", status, title="Compare two bots", choice=choice, problem=problem, **_charts(answer)
    )


def _charts(answer: pb.ShowPairResponse | None) -> dict[str, object]:
    if answer is None or not answer.all.deals:
        return {"answer": answer, "elo": None, "by_dollars": False}
    (elo, most), test, ratio = _elo_bar(answer.all), answer.test, None
    # position of the ratio on a line from 0 to 100, with the lower bound at 10 and the upper at 90
    if test.lower < test.upper:
        reach = (test.upper - test.lower) / 8
        scale = Scale(test.lower - reach, test.upper + reach)
        ratio = {"at": scale.at(test.llr), "zero": scale.at(0.0)}
    by_dollars = test.by == pb.MEASURE_DOLLARS
    return {"answer": answer, "elo": elo, "most": most, "ratio": ratio, "by_dollars": by_dollars}


def _choice(request: Request) -> CompareForm:
    site, asked = Site.of(request), request.query_params
    every = site.reader.get(site.stub.ListLeagues, pb.ListLeaguesRequest()).leagues
    leagues = sorted(
        (league for league in every if league.deals_done), key=lambda league: -league.created.ToMicroseconds()
    )
    league = asked.get("league", "") or _default_league(leagues)
    if not league:
        return CompareForm((), None, (), "", "", "")
    info = site.reader.get(site.stub.ShowLeague, pb.ShowLeagueRequest(name=league[:80]), fresh=_FRESH_S)
    bots = _bots(site, info)
    a, b = (*(_asked_bots(asked, info) or bots), "", "")[:2]
    by = asked.get("by", "")
    return CompareForm(leagues, info, bots, a[:80], b[:80], by if by in _MEASURES else "")


def _default_league(leagues: Sequence[pb.LeagueInfo]) -> str:
    """Return the name of the newest league with standings, else of the newest league; "" if there are none."""
    return next((league.name for league in leagues if league.has_standings), leagues[0].name if leagues else "")


def _asked_bots(asked: Mapping[str, str], info: pb.LeagueInfo) -> list[str]:
    """Return the bots named in the query; none if they were chosen for another league."""
    if asked.get("from", info.name) != info.name:
        return []
    return [bot for bot in (asked.get("a", ""), asked.get("b", "")) if bot]


def _bots(site: Site, info: pb.LeagueInfo) -> list[str]:
    """Return the bots of a league, best first."""
    if not info.has_standings:
        return [format_bot(entrant.bot, entrant.version) for entrant in info.entrants]
    standings = site.read_standings(info.name).standings
    return [format_bot(standing.bot, standing.version) for standing in standings if standing.version]


routes = {"GET /compare": compare}
