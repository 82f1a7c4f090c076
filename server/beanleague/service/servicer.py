"""The calls of league.proto. Each does its work in one place elsewhere; here requests and answers are translated."""

from __future__ import annotations

import hashlib
import threading
import zlib
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

import grpc
from google.protobuf.message import DecodeError

import beanleague
from beanleague.league.errors import RequestError
from beanleague.league.standings import snapshot, standings
from beanleague.model import COMPARISON, BotVersion, MatchFilter
from beanleague.names import MAX_DEAL, NAME, NAME_RULE, parse_match
from beanleague.referee.this_node import default_workers
from beanleague.service import messages
from beanleague.service.access import Access, Role
from beanleague.service.backend import Backend
from beanleague.service.requests import number, seated, with_ratings
from beanleague.store import DatabaseError, OwnerError
from beanleague.store.backup import backup
from beanleague.store.migrations import SCHEMA_VERSION
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueServicer

if TYPE_CHECKING:
    from beanleague.service.playing import Playing

_MAX_VOIDS = 20  # of a league that are listed
_MAX_DAYS = 36_500  # that a token is valid
_DAY_S = 86_400.0
_PART_BYTES = 2**20  # of a backup
_MAX_PAGE = 1000  # entries of a list


class Service(LeagueServicer):
    """Answers the calls. Errors are raised as they come; `errors.Explain` makes statuses of them.

    Nothing that only some calls need is imported before one of them comes, so that a command that reads starts quickly.
    """

    def __init__(self, backend: Backend, access: Access) -> None:
        self._backend = backend
        self._access = access

    @cached_property
    def _playing(self) -> Playing:
        from beanleague.service.playing import Playing

        return Playing(self._backend, self._access)

    # The server and its games

    def ServerInfo(self, request: pb.ServerInfoRequest, context: grpc.ServicerContext) -> pb.ServerInfoResponse:
        caller = self._access.caller(context)
        return pb.ServerInfoResponse(
            version=beanleague.__version__,
            database=self._backend.store.database.url if caller.may(Role.ORGANISER) else "",
            schema_version=SCHEMA_VERSION,
            workers=default_workers(),
            caller=caller.name,
            role=messages.role_to_pb(caller.role),
        )

    def Backup(self, request: pb.BackupRequest, context: grpc.ServicerContext) -> Iterator[pb.BackupPart]:
        digest = hashlib.sha256()
        with backup(self._backend.store.database) as copy:
            while data := copy.read(_PART_BYTES):
                digest.update(data)
                yield pb.BackupPart(data=data)
        yield pb.BackupPart(sha256=digest.hexdigest())

    def ListRulesets(self, request: pb.ListRulesetsRequest, context: grpc.ServicerContext) -> pb.ListRulesetsResponse:
        from beanleague.service.rulesets import list_rulesets

        return list_rulesets()

    # Tokens

    def NewToken(self, request: pb.NewTokenRequest, context: grpc.ServicerContext) -> pb.NewTokenResponse:
        role = messages.role_from_pb(request.role)
        if not NAME.fullmatch(request.name):
            raise RequestError(f"a token cannot be called {request.name!r:.60}: {NAME_RULE}")
        days = number("days", request.days, 0, _MAX_DAYS)
        token, text = self._backend.store.tokens.new(request.name, str(role), days * _DAY_S if days else None)
        return pb.NewTokenResponse(info=messages.token_to_pb(token), token=text)

    def ListTokens(self, request: pb.ListTokensRequest, context: grpc.ServicerContext) -> pb.ListTokensResponse:
        return pb.ListTokensResponse(tokens=map(messages.token_to_pb, self._backend.store.tokens.list()))

    def RevokeToken(self, request: pb.RevokeTokenRequest, context: grpc.ServicerContext) -> pb.TokenInfo:
        return messages.token_to_pb(self._backend.store.tokens.revoke(request.name))

    # Bots

    def TryBot(self, request: pb.TryBotRequest, context: grpc.ServicerContext) -> Iterator[pb.TryBotProgress]:
        return self._playing.TryBot(request, context)

    def ListBots(self, request: pb.ListBotsRequest, context: grpc.ServicerContext) -> pb.ListBotsResponse:
        bots = self._backend.store.bots.newest(hidden=request.all)
        return pb.ListBotsResponse(bots=map(messages.bot_to_pb, bots))

    def HideBot(self, request: pb.HideBotRequest, context: grpc.ServicerContext) -> pb.BotInfo:
        author = self._access.caller(context).author
        return messages.bot_to_pb(self._backend.store.bots.hide(request.name, author, hidden=not request.show))

    def ShowBot(self, request: pb.ShowBotRequest, context: grpc.ServicerContext) -> pb.ShowBotResponse:
        versions = self._backend.store.bots.versions(request.name)
        running = self._backend.store.runs.running()
        return pb.ShowBotResponse(
            name=request.name,
            owner=versions[0].owner,
            hidden=versions[0].hidden,
            versions=[
                messages.version_to_pb(version, self._entries(version, running, hidden=request.all))
                for version in versions
            ],
        )

    def _entries(self, version: BotVersion, running: frozenset[int], *, hidden: bool) -> Iterator[pb.BotEntry]:
        """How a version did in its leagues. `hidden`: also in those that are hidden."""
        store = self._backend.store
        for league in store.leagues.of_version(version.id):
            if league.format == COMPARISON or (league.hidden and not hidden):
                continue
            for standing in standings(store, league, running=league.id in running):
                if standing.entrant.version_id == version.id:
                    yield messages.entry_to_pb(
                        league, standing, store.matches.faults(league.id, standing.entrant.number)
                    )

    def BotLogs(self, request: pb.BotLogsRequest, context: grpc.ServicerContext) -> pb.BotLogsResponse:
        store = self._backend.store
        version = store.bots.version(request.name, request.version or None)
        author = self._access.caller(context).author
        if author and version.owner != author:
            raise OwnerError(f"only the author of {version.bot} and organisers may read its logs")
        name = request.league
        starts: tuple[str, ...] = ("",)
        if request.match:
            name, deal, rotation = parse_match(request.match)
            if request.league not in {"", name}:
                raise RequestError(f"{request.match} is not a match of the league {request.league}")
            starts = (f"[{request.match}, move ", f"[{deal}.{rotation} #")  # the second of earlier versions
        league_id = store.leagues.get(name).id if name else None
        logs = (messages.log_to_pb(log) for log in store.logs.get(version.id, league_id))
        return pb.BotLogsResponse(
            name=version.bot, version=version.number, logs=[_lines_with(log, starts) for log in logs]
        )

    # Leagues

    def CreateLeague(self, request: pb.CreateLeagueRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        return self._playing.CreateLeague(request, context)

    def RunLeague(self, request: pb.RunLeagueRequest, context: grpc.ServicerContext) -> Iterator[pb.Progress]:
        return self._playing.RunLeague(request, context)

    def FollowRun(self, request: pb.FollowRunRequest, context: grpc.ServicerContext) -> Iterator[pb.Progress]:
        from beanleague.service.following import follow_run

        return follow_run(self._backend.store, request.name, _left(context))

    def StopRun(self, request: pb.StopRunRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        from beanleague.service.following import stop_run

        stop_run(self._backend.store, request.name, _left(context))
        return self.ShowLeague(pb.ShowLeagueRequest(name=request.name), context)

    def ListLeagues(self, request: pb.ListLeaguesRequest, context: grpc.ServicerContext) -> pb.ListLeaguesResponse:
        store = self._backend.store
        running = store.runs.running()
        leagues = store.leagues.list(hidden=request.all)
        return pb.ListLeaguesResponse(
            leagues=[messages.league_to_pb(league, running=league.id in running) for league in leagues]
        )

    def HideLeague(self, request: pb.HideLeagueRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        leagues = self._backend.store.leagues
        leagues.hide(leagues.get(request.name).id, hidden=not request.show)
        return self.ShowLeague(pb.ShowLeagueRequest(name=request.name), context)

    def ShowLeague(self, request: pb.ShowLeagueRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        store = self._backend.store
        league = store.leagues.get(request.name)
        run = store.runs.last(league.id)
        running = run is not None and run.alive
        message = messages.league_to_pb(
            league, running=running, entrants=store.leagues.entrants(league.id), workers=default_workers()
        )
        if run is not None:
            message.run_by = run.named if running else ""
            message.run_error = run.error
        rated = league.format != COMPARISON and league.deals_done > 0
        ratings = snapshot(store, league, running=running) if rated else None
        nodes = store.nodes.totals(league.id) if request.nodes else ()
        messages.add_findings(message, ratings, store.deals.voids(league.id, limit=_MAX_VOIDS), nodes)
        return message

    def AddBots(self, request: pb.AddBotsRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        return self._playing.AddBots(request, context)

    def LiftSuspension(self, request: pb.LiftSuspensionRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        return self._playing.LiftSuspension(request, context)

    def Ratings(self, request: pb.RatingsRequest, context: grpc.ServicerContext) -> pb.RatingsResponse:
        from beanleague.league.matrix import matrix

        store = self._backend.store
        league = with_ratings(store.leagues.get(request.league))
        running = league.id in store.runs.running()
        order = standings(store, league, running=running)
        entrants = store.leagues.entrants(league.id)
        return pb.RatingsResponse(
            league=league.name,
            standings=map(messages.standing_to_pb, order),
            matrix=messages.matrix_to_pb(matrix(store, league, [standing.entrant.number for standing in order])),
            history=[messages.snapshot_to_pb(past, entrants) for past in store.ratings.history(league.id)],
        )

    def VerifyLeague(
        self, request: pb.VerifyLeagueRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.VerifyProgress]:
        return self._playing.VerifyLeague(request, context)

    def Integrity(self, request: pb.IntegrityRequest, context: grpc.ServicerContext) -> pb.IntegrityResponse:
        return self._playing.Integrity(request, context)

    def ShowPair(self, request: pb.ShowPairRequest, context: grpc.ServicerContext) -> pb.ShowPairResponse:
        return self._playing.ShowPair(request, context)

    def ThinkingTimes(
        self, request: pb.ThinkingTimesRequest, context: grpc.ServicerContext
    ) -> pb.ThinkingTimesResponse:
        return self._playing.ThinkingTimes(request, context)

    def Compare(self, request: pb.CompareRequest, context: grpc.ServicerContext) -> Iterator[pb.ComparisonProgress]:
        return self._playing.Compare(request, context)

    def Standings(self, request: pb.StandingsRequest, context: grpc.ServicerContext) -> pb.StandingsResponse:
        store = self._backend.store
        league = with_ratings(store.leagues.get(request.league))
        running = league.id in store.runs.running()
        return pb.StandingsResponse(
            league=league.name,
            ruleset=league.ruleset,
            state=messages.league_state(league, running=running),
            deals_done=league.deals_done,
            deals_total=league.deals,
            standings=map(messages.standing_to_pb, standings(store, league, running=running)),
        )

    # Deals and matches

    def ListDeals(self, request: pb.ListDealsRequest, context: grpc.ServicerContext) -> pb.ListDealsResponse:
        store = self._backend.store
        league = store.leagues.get(request.league)
        limit = number("limit", request.limit, 100, _MAX_PAGE)
        after = number("after", request.after, 0, MAX_DEAL)
        deals = store.deals.list(league.id, after=after, limit=limit + 1)
        entrants = store.leagues.entrants(league.id)
        return pb.ListDealsResponse(
            deals=[messages.deal_to_pb(deal, entrants) for deal in deals[:limit]],
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
        wanted = MatchFilter(
            entrants=seated(request.bot, league, entrants) if request.bot else None,
            deal=number("deal", request.deal, 0, MAX_DEAL) or None,
            with_faults=request.with_faults,
            after=after,
            newest_first=request.newest_first,
            limit=limit + 1,
        )
        found = [messages.match_to_pb(league, match, entrants) for match in store.matches.list(league.id, wanted)]
        return pb.ListMatchesResponse(
            matches=found[:limit], next_after=found[limit - 1].match if len(found) > limit else ""
        )

    def GetMatch(self, request: pb.GetMatchRequest, context: grpc.ServicerContext) -> pb.GetMatchResponse:
        store = self._backend.store
        name, deal, rotation = parse_match(request.match)
        league = store.leagues.get(name)
        match, record = store.matches.get(league.id, deal, rotation)
        answer = pb.GetMatchResponse(
            info=messages.match_to_pb(league, match, store.leagues.entrants(league.id)),
            seed_digest=store.deals.seed_digest(league.id, deal),
        )
        try:
            answer.record.MergeFromString(zlib.decompress(record))
        except (zlib.error, DecodeError):
            raise DatabaseError(f"the record of {request.match} in {store.database.name} is damaged") from None
        return answer


def _left(context: grpc.ServicerContext) -> threading.Event:
    """Return an event that is set when the call ends."""
    left = threading.Event()
    if not context.add_callback(left.set):
        left.set()
    return left


def import_all() -> None:
    """Import at once what else the first call that needs it imports: the files may be upgraded under a server."""
    from beanleague import games, model, wire
    from beanleague.league import friendly, matrix  # noqa: F401
    from beanleague.referee import pool  # noqa: F401
    from beanleague.service import following, playing, rulesets  # noqa: F401
    from beanleague.store import commits, tables  # noqa: F401
    from beanleague.store.store import PARTS

    for package in (games, games.core, model, wire):
        for name in package.__all__:
            getattr(package, name)
    for part in PARTS:
        import_module(f"beanleague.store.{part}")


def _lines_with(log: pb.BotLog, starts: tuple[str, ...]) -> pb.BotLog:
    """Leave in a log the lines that begin with one of `starts`; all if that may be empty."""
    if "" not in starts:
        log.text = "".join(f"{line}\n" for line in log.text.split("\n") if line.startswith(starts))
    return log
