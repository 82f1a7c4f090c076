"""Calls of league.proto about bots."""

from collections.abc import Iterator
from dataclasses import replace

import grpc
from google.protobuf.message import DecodeError

from beanleague import model
from beanleague.league.errors import RequestError
from beanleague.league.standings import standings
from beanleague.names import format_match, parse_match
from beanleague.service.backend import Calls
from beanleague.service.gate import who_calls
from beanleague.service.messages import MANIFEST, standing_to_pb
from beanleague.store import DatabaseError, OwnerError
from beanleague.wire.codec import Codec, timestamp
from beanproto.v1 import league_pb2 as pb

_BOT_VERSION = Codec(
    model.BotVersion, pb.BotVersion, apart=("id", "number", "owner", "hidden"), parts={"manifest": MANIFEST}
)
_BOT = Codec(model.Manifest, pb.BotInfo, apart=("command", "environment"))
_FAULT_COUNT = Codec(model.FaultCount, pb.FaultCount, apart=("deal", "rotation"))
_LOG = Codec(model.Log, pb.BotLog)
_THINKING_TIME = Codec(model.ThinkingTime, pb.ThinkingTime)


class BotCalls(Calls):
    """Handlers of the calls about bots."""

    def TryBot(self, request: pb.TryBotRequest, context: grpc.ServicerContext) -> Iterator[pb.TryBotProgress]:
        from beanleague.service.trials import try_bot

        caller = self._access.caller(context)
        return try_bot(
            self._backend,
            who_calls(caller, context),
            caller.author,
            request.bundle,
            submit=request.submit,
            wanted=context.is_active,
        )

    def ListBots(self, request: pb.ListBotsRequest, context: grpc.ServicerContext) -> pb.ListBotsResponse:
        bots = self._backend.store.bots.newest(hidden=request.all)
        return pb.ListBotsResponse(bots=map(bot_to_pb, bots))

    def HideBot(self, request: pb.HideBotRequest, context: grpc.ServicerContext) -> pb.BotInfo:
        author = self._access.caller(context).author
        return bot_to_pb(self._backend.store.bots.hide(request.name, author, hidden=not request.show))

    def ShowBot(self, request: pb.ShowBotRequest, context: grpc.ServicerContext) -> pb.ShowBotResponse:
        versions = self._backend.store.bots.versions(request.name)
        running = self._backend.store.runs.running()
        return pb.ShowBotResponse(
            name=request.name,
            owner=versions[0].owner,
            hidden=versions[0].hidden,
            versions=[
                _BOT_VERSION.encode(
                    version, version=version.number, entries=self._entries(version, running, hidden=request.all)
                )
                for version in versions
            ],
        )

    def ShowTrial(self, request: pb.ShowTrialRequest, context: grpc.ServicerContext) -> pb.ShowTrialResponse:
        from beanleague.wire import WireError, unpacked  # imported late: it loads the games, which lists do not need

        store = self._backend.store
        version = store.bots.version(request.name, request.version or None)
        answer = pb.ShowTrialResponse(name=version.bot, version=version.number)
        try:
            answer.record.MergeFromString(unpacked(store.bots.trial(version)))
        except (WireError, DecodeError):
            raise DatabaseError(f"the trial match of {version.label} in {store.database.name} is damaged") from None
        return answer

    def _entries(self, version: model.BotVersion, running: frozenset[int], *, hidden: bool) -> Iterator[pb.BotEntry]:
        """Return the league results of a version. `hidden`: include hidden leagues."""
        store = self._backend.store
        for league in store.leagues.of_version(version.id):
            if not league.traits.has_standings or (league.hidden and not hidden):
                continue
            for standing in standings(store, league, running=league.id in running):
                if standing.entrant.version_id == version.id:
                    faults = store.matches.faults(league.id, standing.entrant.number)
                    yield pb.BotEntry(
                        league=league.name,
                        ruleset=league.ruleset,
                        standing=standing_to_pb(standing),
                        entrants=league.entrants,
                        faults=[fault_count_to_pb(league.name, fault) for fault in faults],
                    )

    def BotLogs(self, request: pb.BotLogsRequest, context: grpc.ServicerContext) -> pb.BotLogsResponse:
        store = self._backend.store
        version = store.bots.version(request.name, request.version or None)
        author = self._access.caller(context).author
        if author and version.owner != author:
            raise OwnerError(f"only the author of {version.bot} and organisers may read its logs")
        name = request.league
        starts: tuple[str, ...] = ()
        if request.match:
            name, deal, rotation = parse_match(request.match)
            if request.league not in {"", name}:
                raise RequestError(f"{request.match} is not a match of the league {request.league}")
            # line prefixes of a match's log; the second is from earlier versions
            starts = (f"[{request.match}, move ", f"[{deal}.{rotation} #")
        league_id = store.leagues.get(name).id if name else None
        logs = store.logs.get(version.id, league_id)
        if starts:
            logs = tuple(replace(log, text=_lines_that_start(log.text, starts)) for log in logs)
        return pb.BotLogsResponse(name=version.bot, version=version.number, logs=map(_LOG.encode, logs))

    def ThinkingTimes(
        self, request: pb.ThinkingTimesRequest, context: grpc.ServicerContext
    ) -> pb.ThinkingTimesResponse:
        from beanleague.league.counting import thinking_time

        store = self._backend.store
        version = store.bots.version(request.name, request.version or None)
        answer = pb.ThinkingTimesResponse(name=version.bot, version=version.number)
        for league in [store.leagues.get(request.league)] if request.league else store.leagues.of_version(version.id):
            for entrant in store.leagues.entrants(league.id):
                if entrant.version_id == version.id and (time := thinking_time(store, league.id, entrant.number)):
                    answer.times.append(_THINKING_TIME.encode(time, league=league.name))
        return answer


def _lines_that_start(text: str, starts: tuple[str, ...]) -> str:
    return "".join(f"{line}\n" for line in text.split("\n") if line.startswith(starts))


def bot_to_pb(version: model.BotVersion) -> pb.BotInfo:
    """Convert a bot version, as description of the bot."""
    return _BOT.encode(
        version.manifest,
        version=version.number,
        submitted=timestamp(version.submitted),
        owner=version.owner,
        hidden=version.hidden,
    )


def fault_count_to_pb(league: str, fault: model.FaultCount) -> pb.FaultCount:
    """Convert the count of one kind of fault in a league."""
    return _FAULT_COUNT.encode(fault, match=format_match(league, fault.deal, fault.rotation))
