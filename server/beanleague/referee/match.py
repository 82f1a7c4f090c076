"""A match in play: requests to seats, judgement of answers, and the result."""

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from beanleague import wire
from beanleague.games import RULES_VERSION, Action, Event, Game, IllegalActionError, new_game, ruleset
from beanleague.games.core.game import MAX_ACTIONS, in_turn, nothing_new
from beanleague.games.records.faults import Fault, FaultKind, illegal_reason, places_with_forfeits
from beanleague.games.records.trade_flow import trade_flows
from beanleague.model import PlayedMatch, SeatResult
from beanleague.referee.conversation import GUEST_LIMITS, AskedSeat, BotFailedError, Conversation, out_of_time
from beanleague.referee.messages import GUEST, Limits, MatchTask, VoidMatch
from beanproto.v1 import referee_pb2 as pb

_FATAL = frozenset({FaultKind.CRASH, FaultKind.DISCONNECTED, FaultKind.MEMORY})
_RECORD_LEVEL = 1  # zlib's fastest level: half the time of the default, output a tenth larger

_NO_SEAT = -1  # stands for a viewer who sees only public data


@dataclass(eq=False, kw_only=True, slots=True)
class _Seat(AskedSeat):
    """A seat with its bot, its time and its faults.

    `decisions` is counted per seat, since a common counter would reveal how often other seats are asked, and thus their
    cards.
    """

    bot: Conversation
    """Conversation with the player in the seat."""
    strikes: int
    """Number of further faults that are forgiven."""
    forfeited_at: int | None = None
    """`Game.moment` at which the seat forfeited; None if it has not."""
    decisions: int = 0
    """Number of requests so far; it also numbers them."""
    news_from: int = 0
    """Number of events in the match at the last request; later events are news."""
    step: int = 0
    """Index of the action being played in the list of actions answered."""


@dataclass(frozen=True, slots=True)
class _Before:
    """The match before a guest's move."""

    moves: int
    """Number of moves."""
    events: int
    """Number of events."""


