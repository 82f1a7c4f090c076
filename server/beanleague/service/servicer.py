"""The calls of league.proto. Each does its work in one place elsewhere; here requests and answers are translated."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator, Sequence

import grpc
from google.protobuf.message import DecodeError

import beanleague
from beanleague.league.bots import submission
from beanleague.league.compare import ComparisonRequest, LiveComparison, comparison_league, sequential_test
from beanleague.league.create import create_league
from beanleague.league.entrants import join, lift_suspension
from beanleague.league.errors import RequestError
from beanleague.league.integrity.report import integrity
from beanleague.league.matrix import matrix
from beanleague.league.ratings.sprt import SequentialTest
from beanleague.league.run.runner import LeagueRun, RunSettings
from beanleague.league.standings import snapshot, standings
from beanleague.league.verify.recompute import recompute
from beanleague.league.verify.verification import verify_league
from beanleague.model import COMPARISON, BotVersion, Entrant, League, MatchFilter
from beanleague.names import MAX_DEAL, NAME, NAME_RULE, parse_bot, parse_match
from beanleague.service import messages
from beanleague.service.access import Access, Role
from beanleague.service.backend import Backend, default_workers
from beanleague.service.rulesets import list_rulesets
from beanleague.service.running import Feed, follow
from beanleague.store import DatabaseError, MissingError, OwnerError
from beanleague.store.backup import backup
from beanleague.store.migrations import SCHEMA_VERSION
from beanleague.store.store import Store
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueServicer

_IN_FLIGHT = 16  # matches at once in a worker
_MAX_WORKERS = 256
_MAX_IN_FLIGHT = 1024
_MAX_VOIDS = 20  # of a league that are listed
_MAX_DAYS = 36_500  # that a token is valid
_DAY_S = 86_400.0
_PART_BYTES = 2**20  # of a backup
_MAX_PAGE = 1000  # entries of a list


class Service(LeagueServicer):
    """Answers the calls. Errors are raised as they come; `errors.Explain` makes statuses of them."""

    def __init__(self, backend: Backend, access: Access) -> None:
        self._backend = backend
        self._access = access

    # The server and its games

    def ServerInfo(self, request: pb.ServerInfoRequest, context: grpc.ServicerContext) -> pb.ServerInfoResponse:
        organises = self._access.caller(context).may(Role.ORGANISER)
        return pb.ServerInfoResponse(
            version=beanleague.__version__,
            database=self._backend.store.database.url if organises else "",
            schema_version=SCHEMA_VERSION,
            workers=default_workers(),
        )

    def Backup(self, request: pb.BackupRequest, context: grpc.ServicerContext) -> Iterator[pb.BackupPart]:
        digest = hashlib.sha256()
        with backup(self._backend.store.database) as copy:
            while data := copy.read(_PART_BYTES):
                digest.update(data)
                yield pb.BackupPart(data=data)
        yield pb.BackupPart(sha256=digest.hexdigest())

    def ListRulesets(self, request: pb.ListRulesetsRequest, context: grpc.ServicerContext) -> pb.ListRulesetsResponse:
        return list_rulesets()

    # Tokens

    def NewToken(self, request: pb.NewTokenRequest, context: grpc.ServicerContext) -> pb.NewTokenResponse:
        role = messages.role_from_pb(request.role)
        if not NAME.fullmatch(request.name):
            raise RequestError(f"a token cannot be called {request.name!r:.60}: {NAME_RULE}")
        days = _number("days", request.days, 0, _MAX_DAYS)
        token, text = self._backend.store.tokens.new(request.name, str(role), days * _DAY_S if days else None)
        return pb.NewTokenResponse(info=messages.token_to_pb(token), token=text)

    def ListTokens(self, request: pb.ListTokensRequest, context: grpc.ServicerContext) -> pb.ListTokensResponse:
        return pb.ListTokensResponse(tokens=map(messages.token_to_pb, self._backend.store.tokens.list()))

    def RevokeToken(self, request: pb.RevokeTokenRequest, context: grpc.ServicerContext) -> pb.TokenInfo:
        return messages.token_to_pb(self._backend.store.tokens.revoke(request.name))

    # Bots

    def CheckBot(self, request: pb.CheckBotRequest, context: grpc.ServicerContext) -> pb.BotReport:
        backend = self._backend
        return messages.report_to_pb(
            submission.check(request.bundle, backend.cache, backend.start_pool, context.is_active)
        )

    def SubmitBot(self, request: pb.SubmitBotRequest, context: grpc.ServicerContext) -> pb.SubmitBotResponse:
        backend = self._backend
        submitted = submission.submit(
            request.bundle,
            backend.store,
            backend.cache,
            backend.start_pool,
            context.is_active,
            author=self._access.caller(context).author,
        )
        return pb.SubmitBotResponse(
            name=submitted.version.bot,
            version=submitted.version.number,
            digest=submitted.version.digest,
            created=submitted.created,
            report=messages.report_to_pb(submitted.report),
        )

    def ListBots(self, request: pb.ListBotsRequest, context: grpc.ServicerContext) -> pb.ListBotsResponse:
        return pb.ListBotsResponse(bots=map(messages.bot_to_pb, self._backend.store.bots.newest()))

    def ShowBot(self, request: pb.ShowBotRequest, context: grpc.ServicerContext) -> pb.ShowBotResponse:
        versions = self._backend.store.bots.versions(request.name)
        running = self._backend.store.runs.running()
        return pb.ShowBotResponse(
            name=request.name,
            owner=versions[0].owner,
            versions=[messages.version_to_pb(version, self._entries(version, running)) for version in versions],
        )

    def _entries(self, version: BotVersion, running: frozenset[int]) -> Iterator[pb.BotEntry]:
        """How a version did in its leagues."""
        store = self._backend.store
        for league in store.leagues.of_version(version.id):
            if league.format == COMPARISON:
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
        league_id = store.leagues.get(request.league).id if request.league else None
        return pb.BotLogsResponse(
            name=version.bot,
            version=version.number,
            logs=map(messages.log_to_pb, store.logs.get(version.id, league_id)),
        )

    # Leagues

    def CreateLeague(self, request: pb.CreateLeagueRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        store = self._backend.store
        league = create_league(store, messages.league_from_pb(request))
        return messages.league_to_pb(
            league, running=False, entrants=store.leagues.entrants(league.id), workers=default_workers()
        )

    def RunLeague(self, request: pb.RunLeagueRequest, context: grpc.ServicerContext) -> Iterator[pb.Progress]:
        backend = self._backend
        _with_ratings(backend.store.leagues.get(request.name))
        settings = _settings(request.workers, request.in_flight, fresh=request.fresh)
        feed = Feed()
        run = LeagueRun(backend.store, request.name, backend.cache, settings, backend.start_pool, feed.put)
        backend.began(run)
        try:
            if context.add_callback(run.stop):  # else the call is over already
                yield from map(messages.progress_to_pb, follow(run.play, feed))
        finally:
            run.stop()
            backend.ended(run)

    def ListLeagues(self, request: pb.ListLeaguesRequest, context: grpc.ServicerContext) -> pb.ListLeaguesResponse:
        store = self._backend.store
        running = store.runs.running()
        return pb.ListLeaguesResponse(
            leagues=[messages.league_to_pb(league, running=league.id in running) for league in store.leagues.list()]
        )

    def ShowLeague(self, request: pb.ShowLeagueRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        store = self._backend.store
        league = store.leagues.get(request.name)
        running = league.id in store.runs.running()
        message = messages.league_to_pb(
            league, running=running, entrants=store.leagues.entrants(league.id), workers=default_workers()
        )
        rated = league.format != COMPARISON and league.deals_done > 0
        ratings = snapshot(store, league, running=running) if rated else None
        messages.add_findings(message, ratings, store.deals.voids(league.id, limit=_MAX_VOIDS))
        return message

    def AddBots(self, request: pb.AddBotsRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        store = self._backend.store
        league = join(store, request.league, request.bots, request.deals)
        return messages.league_to_pb(league, running=False, entrants=store.leagues.entrants(league.id))

    def LiftSuspension(self, request: pb.LiftSuspensionRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        store = self._backend.store
        league = lift_suspension(store, request.league, request.bot)
        return messages.league_to_pb(league, running=False, entrants=store.leagues.entrants(league.id))

    def Ratings(self, request: pb.RatingsRequest, context: grpc.ServicerContext) -> pb.RatingsResponse:
        store = self._backend.store
        league = _with_ratings(store.leagues.get(request.league))
        running = league.id in store.runs.running()
        order = standings(store, league, running=running)
        entrants = store.leagues.entrants(league.id)
        return pb.RatingsResponse(
            league=league.name,
            standings=map(messages.standing_to_pb, order),
            matrix=messages.matrix_to_pb(matrix(store, league, [standing.entrant.number for standing in order])),
            history=[messages.snapshot_to_pb(past, entrants) for past in store.ratings.history(league.id)],
        )

    def Recompute(self, request: pb.RecomputeRequest, context: grpc.ServicerContext) -> pb.RecomputeResponse:
        return messages.recomputed_to_pb(request.league, recompute(self._backend.store, request.league))

    def VerifyLeague(
        self, request: pb.VerifyLeagueRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.VerifyProgress]:
        workers = _number("workers", request.workers, default_workers(), _MAX_WORKERS)
        for report in verify_league(self._backend.store, request.league, workers=workers, wanted=context.is_active):
            yield messages.verification_to_pb(request.league, report)

    def Integrity(self, request: pb.IntegrityRequest, context: grpc.ServicerContext) -> pb.IntegrityResponse:
        store = self._backend.store
        league = store.leagues.get(request.league)
        return messages.integrity_to_pb(league, integrity(store, league), store.leagues.entrants(league.id))

    def Compare(self, request: pb.CompareRequest, context: grpc.ServicerContext) -> Iterator[pb.ComparisonProgress]:
        backend = self._backend
        store = backend.store
        default = SequentialTest()
        test = sequential_test(
            *(
                getattr(request if request.HasField(name) else default, name)
                for name in ("elo0", "elo1", "alpha", "beta")
            ),
            by=messages.measure_from_pb(request.by),
        )
        asked = ComparisonRequest(request.a, request.b, request.ruleset, test, request.seats, tuple(request.fillers))
        league = comparison_league(store, asked)
        entrants = store.leagues.entrants(league.id)
        settings = _settings(request.workers, request.in_flight, fresh=False)
        comparisons: list[LiveComparison] = []

        def count(store: Store, league: League, clock: Callable[[], float]) -> LiveComparison:
            comparisons.append(LiveComparison(store, league, clock))
            return comparisons[0]

        feed = Feed()
        run = LeagueRun(store, league.name, backend.cache, settings, backend.start_pool, feed.put, count=count)
        backend.began(run)
        try:
            if context.add_callback(run.stop):
                for progress in follow(run.play, feed):
                    if comparisons:
                        yield messages.comparison_to_pb(league, entrants, comparisons[0].comparison, progress)
        finally:
            run.stop()
            backend.ended(run)

    def Standings(self, request: pb.StandingsRequest, context: grpc.ServicerContext) -> pb.StandingsResponse:
        store = self._backend.store
        league = _with_ratings(store.leagues.get(request.league))
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
        limit = _number("limit", request.limit, 100, _MAX_PAGE)
        after = _number("after", request.after, 0, MAX_DEAL)
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
        limit = _number("limit", request.limit, 50, _MAX_PAGE)
        after = None
        if request.after:
            name, *after_key = parse_match(request.after)
            if name != league.name:
                raise RequestError(f"the page cannot start after {request.after}, which is a match of another league")
            after = (after_key[0], after_key[1])
        wanted = MatchFilter(
            entrants=_seated(request.bot, league, entrants) if request.bot else None,
            deal=_number("deal", request.deal, 0, MAX_DEAL) or None,
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


def _settings(workers: int, in_flight: int, *, fresh: bool) -> RunSettings:
    return RunSettings(
        workers=_number("workers", workers, default_workers(), _MAX_WORKERS),
        in_flight=_number("in_flight", in_flight, _IN_FLIGHT, _MAX_IN_FLIGHT),
        fresh=fresh,
    )


def _with_ratings(league: League) -> League:
    """Return `league` if it has ratings.

    Raises:
        RequestError: if it is a comparison.
    """
    if league.format == COMPARISON:
        raise RequestError(f"{league.name} is a comparison of two bots, with no standings; 'compare' runs and shows it")
    return league


def _number(name: str, asked: int, default: int, limit: int) -> int:
    """Return the number of a request, or the default if it is 0."""
    if asked > limit:
        raise RequestError(f"{name} must be at most {limit}, not {asked}")
    return asked or default


def _seated(bot: str, league: League, entrants: Sequence[Entrant]) -> tuple[int, ...]:
    """Return the entrants that "name" (any version) or "name@version" means."""
    name, version = parse_bot(bot)
    numbers = tuple(
        entrant.number for entrant in entrants if entrant.bot == name and version in {None, entrant.version}
    )
    if not numbers:
        raise MissingError(f"{bot} does not play in the league {league.name}")
    return numbers
