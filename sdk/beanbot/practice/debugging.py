"""Breakpoints in practice: the debugger prints views as tables, skips the library, and leaving it ends practice.

Imported late: the debugger needs modules that WebAssembly lacks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from pdb import Pdb
from types import FrameType
from typing import Any

from beanbot.bot import Bot, Choice
from beanbot.practice.alarms import DebuggerLeftError
from beanleague.games import View
from beanleague.games.families import text_of

_SKIPPED = ("beanbot", "beanbot.*", "beanleague.*")  # modules in which stepping does not stop


class Debugger(Pdb):
    """Python's debugger for a bot's author at a terminal; q, Ctrl-D and Ctrl-C raise `DebuggerLeftError`."""

    def __init__(self) -> None:
        with _terminal():
            super().__init__(skip=_SKIPPED, nosigint=True)

    def cmdloop(self, intro: str | None = None) -> None:
        """Read and run commands; Ctrl-C leaves."""
        try:
            with _terminal():
                super().cmdloop(intro)
        except KeyboardInterrupt:
            raise DebuggerLeftError from None

    def do_quit(self, arg: str) -> bool | None:
        """Leave the debugger and end practice."""
        del arg
        raise DebuggerLeftError

    do_q = do_exit = do_quit

    def do_EOF(self, arg: str) -> bool | None:  # noqa: N802  # the name of the command
        """Leave at Ctrl-D, like q."""
        self.message("")
        return self.do_quit(arg)

    def do_p(self, arg: str) -> bool | None:
        """Print an expression; a view as the table of a replay."""
        try:
            value = eval(arg, self.curframe.f_globals, self.curframe.f_locals) if self.curframe else None  # noqa: S307  # typed by the author
        except Exception:  # noqa: BLE001  # the debugger shows the error in its own way
            value = None
        if isinstance(value, View):
            self.message(text_of(value))
            return None
        return super().do_p(arg)


def _terminal() -> AbstractContextManager[object]:
    """Return a context with the real standard output, in place of which practice gives stderr to bots."""
    return redirect_stdout(sys.__stdout__) if sys.stdout is sys.stderr else nullcontext()


def debugged(bot: Bot[Any]) -> Callable[[View], Choice | None]:
    """Return `bot.decide` wrapped in the debugger, which stops at the first line of the bot's own code."""
    decide = bot.decide
    return lambda view: Debugger().runcall(decide, view)


@contextmanager
def breakpoints() -> Iterator[None]:
    """Let `breakpoint()` start `Debugger`; not if PYTHONBREAKPOINT names another, or nobody is at a terminal."""
    before = sys.breakpointhook
    if "PYTHONBREAKPOINT" not in os.environ and before is sys.__breakpointhook__ and sys.stdin.isatty():
        sys.breakpointhook = _stop
    try:
        yield
    finally:
        sys.breakpointhook = before


def _stop(*_: object, **__: object) -> None:
    caller: FrameType | None = sys._getframe(1)  # noqa: SLF001  # as Python's own hook
    Debugger().set_trace(caller)
