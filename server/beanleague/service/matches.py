"""Calls of league.proto about deals and matches."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import grpc

from beanleague import model
from beanleague.league.errors import RequestError
from beanleague.names import MAX_DEAL
from beanleague.service.backend import Calls
from beanleague.service.gate import who_calls
from beanleague.service.messages import ENTRANT, NODE, number
from beanleague.wire.codec import Codec, timestamp
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanleague.league.uses.analyses import AnalysisRequest
    from beanleague.league.uses.matches import LeagueMatch

_MAX_PAGE = 1000  # maximum entries of a list

_DEAL = Codec(model.Deal, pb.Deal, apart=("table", "seed", "played", "dropped"), parts={"node": NODE})
_MATCH = Codec(model.Match, pb.MatchInfo, apart=("seats",))
_SEAT_RESULT = Codec(model.SeatResult, pb.SeatResult, apart=("entrant",))


class MatchCalls(Calls):
    """Handlers of the calls about deals and matches."""

    def ListDeals(self, request: pb.ListDealsRequest, context: grpc.ServicerContext) -> pb.ListDealsResponse:
        store = self._backend.store
        league = store.leagues.get(request.league)
        limit = number("limit", request.limit, 100, _MAX_PAGE)
        after = number("after", request.after, 0, MAX_DEAL)
        deals = store.deals.list(league.id, after=after, limit=limit + 1)
        entrants = store.leagues.entrants(league.id)
        return pb.ListDealsResponse(
            deals=[_deal_to_pb(deal, entrants) for deal in deals[:limit]],
            next_after=deals[limit - 1].number if len(deals) > limit else 0,
        )

    def ListMatches(self, request: pb.ListMatchesRequest, context: grpc.ServicerContext) -> pb.ListMatchesResponse:
        from beanleague.league.uses.matches import MatchQuery, page_of_matches

        limit = number("limit", request.limit, 50, _MAX_PAGE)
        query = MatchQuery(
            league=request.league,
            limit=limit,
            bot=request.bot,
            deal=number("deal", request.deal, 0, MAX_DEAL) or None,
            with_faults=request.with_faults,
            after=request.after,
            newest_first=request.newest_first,
        )
        page = page_of_matches(self._backend.store, query)
        return pb.ListMatchesResponse(matches=map(_match_to_pb, page.matches), next_after=page.next_after)

    def GetMatch(self, request: pb.GetMatchRequest, context: grpc.ServicerContext) -> pb.GetMatchResponse:
        from beanleague.league.uses.matches import kept_analysis, whole_match

        match = whole_match(self._backend.store, request.match)
        answer = pb.GetMatchResponse(info=_match_to_pb(match), seed_digest=match.seed_digest)
        answer.record.MergeFromString(match.record)
        answer.analysis = kept_analysis(self._backend.store, match)
        return answer

    def PinMatch(self, request: pb.PinMatchRequest, context: grpc.ServicerContext) -> pb.PinMatchResponse:
        from beanleague.league.uses.matches import pin

        pin(self._backend.store, request.match, pinned=not request.undo)
        return pb.PinMatchResponse(match=request.match, pinned=not request.undo)

    def AnalyseMatch(
        self, request: pb.AnalyseMatchRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.AnalysisProgress]:
        from beanleague.league.uses.analyses import analyse
        from beanleague.service.trials import analysis_to_pb, runner

        caller = self._access.caller(context)
        asked = _analysis_from_pb(request, caller.owner, trust_bots=self._backend.settings.trust_bots)
        run = runner(self._backend, who_calls(caller, context), context.is_active)
        return map(analysis_to_pb, analyse(self._backend.store, asked, run))

    def ReportBot(self, request: pb.ReportBotRequest, context: grpc.ServicerContext) -> Iterator[pb.AnalysisProgress]:
        from beanleague.league.uses.reports import ReportRequest, report
        from beanleague.service.trials import analysis_to_pb, runner

        run = runner(self._backend, who_calls(self._access.caller(context), context), context.is_active)
        asked = ReportRequest(request.league, request.bot, request.against)
        return map(analysis_to_pb, report(self._backend.store, asked, run))


def _analysis_from_pb(request: pb.AnalyseMatchRequest, owner: str | None, *, trust_bots: bool) -> "AnalysisRequest":
    """Convert a request to analyse a match or to ask about a decision. `owner`: owner of the caller's bots.

    Raises:
        RequestError: if the record in the request is invalid.
    """
    from beanleague.league.uses.analyses import AnalysisRequest
    from beanleague.wire import WireError, record_from_pb

    try:
        record = record_from_pb(request.record) if request.HasField("record") else None
    except WireError as error:
        raise RequestError(f"this is not a record of a match: {error}") from None
    move = request.move if request.HasField("move") else None
    return AnalysisRequest(request.match, record, move, owner, trust_bots)


def _deal_to_pb(deal: model.Deal, entrants: Sequence[model.Entrant]) -> pb.Deal:
    """Convert a deal; its seed only if it has been played."""
    table = [ENTRANT.encode(entrants[number]) for number in deal.table]
    state = pb.DEAL_STATE_SCHEDULED if deal.dropped is None else pb.DEAL_STATE_DROPPED
    message = _DEAL.encode(deal, state=state, table=table)
    if deal.played is not None and deal.seed is not None:
        message.state = pb.DEAL_STATE_DONE
        message.seed = deal.seed
        message.played.CopyFrom(timestamp(deal.played))
    return message


def _match_to_pb(match: "LeagueMatch") -> pb.MatchInfo:
    """Convert a match, without its record."""
    league = match.league
    message = _MATCH.encode(
        match.match, match=match.name, league=league.name, ruleset=league.ruleset, pinned=match.pinned
    )
    for result in match.match.seats:
        seat = message.seats.add()
        _SEAT_RESULT.write(result, seat)
        ENTRANT.write(match.entrants[result.entrant], seat)
    return message
