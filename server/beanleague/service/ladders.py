"""Calls of league.proto about ladders."""

import time
from collections.abc import Iterator, Sequence

import grpc

from beanleague import model
from beanleague.league.errors import RequestError
from beanleague.names import parse_bot
from beanleague.service.access import Role
from beanleague.service.backend import Calls
from beanleague.service.bots import fault_count_to_pb
from beanleague.wire.codec import Codec, Names, timestamp
from beanproto.v1 import league_pb2 as pb

_MAX_DAYS = 7  # days listed in an answer
_MAX_REASON = 200
_STATES: Names[str] = Names(pb.LadderState.DESCRIPTOR)
_ENTRY_STATES: Names[str] = Names(pb.EntryState.DESCRIPTOR)
_LADDER = Codec(model.Ladder, pb.LadderInfo)
_QUOTA = Codec(model.Ladder, pb.LadderQuota, apart=("state", "reason", "share"))
_DAY = Codec(model.LadderDay, pb.LadderDay, apart=("secret",))
_BLOCK = Codec(model.RecordBlock, pb.RecordBlockInfo)
_FORECAST = Codec(model.Forecast, pb.Forecast)
_EPOCHS = 10  # number of epochs searched for half-widths, since an entry may have left
_CHANGE = Codec(model.Change, pb.EntryChange, apart=("number", "entrant", "deals", "scheduled", "position"))
_ENTRY_DEAL = Codec(model.EntryDeal, pb.EntryDeal, apart=("position",))
_CERTAINTY = Codec(model.Certainty, pb.Certainty)
_SETTINGS = ("per_owner", "versions_a_day", "cpu_hours", "megabytes", "share")
_HOUR_MS = 3_600_000
_MAX_STATUS = 200  # maximum number of entries in an answer
_MAX_CHANGES = 20  # maximum number of changes of an entry in an answer
_WORST = 5


