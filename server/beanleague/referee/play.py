"""A match under way: asks the seats, judges their answers, and reports how it ended."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

from beanleague import wire
from beanleague.games import Action, Game, IllegalActionError, new_game
from beanleague.games.forfeits import places_with_forfeits
from beanleague.referee.match import Fault, FaultKind, Limits, MatchResult, MatchTask
from beanleague.referee.process import BotFailedError, BotProcess
from beanleague.referee.story import Story
from beanproto.v1 import referee_pb2 as pb

_FATAL = frozenset({FaultKind.CRASH, FaultKind.DISCONNECTED, FaultKind.MEMORY})
_RECORD_LEVEL = 1  # zlib's fastest: half the time of its default for a tenth more bytes


class Seat:
    """One seat: the process that plays it, its time and its faults."""

    __slots__ = ("_match", "bank", "decisions", "forfeited_at", "news_from", "number", "process", "reply", "strikes")

    def __init__(self, match: Match, process: BotProcess, limits: Limits) -> None:
        self._match = match
        self.process = process
        self.bank = limits.bank_ms / 1000
        self.number = 0
        self.strikes = limits.strikes
        self.forfeited_at: int | None = None
        self.decisions = 0
        self.news_from = 0
        self.reply: pb.Move | BotFailedError | None = None

    def answered(self, move: pb.Move) -> None:
        self.reply = move
        self._match.replied()

    def failed(self, kind: FaultKind, reason: str) -> None:
        self.reply = BotFailedError(kind, reason)
        self._match.replied()


class Match:
    """A match of `task` between `processes` (per seat), which have all said hello or failed.

    `done` is called once, when the match is over.
    """

    def __init__(
        self,
        task: MatchTask,
        processes: Sequence[BotProcess],
        hellos: Sequence[pb.Hello],
        limits: Limits,
        done: Callable[[MatchResult], None],
    ) -> None:
        interludes = tuple(seat for seat, hello in enumerate(hellos) if hello.interludes)
        options = {**task.options, "interludes": interludes}
        self._task = task
        self._limits = limits
        self._done = done
        self._wants_news = [hello.news for hello in hellos]
        self._game: Game = new_game(task.ruleset, seats=len(task.bots), seed=task.seed, options=options)
        self._seats = [Seat(self, process, limits) for process in processes]
        self._asked: tuple[int, ...] = ()
        self._waiting = 0
        self._decision = 0
        self._faults: list[Fault] = []
        self._record = pb.Record(
            ruleset=task.ruleset,
            seats=len(task.bots),
            seed=task.seed,
            max_rounds=self._game.options["max_rounds"],
            interludes=interludes,
            players=task.names or [process.spec.name for process in processes],
        )
        self._story = Story(self._game, self._record)

    def start(self) -> None:
        """Tell the processes that the match begins, and ask the first."""
        rules = wire.rules_to_pb(self._game.view(0).rules)
        for number, seat in enumerate(self._seats):
            start = seat.process.begin()
            seat.number = start.match
            start.ruleset = self._task.ruleset
            start.seats = len(self._seats)
            start.seat = number
            start.luck = self._task.luck[number]
            start.move_ms = self._limits.move_ms
            start.bank_ms = self._limits.bank_ms
            start.max_rounds = self._record.max_rounds
            start.names.extend(self._task.names)
            start.rules.CopyFrom(rules)
        self._go_on()

    def replied(self) -> None:
        """One of the seats asked has answered or failed; when all have, the game goes on."""
        self._waiting -= 1
        if not self._waiting:
            self._settle()
            self._go_on()

    def _go_on(self) -> None:
        """Ask until somebody has to be waited for, or the game is over."""
        game = self._game
        while not game.over:
            self._asked = game.to_act()
            self._decision += 1
            for number in self._asked:
                seat = self._seats[number]
                seat.reply = None
                if seat.forfeited_at is None:
                    self._ask(number, seat)
            if self._waiting:
                return
            self._settle()
        self._finish()

    def _ask(self, number: int, seat: Seat) -> None:
        if seat.process.failure:
            seat.reply = seat.process.failure
            return
        self._waiting += 1
        seat.decisions += 1
        news = self._story.news(number, seat.news_from) if self._wants_news[number] else ()
        seat.news_from = len(self._game.events)
        wire.view_to_pb(self._game.view(number), seat.process.ask(seat, self._decision), news)

    def _settle(self) -> None:
        """Apply the answers by ascending seat, whatever the order they came in, so that equal answers give equal games."""
        before = len(self._record.moves)
        for number in self._asked:
            reply = self._seats[number].reply
            try:
                if isinstance(reply, pb.Move):
                    self._apply(number, _action(reply), by_default=False)
                    continue
                if reply is not None:
                    raise reply
            except BotFailedError as failed:
                self._fault(number, failed, before)
            self._apply(number, self._game.default(number), by_default=True)

    def _apply(self, number: int, action: Action, *, by_default: bool) -> None:
        try:
            self._game.apply(number, action)
        except IllegalActionError as illegal:
            raise BotFailedError(FaultKind.ILLEGAL, str(illegal)) from None
        played = self._record.moves.add(seat=number, by_default=by_default)
        wire.action_to_pb(action, played.move)

    def _fault(self, number: int, failed: BotFailedError, moment: int) -> None:
        """Count a fault of a seat, and tell its bot. `moment`: how many moves were made before this was asked."""
        seat = self._seats[number]
        move = len(self._record.moves)
        seat.strikes -= 1
        forfeited = seat.strikes < 0 or failed.kind in _FATAL or seat.process.failure is not None
        if forfeited:
            seat.forfeited_at = moment
        self._faults.append(Fault(number, move, failed.kind, failed.reason, forfeited))
        kind = wire.FAULT_NUMBER[failed.kind]
        self._record.faults.add(seat=number, move=move, kind=kind, reason=failed.reason, forfeited=forfeited)
        if not seat.process.failure:
            seat.process.tell_fault(
                pb.Fault(
                    match=seat.number, decision=self._decision, kind=kind, reason=failed.reason, forfeited=forfeited
                )
            )

    def _finish(self) -> None:
        outcome = self._game.outcome
        assert outcome is not None
        self._story.tell()
        places = places_with_forfeits(outcome.places, [seat.forfeited_at for seat in self._seats])
        self._record.scores.extend(outcome.scores)
        self._record.places.extend(places)
        for seat in self._seats:
            seat.process.end(pb.MatchEnd(match=seat.number, scores=outcome.scores, places=places))
        self._done(
            MatchResult(
                id=self._task.id,
                scores=outcome.scores,
                places=places,
                faults=tuple(self._faults),
                forfeited=tuple(seat.forfeited_at is not None for seat in self._seats),
                decisions=tuple(seat.decisions for seat in self._seats),
                record=zlib.compress(self._record.SerializeToString(deterministic=True), _RECORD_LEVEL),
            )
        )


def _action(move: pb.Move) -> Action:
    if move.error:
        raise BotFailedError(FaultKind.ERROR, move.error)
    try:
        return wire.action_from_pb(move)
    except wire.WireError as malformed:
        raise BotFailedError(FaultKind.MALFORMED, str(malformed)) from None
