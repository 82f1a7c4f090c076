"""A bot's side of the protocol: referee messages in, moves out; without gRPC, processes and threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from types import FrameType
from typing import Any

from beanbot._runtime.asking import MAX_LINE, Failure, ask, attempt, running, turn_and_decision
from beanbot._runtime.program import BotProgram
from beanbot.bot import Bot, seat_bot
from beanleague import __version__
from beanleague.games import Action, Rules, View
from beanleague.games.core.values import dataclass
from beanleague.wire import FAULTS, PROTOCOL, WireError, action_to_pb, rules_from_pb, view_from_pb
from beanproto.v1 import referee_pb2 as pb

SDK = f"beanbot {__version__}"
STUCK_S = 5
"""Seconds after which a decision that uses the CPU is reported in the author's log."""
_MAX_EXPLAINED = 100  # number of failures remembered as already logged
MAX_MOVE_BYTES = 4096  # more than any legal move; many larger moves would not fit into a message


@dataclass(frozen=True, slots=True)
class _Match:
    """A match in progress."""

    title: str
    """Title of the match in the author's log, e.g. "bohnanza, seat 2 of 4"."""
    seat: int
    """The bot's seat."""
    playing: tuple[Rules, Bot[Any]] | Failure
    """The rules and the bot, or the failure that left the seat without a bot."""


class BotSession:
    """All matches of one bot process.

    `log`: called with each message for the author, which may have several lines. `faults`: whether to log faults
        reported by the referee, unless it writes them to the log itself.
    """

    def __init__(self, program: BotProgram, log: Callable[[str], None], *, faults: bool = False) -> None:
        self._program = program
        self._log = log
        self._faults = faults
        self._matches: dict[int, _Match] = {}
        self._explained_before: set[str] = set()
        self._thinking: tuple[str, View, float] | None = None  # title, view and begin of the decision

    def hello(self) -> pb.BotMessage:
        """Return the first message; it requests interludes, news and trades if any class wants them."""
        classes = self._program.classes
        return pb.BotMessage(
            hello=pb.Hello(
                sdk=SDK,
                interludes=any(bot_class.interludes for bot_class in classes),
                news=any(bot_class.news for bot_class in classes),
                no_trades=not self._program.trades(),
                protocol=PROTOCOL,
            )
        )

    def receive(self, message: pb.RefereeMessage) -> Iterator[pb.Move]:
        """Process `message`; yield a move for each request as soon as it is decided."""
        for start in message.starts:
            self._start(start)
        for fault in message.faults if self._faults else ():
            self._note(fault)
        for request in message.requests:
            yield self._answer(request)
        for end in message.ends:
            self._end(end)

    def stuck(self, frame: FrameType | None) -> str:
        """Return a report on a decision of more than `STUCK_S` seconds, once, with its place in the author's code.

        "" if there is none. `frame`: the frame that runs now.
        """
        if self._thinking is None or monotonic() - self._thinking[2] < STUCK_S:
            return ""
        title, view, _ = self._thinking
        self._thinking = None
        at = running(frame)
        return f"{title}{turn_and_decision(view)}: no answer for {STUCK_S} s {at.line}\n{at.details}\n" if at else ""

    # One method per kind of message part

    def _start(self, start: pb.MatchStart) -> None:
        title = f"{start.ruleset}, seat {start.seat} of {start.seats}"
        playing = self._begin(start)
        if isinstance(playing, Failure):
            self._log(f"{title}, before the match:\n{playing.details}")
        self._matches[start.match] = _Match(title, start.seat, playing)

    def _note(self, fault: pb.Fault) -> None:
        match = self._matches.get(fault.match)
        title = match.title if match else f"match {fault.match}"
        step = f", action {fault.step + 1} of the list" if fault.step else ""
        then = "; the match is forfeited" if fault.forfeited else ""
        self._log(f"{title}{step}: {FAULTS.name(fault.kind)}: {fault.reason}{then}")

    def _answer(self, request: pb.Request) -> pb.Move:
        match = self._matches.get(request.match)
        if match is None:
            return _error(request, f"match {request.match} never started")
        if isinstance(match.playing, Failure):
            return _error(request, match.playing.line)
        rules, bot = match.playing
        try:
            view = view_from_pb(request, rules, match.seat)
        except WireError as error:
            self._log(f"{match.title}:\n{error}")
            return _error(request, f"the view cannot be read: {error}")
        self._thinking = match.title, view, monotonic()
        move = _decide(bot, view, request)
        self._thinking = None
        if isinstance(move, Failure):
            self._log(f"{match.title}{turn_and_decision(view)}:{self._explanation(move)}")
            return _error(request, move.line)
        return move

    def _explanation(self, failure: Failure) -> str:
        """Return the details of a failure the first time, later only its line: repeated tracebacks add nothing."""
        if failure.details in self._explained_before:
            return f" {failure.line}"
        if len(self._explained_before) < _MAX_EXPLAINED:
            self._explained_before.add(failure.details)
        return f"\n{failure.details}"

    def _end(self, end: pb.MatchEnd) -> None:
        match = self._matches.pop(end.match, None)
        if match is None or isinstance(match.playing, Failure):
            return
        _, bot = match.playing
        done = attempt(bot.match_over, tuple(end.scores), tuple(end.places))
        if isinstance(done, Failure):
            self._log(f"{match.title}, after the match:\n{done.details}")

    def _begin(self, start: pb.MatchStart) -> tuple[Rules, Bot[Any]] | Failure:
        """Return the rules of a match and a new bot for it, or a failure."""
        bot_class = self._program.class_for(start.ruleset)
        if bot_class is None:
            line = f"no class given to run() plays {start.ruleset}"
            return Failure(line, line)
        try:
            rules = rules_from_pb(start)
        except WireError as error:
            return Failure(str(error)[:MAX_LINE], str(error))
        bot = attempt(
            seat_bot,
            bot_class,
            ruleset=start.ruleset,
            seat=start.seat,
            seats=start.seats,
            luck=start.luck,
            names=tuple(start.names),
            move_ms=start.move_ms,
            bank_ms=start.bank_ms,
            match_ms=start.match_ms,
            settings=self._program.settings,
        )
        return bot if isinstance(bot, Failure) else (rules, bot)


def _decide(bot: Bot[Any], view: View, request: pb.Request) -> pb.Move | Failure:
    """Return the bot's move, or a failure if it has none that can be sent."""
    actions = ask(bot, view)
    if isinstance(actions, Failure):
        return actions
    move = pb.Move(match=request.match, decision=request.decision)
    problem = _encode(actions, move)
    return Failure(problem[:MAX_LINE], problem) if problem else move


def _encode(actions: Sequence[Action], move: pb.Move) -> str:
    """Set the actions of `move`; return the reason why they cannot be sent, "" if they can."""
    try:
        action_to_pb(actions[0], move)
        for action in actions[1:]:
            action_to_pb(action, move.then.add())
    except WireError as error:
        return str(error)
    size = move.ByteSize()
    if size <= MAX_MOVE_BYTES:
        return ""
    what = f"a {type(actions[0]).__name__}" if len(actions) == 1 else f"a list of {len(actions)} actions"
    return f"{what} of {size} bytes is too large to send"


def _error(request: pb.Request, line: str) -> pb.Move:
    return pb.Move(match=request.match, decision=request.decision, error=line[:MAX_LINE])