class MatchInPlay:
    """Plays the match `task` between `bots` (per seat), each of which has sent its hello or failed.

    `players`: names for the record, per seat. `limits`: limits of the bots; GUEST_LIMITS apply to a guest. `done`:
        called once with the result. `node`: name of this host, for the record. `layer`: sandbox layer of the bots.
    """

    def __init__(
        self,
        task: MatchTask,
        bots: Sequence[Conversation],
        players: Sequence[str],
        limits: Limits,
        done: Callable[[PlayedMatch | VoidMatch], None],
        *,
        node: str = "",
        layer: str = "",
    ) -> None:
        hellos = [bot.hello or pb.Hello() for bot in bots]
        interludes = tuple(seat for seat, hello in enumerate(hellos) if hello.interludes)
        options = dict(task.options)
        if ruleset(task.ruleset).interludes:
            options["interludes"] = interludes
        self._task = task
        self._limits = limits
        self._done = done
        self._layer = layer
        self._wants_news = [hello.news for hello in hellos]
        self._never_trades = [hello.no_trades for hello in hellos]
        self._options = options
        self._game = self._new_game()
        self._seats: list[_Seat] = []
        for number, bot in zip(task.bots, bots, strict=True):
            own = GUEST_LIMITS if number == GUEST else limits
            bank, thinking = own.bank_ms / 1000, own.match_ms / 1000
            self._seats.append(_Seat(task.label, bank, thinking, self._replied, bot=bot, strikes=own.strikes))
        self._asked: tuple[int, ...] = ()
        self._waiting = 0
        self._faults: list[Fault] = []
        self._record = pb.Record(
            ruleset=task.ruleset,
            seats=len(task.bots),
            seed=task.seed,
            players=players,
            rules=RULES_VERSION,
            luck=task.luck,
            node=node,
        )
        wire.options_to_pb(self._game.options, self._record.options)
        self._event_log = _EventLog(self._game, self._record)
        self._guest = _guest_seats(task)
        self._befores: list[_Before] = []  # before moves that the guest may take back, the last one first to go

    def _new_game(self) -> Game:
        task = self._task
        return new_game(task.ruleset, seats=len(task.bots), seed=task.seed, options=self._options)

    def start(self) -> None:
        """Announce the match to all bots, and ask the first."""
        told = pb.MatchStart(
            ruleset=self._task.ruleset,
            seats=len(self._seats),
            move_ms=self._limits.move_ms,
            bank_ms=self._limits.bank_ms,
            match_ms=self._limits.match_ms,
            strikes=self._limits.strikes,
            rules_version=RULES_VERSION,
            max_rounds=self._record.options["max_rounds"].number if "max_rounds" in self._record.options else 0,
            names=self._task.names,
        )
        wire.rules_to_pb(self._game.view(0, news=False), told)
        for number, seat in enumerate(self._seats):
            start = seat.bot.begin()
            seat.number = start.match
            start.MergeFrom(told)
            start.seat = number
            start.luck = self._task.luck[number]
        self._go_on()

    def _replied(self) -> None:
        """Record an answer or failure; after the last one, continue the game."""
        self._waiting -= 1
        if not self._waiting and self._settle():
            self._go_on()

    def _go_on(self) -> None:
        """Continue until a bot must answer, or the game is over."""
        while not (game := self._game).over:
            self._asked = game.to_act()
            if self._asked != self._guest or not nothing_new(self._since_guest(), self._asked[0]):
                self._befores.clear()
            for position, number in enumerate(self._asked):
                seat = self._seats[number]
                seat.move = len(self._record.moves) + position  # seats that act at the same time make one move each
                seat.reply = None
                seat.spent = 0.0
                seat.step = 0
                if seat.forfeited_at is None:
                    self._ask(number, seat)
            if self._waiting or not self._settle():
                return
        self._finish()

    def _ask(self, number: int, seat: _Seat) -> None:
        if seat.bot.failure:
            seat.reply = seat.bot.failure
            return
        if seat.thinking <= 0:
            seat.reply = out_of_time(self._limits)
            return
        if self._never_trades[number] and self._game.trading:
            seat.reply = self._game.default(number)
            return
        self._waiting += 1
        seat.decisions += 1
        news = self._event_log.news(number, seat.news_from) if self._wants_news[number] else ()
        seat.news_from = len(self._game.events)
        request = seat.bot.ask(seat, seat.decisions)
        if self._befores:
            request.may_take_back = True
        wire.view_to_pb(self._game.view(number, news=False), request, news)

    def _settle(self) -> bool:
        """Apply the answers by ascending seat, so that their order of arrival does not matter.

        Returns whether the match continues.
        """
        for number in self._asked:
            reply = self._seats[number].reply
            if void := self._void(number, reply):
                self._done(void)
                return False
        for number in self._asked:
            reply = self._seats[number].reply
            try:
                if isinstance(reply, BotFailedError):
                    raise reply
                if isinstance(reply, pb.Move):
                    self._carry_out(number, reply)
                    continue
                if reply is not None:
                    self._apply(number, reply)
                    continue
            except BotFailedError as failed:
                self._fault(number, failed)
            self._apply(number, self._game.default(number), by_default=True)
        return True

    def _carry_out(self, number: int, move: pb.Move) -> None:
        """Play a move, or take back the guest's last one."""
        if self._befores and move.take_back:
            self._take_back(self._seats[number])
            return
        before = _Before(len(self._record.moves), len(self._game.events))
        self._play(number, move)
        if self._asked == self._guest:
            self._befores.append(before)

    def _void(self, number: int, reply: object) -> VoidMatch | None:
        """Return the report of a void match if a failure is no bot's fault, or only the guest's; else None."""
        if not isinstance(reply, BotFailedError):
            return None
        if reply.shortage:
            culprit = next((bot for bot in self._task.bots if bot in reply.culprits - self._task.unforgiven), None)
            return VoidMatch(self._task.id, reply.reason, killed=culprit, host=True)
        bot = self._task.bots[number]
        if bot == GUEST and self._seats[number].bot.failure:
            return VoidMatch(self._task.id, reply.reason)
        if reply.killed and bot not in self._task.unforgiven:
            return VoidMatch(self._task.id, f"somebody killed the bot in seat {number}", killed=bot)
        return None

    def _play(self, number: int, move: pb.Move) -> None:
        """Apply the action of `move`, and its further actions as far as they are allowed."""
        if len(move.then) >= MAX_ACTIONS:
            reason = f"a list of {1 + len(move.then)} actions; there may be at most {MAX_ACTIONS}"
            raise BotFailedError(FaultKind.MALFORMED, reason)
        seat = self._seats[number]
        for step, one in enumerate(in_turn(self._game, number, (move, *move.then)) if move.then else (move,)):
            seat.step = step
            self._apply(number, self._game.default(number) if one.HasField("default_action") else _action(one))
            seat.spent = 0.0

    def _since_guest(self) -> Sequence[Event]:
        """Return the events since the guest's last move that may be taken back; none if there is no such move."""
        return self._game.events[self._befores[-1].events :] if self._befores else ()

    def _take_back(self, seat: _Seat) -> None:
        """Return to the match before the guest's last move, which leaves no trace."""
        before = self._befores.pop()
        record = self._record
        del record.moves[before.moves :]
        del record.ms[before.moves :]
        del record.events[before.events :]
        self._game = self._new_game()
        for played in record.moves:
            self._game.apply(played.seat, wire.action_from_pb(played.move))
        self._event_log = _EventLog(self._game, record)
        seat.news_from = before.events

    def _apply(self, number: int, action: Action, *, by_default: bool = False) -> None:
        try:
            self._game.apply(number, action)
        except IllegalActionError as illegal:
            raise BotFailedError(FaultKind.ILLEGAL, illegal_reason(action, illegal)) from None
        self._record.ms.append(round(self._seats[number].spent * 1000))
        played = self._record.moves.add(seat=number, by_default=by_default)
        wire.action_to_pb(action, played.move)

    def _fault(self, number: int, failed: BotFailedError) -> None:
        """Record a fault of the asked seat, and send it to its bot."""
        seat = self._seats[number]
        move = len(self._record.moves)
        seat.strikes -= 1
        forfeited = seat.strikes < 0 or failed.final or failed.kind in _FATAL or seat.bot.failure is not None
        if forfeited:
            seat.forfeited_at = self._game.moment
        fault = Fault(number, move, failed.kind, failed.reason, forfeited)
        self._faults.append(fault)
        self._befores.clear()
        recorded = self._record.faults.add()
        wire.FAULT.write(fault, recorded)
        seat.move = move
        if not seat.bot.failure:
            seat.bot.send_fault(
                seat,
                pb.Fault(
                    match=seat.number,
                    decision=seat.decisions,
                    kind=recorded.kind,
                    reason=failed.reason,
                    forfeited=forfeited,
                    step=seat.step,
                ),
            )

    def _finish(self) -> None:
        outcome = self._game.outcome
        assert outcome is not None
        self._event_log.update()
        places = places_with_forfeits(outcome.places, [seat.forfeited_at for seat in self._seats])
        self._record.scores.extend(outcome.scores)
        self._record.places.extend(places)
        faults = Counter(fault.seat for fault in self._faults)
        results: list[SeatResult] = []
        for number, seat in enumerate(self._seats):
            seat.bot.end(pb.MatchEnd(match=seat.number, scores=outcome.scores, places=places))
            results.append(
                SeatResult(
                    entrant=self._task.bots[number],
                    score=outcome.scores[number],
                    place=places[number],
                    decisions=seat.decisions,
                    faults=faults[number],
                    forfeited=seat.forfeited_at is not None,
                )
            )
        if self._task.thief is not None and outcome.rival is not None:
            results.append(SeatResult(self._task.thief, outcome.rival, 3 - places[0], 0, 0, forfeited=False))
        self._done(
            PlayedMatch(
                id=self._task.id,
                record=zlib.compress(self._record.SerializeToString(deterministic=True), _RECORD_LEVEL),
                seats=tuple(results),
                faults=tuple(self._faults),
                flows=trade_flows(len(self._seats), self._game.events),
                layer=self._layer,
            )
        )