class LadderCalls(Calls):
    """Handlers of the calls about ladders."""

    def CreateLadder(self, request: pb.CreateLadderRequest, context: grpc.ServicerContext) -> pb.LadderInfo:
        from beanleague.league.ladder.changing import LadderRequest, create_ladder

        settings = model.Ladder(**{name: given for name in _SETTINGS if (given := getattr(request, name))})
        asked = Codec(LadderRequest, pb.CreateLadderRequest, apart=("ladder",)).decode(request, ladder=settings)
        return self._shown_ladder(create_ladder(self._backend.store, asked).name)

    def ListLadders(self, request: pb.ListLaddersRequest, context: grpc.ServicerContext) -> pb.ListLaddersResponse:
        store = self._backend.store
        ladders = (league for league in store.leagues.list() if league.traits.has_entries)
        return pb.ListLaddersResponse(ladders=[self._ladder_info(league) for league in ladders])

    def ShowLadder(self, request: pb.ShowLadderRequest, context: grpc.ServicerContext) -> pb.LadderInfo:
        shown = self._shown_ladder(request.name)
        if self._access.caller(context).may(Role.ORGANISER):
            self._add_same_files(shown)
        return shown

    def _add_same_files(self, shown: pb.LadderInfo) -> None:
        """Add to each entry the names of entries with the same files; for organisers."""
        from beanleague.league.ladder.twins import same_files

        entrants = self._backend.store.leagues.entrants(self._backend.store.leagues.get(shown.name).id)
        found = same_files(self._backend.store, entrants)
        # more entrants than shown, if one has entered since
        numbers = {entrant.label: entrant.number for entrant in entrants}
        for entry in shown.entries:
            entry.same_files.extend(found.get(numbers[f"{entry.bot}@{entry.version}"], ()))

    def LadderStatus(self, request: pb.LadderStatusRequest, context: grpc.ServicerContext) -> pb.LadderStatusResponse:
        from beanleague.league.ladder.changing import ladder_of

        store = self._backend.store
        bot, version = parse_bot(request.bot) if request.bot else ("", None)
        owner = store.bots.versions(bot)[0].owner if bot else request.owner or self._access.caller(context).author
        answer = pb.LadderStatusResponse(owner=owner)
        for league, ladder in [ladder_of(store, request.ladder)] if request.ladder else self._ladders_not_closed():
            entrants = store.leagues.entrants(league.id)
            self._add_entries(answer, league, _newest_of(entrants, owner, bot, version), whole=bool(bot))
            if owner:
                self._add_quota(answer, league, ladder, entrants)
        return answer

    def _ladders_not_closed(self) -> Iterator[tuple[model.League, model.Ladder]]:
        store = self._backend.store
        for league in store.leagues.list():
            if league.traits.has_entries:
                ladder = store.ladders.get(league.id)
                if ladder.state != model.LadderState.CLOSED:
                    yield league, ladder

    def _add_entries(
        self, answer: pb.LadderStatusResponse, league: model.League, numbers: Sequence[int], *, whole: bool
    ) -> None:
        """Add entries to an answer, up to its limit. `whole`: include the details of a single entry."""
        numbers = numbers[: _MAX_STATUS - len(answer.entries)]
        for number, entry in zip(numbers, self._entries_of(league, numbers) if numbers else (), strict=True):
            status = answer.entries.add(ladder=league.name, entry=entry)
            changes = self._backend.store.changes.of_entrant(league.id, number, _MAX_CHANGES)
            status.changes.extend(map(_CHANGE.encode, changes))
            if whole:
                self._tell(league, number, status)

    def _tell(self, league: model.League, number: int, status: pb.EntryStatus) -> None:
        """Add the details that are sent only when one entry is requested."""
        from beanleague.league.ladder.inputs import certainty

        store = self._backend.store
        joined_at = store.changes.first(league.id, number).scheduled
        status.certainty.extend(map(_CERTAINTY.encode, certainty(store, league.id, number, joined_at)))
        status.worst_deals.extend(map(_ENTRY_DEAL.encode, store.matches.worst_deals(league.id, number, _WORST)))
        faults = store.matches.faults(league.id, number)
        status.faults.extend(fault_count_to_pb(league.name, fault) for fault in faults)

    def _add_quota(
        self,
        answer: pb.LadderStatusResponse,
        league: model.League,
        ladder: model.Ladder,
        entrants: Sequence[model.Entrant],
    ) -> None:
        from beanleague.league.ladder.changing import entered_lately

        store, states = self._backend.store, model.states_of(entrants)
        day = store.ladders.day(league.id)
        used = store.ladders.usage(league.id, day.number) if day else {}
        quota = answer.quotas.add(
            ladder=league.name,
            entered=entered_lately(store, league.id, entrants, answer.owner),
            playing=sum(entrant.owner == answer.owner and states[entrant.number].placed for entrant in entrants),
            thought_hours=used.get(answer.owner, 0) / _HOUR_MS,
            bundle_bytes=store.ladders.bundle_bytes(league.id, answer.owner),
        )
        _QUOTA.write(ladder, quota)

    def SetLadder(self, request: pb.SetLadderRequest, context: grpc.ServicerContext) -> pb.LadderInfo:
        from beanleague.league.ladder.changing import set_share, set_state

        if len(request.reason) > _MAX_REASON:
            raise RequestError(f"a reason has at most {_MAX_REASON} characters, not {len(request.reason)}")
        if request.share:
            set_share(self._backend.store, request.name, request.share)
        elif request.state not in _STATES.number.values() or not request.state:
            raise RequestError("say whether the ladder is to be open, paused or closed")
        else:
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
        """Return a ladder with its entries and its latest days."""
        from beanleague.league.ladder.changing import ladder_of

        store = self._backend.store
        league, _ = ladder_of(store, name)
        message = self._ladder_info(league)
        message.entries.extend(self._entries_of(league))
        digests = {made.day: made.digest for made in store.ladders.checkpoints(league.id, last=_MAX_DAYS)}
        for day in reversed(store.ladders.days(league.id)[-_MAX_DAYS:]):
            shown = _DAY.encode(day, checkpoint=digests.get(day.number, b""))
            shown.secret = day.secret if day.ended is not None else b""
            message.days.append(shown)
        for block in store.archive.blocks(league.id, last=1):
            message.newest_block.CopyFrom(_BLOCK.encode(block))
        return message

    def _ladder_info(self, league: model.League) -> pb.LadderInfo:
        store = self._backend.store
        return _LADDER.encode(
            store.ladders.get(league.id),
            name=league.name,
            ruleset=league.ruleset,
            seats=league.seats,
            running=league.id in store.runs.running(),
            deals_done=league.deals_done,
            matches_done=league.matches_done,
            created=timestamp(league.created),
        )

    def _entries_of(self, league: model.League, only: Sequence[int] = ()) -> list[pb.LadderEntry]:
        """Return the entries of a ladder, newest first. `only`: return just these numbers."""
        from beanleague.league.ladder.entries import forecasts
        from beanleague.league.ladder.inputs import field_of

        store = self._backend.store
        epochs = store.ladders.last_epochs(league.id, _EPOCHS)
        # read after the epochs: another bot may enter and be seated in the meantime
        entrants = store.leagues.entrants(league.id)
        states = model.states_of(entrants)
        deals = [totals.deals for totals in store.leagues.totals(league.id)]
        known = {number: each for epoch in reversed(epochs) for number, each in field_of(epoch.entries).items()}
        found = forecasts(store, league, entrants, states, deals=deals, known=known, now=time.time())
        return [
            pb.LadderEntry(
                bot=entrant.bot,
                version=entrant.version,
                owner=entrant.owner,
                state=_ENTRY_STATES.number[states[number]],
                reason=entrant.suspended or entrant.last.reason,
                deals=deals[number],
                half_width=known[number].half_width if number in known else 0,
                since=timestamp(entrant.last.happened),
                forecast=_FORECAST.encode(found[number]) if number in found else None,
            )
            for number, entrant in reversed([*enumerate(entrants)])
            if not only or number in only
        ]


def _newest_of(entrants: Sequence[model.Entrant], owner: str, bot: str, version: int | None) -> Sequence[int]:
    """Return the numbers of an owner's entrants, newest first. `bot`: "" for all; `version`: None for all."""
    own = (entrant for entrant in entrants if entrant.owner == owner)
    wanted = (entrant for entrant in own if bot in {"", entrant.bot} and version in {None, entrant.version})
    return [entrant.number for entrant in wanted][::-1]
