"""Interruption of a bot that thinks too long, by a timer of the operating system.

WebAssembly has neither timers nor threads, so their modules are imported only by functions that use them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from beanbot._runtime.asking import Failure, ask, attempt
from beanbot.bot import Bot
from beanleague.games import Action, View

GRACE_S = 5.0
"""Seconds that a bot may ignore the interruption; then the stack is printed and the process ends."""


def has_timers() -> bool:
    """Return whether this Python has timers that can interrupt a bot."""
    import signal

    return hasattr(signal, "setitimer")


def can_interrupt() -> bool:
    """Return whether a bot can be interrupted in this thread: only in the main thread, and only with timers."""
    import threading

    return has_timers() and threading.current_thread() is threading.main_thread()


LOOKS = 10
"""Checks for a hanging bot until it is interrupted."""


class AlarmError(BaseException):
    """Raised in a bot whose time is over; a `BaseException`, so that the bot's `except Exception` does not catch it."""


class DebuggerLeftError(BaseException):
    """Raised in a bot whose author leaves the debugger, which ends practice."""


@dataclass(frozen=True, slots=True)
class TooSlow(Failure):
    """Failure of a bot whose time ran out; the details show its stack."""


def ask_within(move_ms: int, bot: Bot[Any], view: View) -> Sequence[Action] | Failure:
    """Call `ask`, but return `TooSlow` after `move_ms` milliseconds. For the main thread only."""
    import faulthandler
    import signal

    seconds = move_ms / 1000
    before = signal.signal(signal.SIGALRM, _ring)
    faulthandler.dump_traceback_later(seconds + GRACE_S, exit=True)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return ask(bot, view)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except AlarmError as alarm:
        return too_slow(f"no answer within {move_ms} ms", alarm)
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


def _ring(number: int, frame: FrameType | None) -> None:
    del number, frame
    if not debugged():
        raise AlarmError
    import faulthandler

    faulthandler.cancel_dump_traceback_later()


def too_slow(reason: str, alarm: AlarmError) -> TooSlow:
    """Return the failure of a decision that `alarm` interrupted."""
    late = attempt(_raise, TimeoutError(reason).with_traceback(alarm.__traceback__))
    return TooSlow(late.line, late.details)


class Watch:
    """Periodic check for a bot that is still at the same decision; adds no cost to decisions."""

    __slots__ = ("_looks", "_seen", "number")

    def __init__(self) -> None:
        self.number = 0
        """Counter of beginnings and ends of decisions: odd during one."""
        self._seen = 0
        self._looks = 0  # checks that saw the same decision

    def look(self) -> None:
        """Interrupt a decision that was in progress at the last `LOOKS` checks; never while its author debugs it."""
        self._looks = self._looks + 1 if self.number % 2 and self.number == self._seen else 0
        self._seen = self.number
        if debugged():
            self._looks = 0
        if self._looks >= LOOKS - 1:
            self._looks = 0
            raise AlarmError


def debugged() -> bool:
    """Return whether a debugger follows this thread."""
    monitoring: Any = getattr(sys, "monitoring", None)  # Python 3.12 and newer
    return sys.gettrace() is not None or bool(monitoring and monitoring.get_tool(monitoring.DEBUGGER_ID))


@contextmanager
def watched(hangs_s: float) -> Iterator[Watch]:
    """Run a `Watch` that interrupts decisions of `hangs_s` seconds, or a little less.

    It never does if that is 0 or bots cannot be interrupted.
    """
    watch, look_s = Watch(), hangs_s / LOOKS
    if not hangs_s or not can_interrupt():
        yield watch
        return

    import faulthandler
    import signal

    def ring(number: int, frame: FrameType | None) -> None:
        del number, frame
        # a fallback if the bot blocks Python's signal handlers
        faulthandler.dump_traceback_later(hangs_s + GRACE_S, exit=not debugged())
        watch.look()

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, look_s, look_s)
    try:
        yield watch
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


def _raise(error: Exception) -> Failure:
    raise error from None  # the traceback would show only this library
