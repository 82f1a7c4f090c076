"""`run()`: playing in a league, as the process that a referee starts."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from beanbot._runtime.program import BotProgram, check_classes
from beanbot._runtime.recording import record
from beanbot.bot import Bot

_NO_REFEREE = """\
This bot plays when a referee starts it. To try it out:  python -m beanbot.practice {file}
To enter it in a league, put it into a folder with bot.toml:  beanleague bot submit FOLDER
"""


def run(*classes: type[Bot[Any]]) -> None:
    """Play matches until the referee ends the stream: the last thing a bot's program does.

    Several classes may be given for several rulesets; see `Bot.games`. What the bot prints goes to its log, which
    its author can read, as do the tracebacks of its errors. Started by hand, it says how to practise and exits with 2.

    Raises:
        TypeError: no classes are given, or something that is not one.
    """
    program = BotProgram("", check_classes(classes))
    if record(program.classes):
        return
    target = os.environ.get("BEANLEAGUE_SOCKET")
    if not target:
        sys.stderr.write(_NO_REFEREE.format(file=Path(sys.argv[0]).name or "mybot.py"))
        sys.exit(2)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _leave)
    from beanbot._runtime.stream import play_stream  # gRPC is loaded only to play

    with contextlib.suppress(KeyboardInterrupt), contextlib.redirect_stdout(sys.stderr):
        if not play_stream(program, target):
            sys.exit(f"no referee answers at {target} (BEANLEAGUE_SOCKET)")


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise SystemExit(0)