def _guest_seats(task: MatchTask) -> tuple[int, ...]:
    """Return the guest's seat alone; empty in a match without a guest."""
    return tuple(seat for seat, bot in enumerate(task.bots) if bot == GUEST)


def _action(move: pb.Move) -> Action:
    if move.error:
        raise BotFailedError(FaultKind.ERROR, move.error)
    try:
        return wire.action_from_pb(move)
    except wire.WireError as malformed:
        raise BotFailedError(FaultKind.MALFORMED, str(malformed)) from None


class _EventLog:
    """Encodes the events of `game` into `record`."""

    __slots__ = ("_full", "_game", "_hidden", "_public")

    def __init__(self, game: Game, record: pb.Record) -> None:
        self._game = game
        self._full = record.events
        self._public: list[pb.Event] = []
        self._hidden: list[int] = []  # ascending indices of events with hidden parts

    def update(self) -> None:
        """Encode the events since the last call."""
        events = self._game.events
        self._full.extend(map(wire.event_to_pb, events[len(self._full) :]))

    def news(self, seat: int, start: int) -> list[pb.Event]:
        """Return the events from index `start` on, as visible to `seat`."""
        self.update()
        self._publish()
        news = self._public[start:]
        for index in reversed(self._hidden):
            if index < start:
                break
            event = self._game.events[index]
            seen = event.seen_by(seat)
            news[index - start] = self._full[index] if seen is event else wire.event_to_pb(seen)
        return news

    def _publish(self) -> None:
        """Encode the public parts of the events since the last call; nothing if no bot reads news."""
        events = self._game.events
        for index in range(len(self._public), len(events)):
            event = events[index]
            public = event.seen_by(_NO_SEAT)
            if public is event:
                self._public.append(self._full[index])
            else:
                self._hidden.append(index)
                self._public.append(wire.event_to_pb(public))
