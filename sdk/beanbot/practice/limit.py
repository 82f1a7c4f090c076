"""A limit of the time that a decision may take, in a process that has no referee beside it."""

from __future__ import annotations

import faulthandler
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

from beanbot._runtime.asking import Failure, ask, attempt
from beanbot.bot import Bot
from beanleague.games import Action, View

GRACE_S = 5.0
"""How long a bot may keep Python from interrupting it; then the stack is printed, and the process ends."""


class _AlarmError(BaseException):
    """Raised in a bot whose time is over; no `except Exception` of its author catches it."""


@dataclass(frozen=True, slots=True)
class TooSlow(Failure):
    """The bot's time was over; the details show where it was then."""


def ask_within(move_ms: int, bot: Bot[Any], view: View) -> Sequence[Action] | Failure:
    """Return what `ask` does, or a `TooSlow` after `move_ms` milliseconds. Only the main thread can call this."""
    seconds = move_ms / 1000
    before = signal.signal(signal.SIGALRM, _ring)
    faulthandler.dump_traceback_later(seconds + GRACE_S, exit=True)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return ask(bot, view)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _AlarmError as alarm:
        late = attempt(_raise, TimeoutError(f"no answer within {move_ms} ms").with_traceback(alarm.__traceback__))
        return TooSlow(late.line, late.details)
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


def _ring(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise _AlarmError


def _raise(error: Exception) -> Failure:
    raise error from None  # how this library noticed it is of no interest
