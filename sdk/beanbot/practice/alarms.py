"""Interrupting a bot that thinks for too long, by a timer of the operating system.

In WebAssembly there are neither timers nor threads, so their modules are imported only by what sets a timer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

from beanbot._runtime.asking import Failure, ask, attempt
from beanbot.bot import Bot
from beanleague.games import Action, View

GRACE_S = 5.0
"""How long a bot may keep Python from interrupting it; then the stack is printed, and the process ends."""


def has_timers() -> bool:
    """Return whether this Python has timers, by which a bot can be interrupted."""
    import signal

    return hasattr(signal, "setitimer")


def can_interrupt() -> bool:
    """Return whether a bot can be interrupted in this thread: where there are timers, in the main one."""
    import threading

    return has_timers() and threading.current_thread() is threading.main_thread()


class AlarmError(BaseException):
    """Raised in a bot whose time is over; no `except Exception` of its author catches it."""


@dataclass(frozen=True, slots=True)
class TooSlow(Failure):
    """The bot's time was over; the details show where it was then."""


def ask_within(move_ms: int, bot: Bot[Any], view: View) -> Sequence[Action] | Failure:
    """Return what `ask` does, or a `TooSlow` after `move_ms` milliseconds. Only the main thread can call this."""
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


def _ring(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise AlarmError


def too_slow(reason: str, alarm: AlarmError) -> TooSlow:
    """Return why a decision failed that `alarm` interrupted."""
    late = attempt(_raise, TimeoutError(reason).with_traceback(alarm.__traceback__))
    return TooSlow(late.line, late.details)


class Watch:
    """Looks now and then whether a bot still works on the same decision. That costs no time of the decisions."""

    __slots__ = ("_seen", "number")

    def __init__(self) -> None:
        self.number = 0
        """Odd while a bot decides; it is increased when that begins and when it ends."""
        self._seen = 0

    def look(self) -> None:
        """Interrupt a decision that lasts since the last look."""
        lasts = self.number % 2 and self.number == self._seen
        self._seen = self.number
        if lasts:
            raise AlarmError


@contextmanager
def watched(look_s: float) -> Iterator[Watch]:
    """Let a watch look every `look_s` seconds; never if that is 0, or where bots cannot be interrupted."""
    watch = Watch()
    if not look_s or not can_interrupt():
        yield watch
        return

    import faulthandler
    import signal

    def ring(number: int, frame: FrameType | None) -> None:
        del number, frame
        faulthandler.dump_traceback_later(2 * look_s + GRACE_S, exit=True)  # in case Python cannot call this again
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
    raise error from None  # how this library noticed it is of no interest
