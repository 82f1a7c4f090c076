"""Calls of league.proto about leagues, runs and ratings; playing and verifying are in `running`."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

import grpc

from beanleague import model
from beanleague.league.errors import RequestError
from beanleague.league.schedule.owners import shared_owners
from beanleague.league.standings import snapshot, standings, with_ratings
from beanleague.names import format_bot
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.this_node import default_workers
from beanleague.service import messages
from beanleague.service.backend import Calls
from beanleague.wire.codec import Codec
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanleague.league.uses.runs import FollowedRun

_MAX_VOIDS = 20  # maximum number of a league's voids in an answer
_MAX_DAYS = 30  # days of a ladder in one answer: with 1,000 entries more would take megabytes

_LEAGUE = Codec(
    model.League,
    pb.LeagueInfo,
    apart=("id", "options", "limits", "secret", "deals", "entrants", "seated", "hero", "test", "anchor"),
)
_TRAITS = Codec(model.Traits, pb.LeagueInfo, apart=("one_version",))
_ABSENTEE = Codec(model.Entrant, pb.Absentee, apart=("number", "version_id", "owner", "last"))
_NODE_TOTALS = Codec(model.NodeTotals, pb.NodeTotals, parts={"node": messages.NODE})
_VOID = Codec(model.Void, pb.Void, parts={"node": messages.NODE})
_SEAT_EFFECT = Codec(model.SeatEffect, pb.SeatEffect, apart=("seats",))
_LEAGUE_REQUEST = Codec(model.LeagueRequest, pb.CreateLeagueRequest, apart=("options", "limits"))


class LeagueCalls(Calls):
    """Handlers of the calls about leagues."""

    def CreateLeague(self, request: pb.CreateLeagueRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        from beanleague.league.create import create_league

        return self._info(create_league(self._backend.store, _league_from_pb(request)), workers=default_workers())

    def ListLeagues(self, request: pb.ListLeaguesRequest, context: grpc.ServicerContext) -> pb.ListLeaguesResponse:
        store = self._backend.store
        running = store.runs.running()
        leagues = store.leagues.list(hidden=request.all)
        return pb.ListLeaguesResponse(leagues=[_league_to_pb(each, running=each.id in running) for each in leagues])

    def ShowLeague(self, request: pb.ShowLeagueRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        return self._info_of(request.name, nodes=request.nodes)

    def _info_of(self, name: str, *, nodes: bool = False) -> pb.LeagueInfo:
        """Describe a league with its run, voids and ratings. `nodes`: include the hosts that played it."""
        store = self._backend.store
        league = store.leagues.get(name)
        message = self._info(league, default_workers())
        running = message.state == pb.LEAGUE_STATE_RUNNING
        if (run := store.runs.last(league.id)) is not None:
            message.run_by = run.named if running else ""
            message.run_error = run.error
        if league.traits.has_standings and league.deals_done > 0:
            ratings = snapshot(store, league, running=running)
            message.seat_effects.extend(map(_SEAT_EFFECT.encode, ratings.seats))
            if (luck := ratings.reliable_luck) is not None:
                message.luck = luck
        message.voids.extend(map(_VOID.encode, store.deals.voids(league.id, limit=_MAX_VOIDS)))
        if nodes:
            message.nodes.extend(map(_NODE_TOTALS.encode, store.nodes.totals(league.id)))
            message.weak_layers.extend(layer for layer in store.nodes.layers(league.id) if layer != Layer.BUBBLEWRAP)
        return message

    def HideLeague(self, request: pb.HideLeagueRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        leagues = self._backend.store.leagues
        leagues.hide(leagues.get(request.name).id, hidden=not request.show)
        return self._info_of(request.name)

    def AddBots(self, request: pb.AddBotsRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        from beanleague.league.create import join

        return self._info(join(self._backend.store, request.league, request.bots, request.deals))

    def SuspendBot(self, request: pb.SuspendBotRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        from beanleague.league.create import suspend

        good = request.for_good
        return self._info(suspend(self._backend.store, request.league, request.bot, request.reason, for_good=good))

    def LiftSuspension(self, request: pb.LiftSuspensionRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        from beanleague.league.create import lift_suspension

        return self._info(lift_suspension(self._backend.store, request.league, request.bot))

    def _info(self, league: model.League, workers: int = 0) -> pb.LeagueInfo:
        """Describe a league with its entrants; see `_league_to_pb`."""
        store = self._backend.store
        entrants, running = store.leagues.entrants(league.id), league.id in store.runs.running()
        message = _league_to_pb(league, running=running, entrants=entrants, workers=workers)
        for gone in (entrant for entrant in entrants if not entrant.active):
            why = gone.last.reason if gone.retired else ""
            message.absent.append(_ABSENTEE.encode(gone, retired=gone.retired, suspended=gone.suspended, why=why))
        return message

    def RunLeague(self, request: pb.RunLeagueRequest, context: grpc.ServicerContext) -> Iterator[pb.Progress]:
        from beanleague.service.keeper import upkeep
        from beanleague.service.running import run_league, run_settings

        settings = run_settings(request.workers, request.in_flight, fresh=request.fresh)
        days, when_over = request.keep_days, None if request.detach else context.add_callback
        with closing(upkeep(self._backend.store, days, request.name)) if days else nullcontext():
            yield from run_league(self._backend, request.name, settings, when_over)

    def FollowRun(self, request: pb.FollowRunRequest, context: grpc.ServicerContext) -> Iterator[pb.Progress]:
        from beanleague.league.uses.runs import follow_run

        left = _event_at(context.add_callback)
        return map(_followed_to_pb, follow_run(self._backend.store, request.name, left))

    def StopRun(self, request: pb.StopRunRequest, context: grpc.ServicerContext) -> pb.LeagueInfo:
        from beanleague.league.uses.runs import stop_run

        stop_run(self._backend.store, request.name, _event_at(context.add_callback))
        return self._info_of(request.name)

    def VerifyLeague(
        self, request: pb.VerifyLeagueRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.VerifyProgress]:
        from beanleague.service.running import verify

        replay, wanted = not request.no_replay, context.is_active
        return verify(self._backend.store, request.league, request.workers, request.day, replay=replay, wanted=wanted)


def _event_at(end: Callable[[Callable[[], None]], bool]) -> threading.Event:
    """Return an event that is set at the end of a call. `end`: registers a callback for it."""
    ended = threading.Event()
    if not end(ended.set):
        ended.set()
    return ended


def _followed_to_pb(run: "FollowedRun") -> pb.Progress:
    """Convert the progress of a run in another call."""
    message, league = pb.Progress.FromString(run.progress), run.league
    if league is not None:
        message.state = pb.RUN_STATE_DONE
        message.deals_done, message.deals_total = league.deals_done, league.deals
        message.matches_done, message.matches_total = league.matches_done, league.matches
        message.ClearField("seconds_left")
        message.ClearField("standings")
        message.standings.extend(map(messages.standing_to_pb, run.standings))
    return message


def _league_from_pb(request: pb.CreateLeagueRequest) -> model.LeagueRequest:
    """Convert a request for a league.

    Raises:
        RequestError: if an option is given twice.
    """
    options: dict[str, int | str] = {}
    for option in request.options:
        if option.name in options:
            raise RequestError(f"the option {option.name!r:.80} is given twice; give it once")
        options[option.name] = option.number if option.HasField("number") else option.text
    limits = {field.name: value for field, value in request.limits.ListFields()}
    return _LEAGUE_REQUEST.decode(request, options=options, limits=limits)


def _league_to_pb(
    league: model.League, *, running: bool, entrants: Sequence[model.Entrant] = (), workers: int = 0
) -> pb.LeagueInfo:
    """Convert a league. `workers`: default number of workers of a run, 0 to leave it out."""
    message = _LEAGUE.encode(
        league,
        workers=workers,
        state=messages.league_state(league, running=running),
        deals_total=league.deals,
        matches_total=league.matches,
        entrant_count=league.entrants,
        options=[_option_to_pb(name, value) for name, value in sorted(league.options.items())],
        limits=pb.Limits(**league.limits),
        shared_owners=map(messages.SHARED_OWNER.encode, shared_owners(league, entrants)),
    )
    _TRAITS.write(league.traits, message)
    if entrants:
        message.entrants.extend(map(messages.ENTRANT.encode, entrants))
        rated = model.members(entrants) if league.traits.endless else range(len(entrants))
        anchor = (number for number in league.anchor if number in rated)
        message.anchor.extend(messages.ENTRANT.encode(entrants[number]) for number in anchor)
        if league.hero is not None:
            messages.ENTRANT.write(entrants[league.hero], message.hero)
    return message


def _option_to_pb(name: str, value: int | str) -> pb.OptionValue:
    return pb.OptionValue(name=name, number=value) if isinstance(value, int) else pb.OptionValue(name=name, text=value)


_PAST_RATING = Codec(
    model.Rating, pb.PastRating, apart=("entrant", "best_rank", "worst_rank", "anchor", "provisional", "effective")
)
_SNAPSHOT = Codec(model.Snapshot, pb.RatingSnapshot, apart=("ratings", "seats", "luck"))


class RatingCalls(Calls):
    """Handlers of the calls about ratings."""

    def Standings(self, request: pb.StandingsRequest, context: grpc.ServicerContext) -> pb.StandingsResponse:
        store = self._backend.store
        league = with_ratings(store.leagues.get(request.league))
        running = league.id in store.runs.running()
        return pb.StandingsResponse(
            league=league.name,
            ruleset=league.ruleset,
            state=messages.league_state(league, running=running),
            deals_done=league.deals_done,
            deals_total=0 if league.traits.endless else league.deals,
            standings=map(messages.standing_to_pb, standings(store, league, running=running)),
        )

    def Ratings(self, request: pb.RatingsRequest, context: grpc.ServicerContext) -> pb.RatingsResponse:
        store = self._backend.store
        league = with_ratings(store.leagues.get(request.league))
        running = league.id in store.runs.running()
        order = standings(store, league, running=running)
        alone: int | None = None
        if request.HasField("history_of"):
            from beanleague.league.uses.matches import entrants_called

            name = format_bot(request.history_of.bot, request.history_of.version)
            alone = entrants_called(name, league, store.leagues.entrants(league.id))[-1]
        days = {made.position: made.day for made in store.ladders.checkpoints(league.id, last=_MAX_DAYS)}
        newest = store.ratings.latest(league.id)
        # before the first day has ended, show deals as in a league
        shown = {*days, newest.deals} if days and newest else None
        history = () if request.no_history else store.ratings.history(league.id, alone, of=shown)
        league = store.leagues.get(league.name)  # read last, like entrants: new bots may join and play in the meantime
        entrants = store.leagues.entrants(league.id) if history else ()
        return pb.RatingsResponse(
            league=league.name,
            standings=map(messages.standing_to_pb, order),
            matrix=self._matrix(league, [standing.entrant.number for standing in order], request),
            history=[_snapshot_to_pb(past, days.get(past.deals, 0), entrants) for past in history],
        )

    def _matrix(self, league: model.League, order: Sequence[int], request: pb.RatingsRequest) -> list[pb.MatrixRow]:
        """Return the requested part of the matrix."""
        window = request.matrix
        rows, columns = order, order
        if request.HasField("matrix"):
            rows = order[window.row : window.row + window.rows]
            columns = order[window.column : window.column + window.columns]
        if not rows:
            return []
        found = self._backend.comparison_of(league).matrix(rows, columns)
        return [pb.MatrixRow(better=better, pair_score=scores) for better, scores in zip(*found, strict=True)]

    def ShowPair(self, request: pb.ShowPairRequest, context: grpc.ServicerContext) -> pb.ShowPairResponse:
        from beanleague.service.pairs import show_pair

        return show_pair(self._backend.store, request)

    def Integrity(self, request: pb.IntegrityRequest, context: grpc.ServicerContext) -> pb.IntegrityResponse:
        from beanleague.service.pairs import show_integrity

        return show_integrity(self._backend.store, request.league)

    def Compare(self, request: pb.CompareRequest, context: grpc.ServicerContext) -> Iterator[pb.ComparisonProgress]:
        from beanleague.service.pairs import comparison_from_pb
        from beanleague.service.running import compare, run_settings

        settings = run_settings(request.workers, request.in_flight)
        return compare(self._backend, comparison_from_pb(request), settings, context.add_callback)


def _snapshot_to_pb(snapshot: model.Snapshot, day: int, entrants: Sequence[model.Entrant]) -> pb.RatingSnapshot:
    """Convert a rating snapshot without the bots that were not rated then. `day`: see `RatingSnapshot`."""
    message = _SNAPSHOT.encode(snapshot, day=day)
    for rating in snapshot.ratings:
        if not rating.best_rank:
            continue  # outside of the field of a ladder
        past = message.ratings.add()
        _PAST_RATING.write(rating, past)
        messages.ENTRANT.write(entrants[rating.entrant], past)
    return message
