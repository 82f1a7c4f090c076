"""The calls of league.proto about deals and matches."""

import json
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256

import grpc
from google.protobuf.message import DecodeError

from beanleague import model
from beanleague.league.errors import RequestError
from beanleague.names import MAX_DEAL, format_match, parse_match
from beanleague.service.backend import Calls
from beanleague.service.messages import ENTRANT, NODE, number, seated
from beanleague.store import DatabaseError
from beanleague.wire.codec import Codec, WireError, timestamp
from beanproto.v1 import league_pb2 as pb

_MAX_PAGE = 1000  # entries of a list
_REPORT_MATCHES = 20  # the newest of a bot
_LINES = "matches.jsonl"

_DEAL = Codec(model.Deal, pb.Deal, apart=("table", "seed", "played", "dropped"), parts={"node": NODE})
_MATCH = Codec(model.Match, pb.MatchInfo, apart=("seats",))
_SEAT_RESULT = Codec(model.SeatResult, pb.SeatResult, apart=("entrant",))


class MatchCalls(Calls):
    """Answers these calls."""

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
        store = self._backend.store
        league = store.leagues.get(request.league)
        entrants = store.leagues.entrants(league.id)
        limit = number("limit", request.limit, 50, _MAX_PAGE)
        after = None
        if request.after:
            name, *after_key = parse_match(request.after)
            if name != league.name:
                raise RequestError(f"the page cannot start after {request.after}, which is a match of another league")
            after = (after_key[0], after_key[1])
        wanted = model.MatchFilter(
            entrants=seated(request.bot, league, entrants) if request.bot else None,
            deal=number("deal", request.deal, 0, MAX_DEAL) or None,
            with_faults=request.with_faults,
            after=after,
            newest_first=request.newest_first,
            limit=limit + 1,
        )
        pinned = self._pinned(league)
        found = [_match_to_pb(league, match, entrants, pinned) for match in store.matches.list(league.id, wanted)]
        return pb.ListMatchesResponse(
            matches=found[:limit], next_after=found[limit - 1].match if len(found) > limit else ""
        )

    def GetMatch(self, request: pb.GetMatchRequest, context: grpc.ServicerContext) -> pb.GetMatchResponse:
        from beanleague.games import RecordError
        from beanleague.games.records.verify import with_events
        from beanleague.wire import record_from_bytes, record_to_pb, unpacked  # loads the games, which lists do without

        store = self._backend.store
        name, deal, rotation = parse_match(request.match)
        league = store.leagues.get(name)
        match, record = store.matches.get(league.id, deal, rotation)
        answer = pb.GetMatchResponse(
            info=_match_to_pb(league, match, store.leagues.entrants(league.id), self._pinned(league)),
            seed_digest=store.deals.seed_digest(league.id, deal),
        )
        try:
            answer.record.MergeFromString(unpacked(record))
            if not answer.record.events:  # an old match of a ladder
                answer.record.CopyFrom(record_to_pb(with_events(record_from_bytes(unpacked(record)))))
        except (WireError, DecodeError, RecordError):
            raise DatabaseError(f"the record of {request.match} in {store.database.name} is damaged") from None
        kept = store.analyses.get(league.id, deal, rotation)
        if kept and kept[1] == _digest(answer):
            from beanleague.service.trials import analysis_version

            answer.analysis = unpacked(kept[2]).decode() if kept[0] == analysis_version() else ""
        return answer

    def _pinned(self, league: model.League) -> Collection[tuple[int, int]]:
        """Return the matches of a league that are pinned; only those of ladders can be."""
        return self._backend.store.archive.pinned(league.id) if league.format == model.LADDER else ()

    def PinMatch(self, request: pb.PinMatchRequest, context: grpc.ServicerContext) -> pb.PinMatchResponse:
        store = self._backend.store
        name, deal, rotation = parse_match(request.match)
        league = store.leagues.get(name)
        if league.format != model.LADDER:
            raise RequestError(f"{name} is a league: the records of its matches stay whole anyway")
        if request.undo:
            store.archive.unpin(league.id, (deal, rotation))
        else:
            whole = self.GetMatch(pb.GetMatchRequest(match=request.match), context).record
            packed = zlib.compress(whole.SerializeToString(deterministic=True))
            store.archive.pin(league.id, (deal, rotation), packed)
        return pb.PinMatchResponse(match=request.match, pinned=not request.undo)

    def AnalyseMatch(
        self, request: pb.AnalyseMatchRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.AnalysisProgress]:
        from beanleague.service.trials import analyse, analysis_version

        if request.WhichOneof("source") is None:
            raise RequestError("name a match, or send its record")
        match = pb.GetMatchResponse(record=request.record)
        if request.match:  # as people may see it, and so none of a deal that is not over
            match = self.GetMatch(pb.GetMatchRequest(match=request.match), context)
        move = request.move if request.HasField("move") else None
        if match.analysis and move is None:
            yield pb.AnalysisProgress(found=match.analysis)
            return
        store = self._backend.store
        keeps = bool(request.match) and move is None and not store.database.obstacle
        ratings = self._ratings(match.info) if keeps else ()
        for progress in analyse(self._backend, self._access.caller(context), match, move, context, ratings):
            if keeps and progress.found:
                key = store.leagues.get(match.info.league).id, match.info.deal, match.info.rotation
                store.analyses.keep(*key, _digest(match), analysis_version(), zlib.compress(progress.found.encode()))
            yield progress

    def ReportBot(self, request: pb.ReportBotRequest, context: grpc.ServicerContext) -> Iterator[pb.AnalysisProgress]:
        from beanleague.games.records.record import record_to_object
        from beanleague.service.trials import run_program
        from beanleague.wire import record_from_pb

        counts: dict[str, list[str]] = {}  # in whose figures a match counts
        for bot in filter(None, dict.fromkeys((request.bot, request.against))):
            asked = pb.ListMatchesRequest(league=request.league, bot=bot, newest_first=True, limit=_REPORT_MATCHES)
            for info in self.ListMatches(asked, context).matches:
                counts.setdefault(info.match, []).append(bot)

        def program() -> tuple[Sequence[str], Mapping[str, bytes], bool]:
            lines = ""
            for match, bots in counts.items():
                record = record_from_pb(self.GetMatch(pb.GetMatchRequest(match=match), context).record)
                lines += f"{json.dumps({'match': match, 'for': bots, **record_to_object(record)})}\n"
            words = ["analyse", _LINES, "--report", request.bot, "--against", request.against]
            return words, {_LINES: lines.encode()}, True

        yield from run_program(self._backend, self._access.caller(context), context, program)

    def _ratings(self, match: pb.MatchInfo) -> Sequence[float]:
        """Return the newest ratings of the seats; none if one of them has none."""
        store = self._backend.store
        league = store.leagues.get(match.league).id
        newest, entrants = store.ratings.latest(league), store.leagues.entrants(league)
        rated = [each for each in newest.ratings if each.interval is not None] if newest else []
        known = {(entrants[each.entrant].bot, entrants[each.entrant].version): each.rating for each in rated}
        seats = [(seat.bot, seat.version) for seat in match.seats]
        return [known[seat] for seat in seats] if known.keys() >= set(seats) else ()


