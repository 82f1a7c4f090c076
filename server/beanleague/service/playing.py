"""The calls of league.proto that play, prepare or check what is played. `servicer` passes them on.

They are apart because they import the referee, schedules and tests of ratings, which takes as long as a small command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import grpc

from beanleague.league.bots import submission
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.house_bots import TrustedPools
from beanleague.league.compare import ComparisonRequest, LiveComparison, comparison_league, sequential_test
from beanleague.league.create import create_league
from beanleague.league.entrants import join, lift_suspension
from beanleague.league.integrity.report import integrity
from beanleague.league.pair import pair
from beanleague.league.ratings.sprt import SequentialTest
from beanleague.league.run.progress import Progress
from beanleague.league.run.runner import LeagueRun, RunSettings
from beanleague.league.thinking import thinking_time
from beanleague.league.verify.verification import verify_league
from beanleague.model import League
from beanleague.referee.deal_pool import start_workers
from beanleague.referee.this_node import default_workers
from beanleague.service import messages, pair_messages, playing_messages
from beanleague.service.access import Access
from beanleague.service.backend import Backend
from beanleague.service.requests import number, seated, with_ratings
from beanleague.service.running import Feed, first_of, follow
from beanleague.service.trial_reports import reports_of
from beanleague.store.store import Store
from beanproto.v1 import league_pb2 as pb

_MAX_WORKERS = 256
_MAX_IN_FLIGHT = 1024
_MAX_PAIR_DEALS = 100  # in each list of the deals of a pair


class Playing:
    """Answers these calls, each in the method of its name."""

    def __init__(self, backend: Backend, access: Access) -> None:
        settings = backend.settings
        self._backend = backend
        self._access = access
        self._cache = BundleCache(settings.bundles)
        start_pool = settings.start_pool or start_workers
        self._start_pool = TrustedPools(start_pool, settings.trust_bots)
        self._run_pool = TrustedPools(settings.run_pool or start_pool, settings.trust_bots)

    def TryBot(self, request: pb.TryBotRequest, context: grpc.ServicerContext) -> Iterator[pb.TryBotProgress]:
        def work(seen: Callable[[submission.Report], None]) -> submission.Report | submission.Submitted:
            if not request.submit:
                return submission.check(request.bundle, self._cache, self._start_pool, context.is_active, seen)
            return submission.submit(
                request.bundle,
                self._backend.store,
                self._cache,
                self._start_pool,
                context.is_active,
                author=self._access.caller(context).author,
                seen=seen,
            )

        return map(playing_messages.trying_to_pb, reports_of(work))

    def CreateLeague(self, request: pb.CreateLeagueRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        store = self._backend.store
        league = create_league(store, playing_messages.league_from_pb(request))
        return messages.league_to_pb(
            league, running=False, entrants=store.leagues.entrants(league.id), workers=default_workers()
        )

    def RunLeague(self, request: pb.RunLeagueRequest, context: grpc.ServicerContext) -> Iterator[pb.Progress]:
        store = self._backend.store
        with_ratings(store.leagues.get(request.name))
        settings = _run_settings(request.workers, request.in_flight, fresh=request.fresh)
        feed = Feed()
        run = LeagueRun(store, request.name, self._cache, settings, self._run_pool, feed.put, packed=_packed)
        if request.detach:
            self._backend.began(run)
            for progress in first_of(run.play, feed, begun=lambda: run.opened, ended=lambda: self._backend.ended(run)):
                yield playing_messages.progress_to_pb(progress)
            return
        with self._while_called(run, context) as called:
            if called:
                yield from map(playing_messages.progress_to_pb, follow(run.play, feed))

    def AddBots(self, request: pb.AddBotsRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        store = self._backend.store
        league = join(store, request.league, request.bots, request.deals)
        return messages.league_to_pb(league, running=False, entrants=store.leagues.entrants(league.id))

    def LiftSuspension(self, request: pb.LiftSuspensionRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        store = self._backend.store
        league = lift_suspension(store, request.league, request.bot)
        return messages.league_to_pb(league, running=False, entrants=store.leagues.entrants(league.id))

    def VerifyLeague(
        self, request: pb.VerifyLeagueRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.VerifyProgress]:
        workers = number("workers", request.workers, default_workers(), _MAX_WORKERS)
        reports = verify_league(
            self._backend.store,
            request.league,
            workers=workers,
            replay=not request.no_replay,
            wanted=context.is_active,
        )
        for report in reports:
            yield playing_messages.verification_to_pb(request.league, report)

    def Integrity(self, request: pb.IntegrityRequest, context: grpc.ServicerContext) -> pb.IntegrityResponse:
        store = self._backend.store
        league = store.leagues.get(request.league)
        return playing_messages.integrity_to_pb(league, integrity(store, league), store.leagues.entrants(league.id))

    def Compare(self, request: pb.CompareRequest, context: grpc.ServicerContext) -> Iterator[pb.ComparisonProgress]:
        store = self._backend.store
        test = _test_of(request, SequentialTest())
        asked = ComparisonRequest(request.a, request.b, request.ruleset, test, request.seats, tuple(request.fillers))
        league = comparison_league(store, asked)
        entrants = store.leagues.entrants(league.id)
        settings = _run_settings(request.workers, request.in_flight, fresh=False)
        comparisons: list[LiveComparison] = []

        def count(store: Store, league: League, clock: Callable[[], float]) -> LiveComparison:
            comparisons.append(LiveComparison(store, league, clock))
            return comparisons[0]

        feed = Feed()
        run = LeagueRun(store, league.name, self._cache, settings, self._run_pool, feed.put, count=count)
        with self._while_called(run, context) as called:
            if called:
                for progress in follow(run.play, feed):
                    if comparisons:
                        yield playing_messages.comparison_to_pb(league, entrants, comparisons[0].comparison, progress)

    def ShowPair(self, request: pb.ShowPairRequest, context: grpc.ServicerContext) -> pb.ShowPairResponse:
        store = self._backend.store
        league = store.leagues.get(request.league)
        entrants = store.leagues.entrants(league.id)
        a, b = (seated(bot, league, entrants)[-1] for bot in (request.a, request.b))
        limit = number("limit", request.limit, 10, _MAX_PAIR_DEALS)
        found = pair(store, league, a, b, _test_of(request, SequentialTest(**league.test)))
        ahead, behind = found.ahead(limit), found.ahead(limit, sign=-1)
        matches = store.pairs.matches(league.id, [deal.deal for deal in (*ahead, *behind)], a, b)
        return pb.ShowPairResponse(
            test=playing_messages.test_to_pb(league, entrants[a], entrants[b], found.test),
            all=pair_messages.score_to_pb(league, found),
            ahead=pair_messages.deals_to_pb(league, ahead, matches),
            behind=pair_messages.deals_to_pb(league, behind, matches),
        )

    def ThinkingTimes(
        self, request: pb.ThinkingTimesRequest, context: grpc.ServicerContext
    ) -> pb.ThinkingTimesResponse:
        store = self._backend.store
        version = store.bots.version(request.name, request.version or None)
        answer = pb.ThinkingTimesResponse(name=version.bot, version=version.number)
        for league in [store.leagues.get(request.league)] if request.league else store.leagues.of_version(version.id):
            for entrant in store.leagues.entrants(league.id):
                if entrant.version_id == version.id and (time := thinking_time(store, league.id, entrant.number)):
                    answer.times.append(pair_messages.thinking_to_pb(league, time))
        return answer

    @contextmanager
    def _while_called(self, run: LeagueRun, context: grpc.ServicerContext) -> Iterator[bool]:
        """Stop the run when the call ends, or the server; give whether the call still goes on."""
        self._backend.began(run)
        try:
            yield context.add_callback(run.stop)
        finally:
            run.stop()
            self._backend.ended(run)


def _test_of(request: pb.CompareRequest | pb.ShowPairRequest, default: SequentialTest) -> SequentialTest:
    """Return the test that is asked for; what the request leaves out is that of `default`."""
    names: tuple[Literal["elo0", "elo1", "alpha", "beta"], ...] = ("elo0", "elo1", "alpha", "beta")
    values = (getattr(request if request.HasField(name) else default, name) for name in names)
    return sequential_test(*values, by=playing_messages.measure_from_pb(request.by) or default.by)


def _packed(progress: Progress) -> bytes:
    return playing_messages.progress_to_pb(progress).SerializeToString()


def _run_settings(workers: int, in_flight: int, *, fresh: bool) -> RunSettings:
    return RunSettings(
        workers=number("workers", workers, default_workers(), _MAX_WORKERS),
        in_flight=number("in_flight", in_flight, 0, _MAX_IN_FLIGHT) or None,
        fresh=fresh,
    )
