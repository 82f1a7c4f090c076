"""The calls of league.proto about ladders."""

import time
from collections.abc import Sequence

import grpc

from beanleague import model
from beanleague.league.errors import RequestError
from beanleague.service.backend import Calls
from beanleague.wire.codec import Codec, Names
from beanproto.v1 import league_pb2 as pb

_MAX_DAYS = 7  # that are shown
_MAX_REASON = 200
_STATES: Names[str] = Names(pb.LadderState.DESCRIPTOR)
_ENTRY_STATES: Names[str] = Names(pb.EntryState.DESCRIPTOR)
_DAY = Codec(model.LadderDay, pb.LadderDay, apart=("secret",))


class LadderCalls(Calls):
    """Answers these calls."""

    def CreateLadder(self, request: pb.CreateLadderRequest, context: grpc.ServicerContext) -> pb.LadderInfo:
        from beanleague.league.ladder.changing import LadderRequest, create_ladder

        defaults = model.Ladder()
        league = create_ladder(
            self._backend.store,
            LadderRequest(
                name=request.name,
                ruleset=request.ruleset,
                seats=request.seats,
                per_owner=request.per_owner or defaults.per_owner,
                versions_a_day=request.versions_a_day or defaults.versions_a_day,
                isolate=request.isolate,
                one_cpu=request.one_cpu,
                anchor=request.anchor,
                without_house_bots=request.without_house_bots,
            ),
        )
        return self._shown_ladder(league.name)

    def ListLadders(self, request: pb.ListLaddersRequest, context: grpc.ServicerContext) -> pb.ListLaddersResponse:
        store = self._backend.store
        ladders = (league for league in store.leagues.list() if league.format == model.LADDER)
        return pb.ListLaddersResponse(ladders=[self._ladder_info(league) for league in ladders])

    def ShowLadder(self, request: pb.ShowLadderRequest, context: grpc.ServicerContext) -> pb.LadderInfo:
        return self._shown_ladder(request.name)

    def SetLadder(self, request: pb.SetLadderRequest, context: grpc.ServicerContext) -> pb.LadderInfo:
        from beanleague.league.ladder.changing import set_state

        if len(request.reason) > _MAX_REASON:
            raise RequestError(f"a reason has at most {_MAX_REASON} characters, not {len(request.reason)}")
        if request.state not in _STATES.number.values() or not request.state:
            raise RequestError("say whether the ladder is to be open, paused or closed")
        state = model.LadderState(_STATES.name(request.state))
        set_state(self._backend.store, request.name, state, request.reason)
        return self._shown_ladder(request.name)

    def EnterLadder(self, request: pb.EnterLadderRequest, context: grpc.ServicerContext) -> pb.LadderEntry:
        from beanleague.league.ladder.changing import enter

        entrant = enter(self._backend.store, request.name, request.bot, self._access.caller(context).author)
        return self._entries_of(self._backend.store.leagues.get(request.name), [entrant.number])[0]

    def LeaveLadder(self, request: pb.LeaveLadderRequest, context: grpc.ServicerContext) -> pb.LadderEntry:
        from beanleague.league.ladder.changing import leave

        entrant = leave(self._backend.store, request.name, request.bot, self._access.caller(context).author)
        return self._entries_of(self._backend.store.leagues.get(request.name), [entrant.number])[0]

    def _shown_ladder(self, name: str) -> pb.LadderInfo:
        """Return a ladder with its entries and its last days."""
        from beanleague.league.ladder.changing import ladder_of

        store = self._backend.store
        league, _ = ladder_of(store, name)
        message = self._ladder_info(league)
        message.entries.extend(self._entries_of(league))
        for day in reversed(store.ladders.days(league.id)[-_MAX_DAYS:]):
            shown = _DAY.encode(day)
            shown.secret = day.secret if day.ended is not None else b""
            message.days.append(shown)
        return message

    def _ladder_info(self, league: model.League) -> pb.LadderInfo:
        store = self._backend.store
        ladder = store.ladders.get(league.id)
        message = pb.LadderInfo(
            name=league.name,
            ruleset=league.ruleset,
            seats=league.seats,
            state=_STATES.number[ladder.state],
            reason=ladder.reason,
            running=league.id in store.runs.running(),
            per_owner=ladder.per_owner,
            versions_a_day=ladder.versions_a_day,
            deals_done=league.deals_done,
            matches_done=league.matches_done,
        )
        message.created.FromMicroseconds(round(league.created * 1e6))
        return message

    def _entries_of(self, league: model.League, only: Sequence[int] = ()) -> list[pb.LadderEntry]:
        """Return the entries of a ladder, newest first; `only`: those with these numbers."""
        from beanleague.league.ladder.forecast import forecasts
        from beanleague.league.ladder.inputs import unpacked

        store = self._backend.store
        entrants = store.leagues.entrants(league.id)
        changes = store.changes.list(league.id)
        states = model.entry_states(changes)
        last = {change.entrant: change for change in changes if change.entrant is not None}
        deals = [totals.deals for totals in store.leagues.totals(league.id)]
        epoch = store.ladders.last_epoch(league.id)
        known = unpacked(epoch.entries, range(len(entrants))) if epoch else ()
        widths = {entry.number: entry.half_width for entry in known}
        found = forecasts(store, league, entrants, states, deals, widths, time.time())
        messages = []
        for entrant in reversed(entrants):
            if only and entrant.number not in only:
                continue
            number = entrant.number
            message = pb.LadderEntry(
                bot=entrant.bot,
                version=entrant.version,
                owner=entrant.owner,
                state=_ENTRY_STATES.number[states[number]],
                reason=entrant.suspended or last[number].reason,
                deals=deals[number],
                half_width=widths.get(number, 0),
            )
            message.since.FromMicroseconds(round(last[number].happened * 1e6))
            if number in found:
                forecast = found[number]
                message.forecast.CopyFrom(
                    pb.Forecast(
                        deals=forecast.deals,
                        before=forecast.before,
                        first_seconds=forecast.first_seconds,
                        rated_seconds=forecast.rated_seconds,
                    )
                )
            messages.append(message)
        return messages
