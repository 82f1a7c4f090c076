"""The protocol from a bot's side: referee messages in, moves out. No gRPC, no processes, no threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from beanbot.asking import MOST_LINE, Failure, ask, attempt
from beanbot.bot import Bot, seat_bot
from beanbot.moment import moment
from beanbot.program import BotProgram
from beanleague import __version__
from beanleague.games import Action, View
from beanleague.wire import FAULTS, Rules, WireError, action_to_pb, rules_from_pb, view_from_pb
from beanproto.v1 import referee_pb2 as pb

SDK = f"beanbot {__version__}"
MOST_BYTES = 4096  # of a move; a larger one is a mistake, and many of them would be too much for a message


@dataclass(frozen=True, slots=True)
class _Match:
    """A match under way, and the bot that plays it, or why there is none."""

    title: str
    rules: Rules
    seat: int
    bot: Bot[Any] | Failure


class Session:
    """All the matches of one bot process. `log` takes what its author should read, possibly several lines."""

    def __init__(self, program: BotProgram, log: Callable[[str], None]) -> None:
        self._program = program
        self._log = log
        self._matches: dict[int, _Match] = {}

    def hello(self) -> pb.BotMessage:
        """Return the first message. What any of the classes wants is asked for."""
        classes = self._program.classes
        return pb.BotMessage(
            hello=pb.Hello(
                sdk=SDK,
                interludes=any(bot_class.interludes for bot_class in classes),
                news=any(bot_class.news for bot_class in classes),
            )
        )

    def receive(self, message: pb.RefereeMessage) -> Iterator[pb.Move]:
        """Go through `message`; yield a move for each request as soon as it is decided."""
        for start in message.starts:
            self._start(start)
        for fault in message.faults:
            self._note(fault)
        for request in message.requests:
            yield self._answer(request)
        for end in message.ends:
            self._end(end)

    # One method for each part of a message

    def _start(self, start: pb.MatchStart) -> None:
        title = f"match {start.match} ({start.ruleset}, seat {start.seat} of {start.seats})"
        bot = self._new_bot(start)
        if isinstance(bot, Failure):
            self._log(f"{title}, before the match:\n{bot.details}")
        self._matches[start.match] = _Match(title, rules_from_pb(start), start.seat, bot)

    def _note(self, fault: pb.Fault) -> None:
        match = self._matches.get(fault.match)
        title = match.title if match else f"match {fault.match}"
        then = "; the match is forfeited" if fault.forfeited else ""
        self._log(f"{title}, decision {fault.decision}: {FAULTS.name(fault.kind)}: {fault.reason}{then}")

    def _answer(self, request: pb.Request) -> pb.Move:
        match = self._matches.get(request.match)
        if match is None:
            return _error(request, f"match {request.match} never started")
        if isinstance(match.bot, Failure):
            return _error(request, match.bot.line)
        try:
            view = view_from_pb(request, match.rules, match.seat)
        except WireError as error:
            self._log(f"{match.title}, decision {request.decision}:\n{error}")
            return _error(request, f"the view cannot be read: {error}")
        move = _decide(match.bot, view, request)
        if isinstance(move, Failure):
            self._log(f"{match.title}, decision {request.decision}{moment(view)}:\n{move.details}")
            return _error(request, move.line)
        return move

    def _end(self, end: pb.MatchEnd) -> None:
        match = self._matches.pop(end.match, None)
        if match is None or isinstance(match.bot, Failure):
            return
        done = attempt(match.bot.match_over, tuple(end.scores), tuple(end.places))
        if isinstance(done, Failure):
            self._log(f"{match.title}, after the match:\n{done.details}")

    def _new_bot(self, start: pb.MatchStart) -> Bot[Any] | Failure:
        bot_class = self._program.class_for(start.ruleset)
        if bot_class is None:
            line = f"no class given to run() plays {start.ruleset}"
            return Failure(line, line)
        names = tuple(start.names)
        return attempt(
            seat_bot,
            bot_class,
            ruleset=start.ruleset,
            seat=start.seat,
            seats=start.seats,
            luck=start.luck,
            names=names,
        )


def _decide(bot: Bot[Any], view: View, request: pb.Request) -> pb.Move | Failure:
    """Return the move that `bot` makes, or why it makes none that can be sent."""
    action = ask(bot, view)
    if isinstance(action, Failure):
        return action
    move = pb.Move(match=request.match, decision=request.decision)
    problem = _encode(action, move)
    return Failure(problem[:MOST_LINE], problem) if problem else move


def _encode(action: Action, move: pb.Move) -> str:
    """Set the action of `move`; return why it cannot be sent, or ""."""
    try:
        action_to_pb(action, move)
    except WireError as error:
        return str(error)
    size = move.ByteSize()
    return f"a {type(action).__name__} of {size} bytes is too large to send" if size > MOST_BYTES else ""


def _error(request: pb.Request, line: str) -> pb.Move:
    return pb.Move(match=request.match, decision=request.decision, error=line[:MOST_LINE])