def _digest(match: pb.GetMatchResponse) -> bytes:
    """Return the SHA-256 digest of a record, with which its analysis is kept."""
    return sha256(match.record.SerializeToString(deterministic=True)).digest()


def _deal_to_pb(deal: model.Deal, entrants: Sequence[model.Entrant]) -> pb.Deal:
    """Describe a deal; its seed only once it was played."""
    table = [ENTRANT.encode(entrants[number]) for number in deal.table]
    state = pb.DEAL_STATE_SCHEDULED if deal.dropped is None else pb.DEAL_STATE_DROPPED
    message = _DEAL.encode(deal, state=state, table=table)
    if deal.played is not None and deal.seed is not None:
        message.state = pb.DEAL_STATE_DONE
        message.seed = deal.seed
        message.played.CopyFrom(timestamp(deal.played))
    return message


def _match_to_pb(
    league: model.League, match: model.Match, entrants: Sequence[model.Entrant], pinned: Collection[tuple[int, int]]
) -> pb.MatchInfo:
    """Describe a match without its record."""
    name = format_match(league.name, match.deal, match.rotation)
    stays = (match.deal, match.rotation) in pinned
    message = _MATCH.encode(match, match=name, league=league.name, ruleset=league.ruleset, pinned=stays)
    for result in match.seats:
        seat = message.seats.add()
        _SEAT_RESULT.write(result, seat)
        ENTRANT.write(entrants[result.entrant], seat)
    return message
