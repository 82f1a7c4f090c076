"""`run()`: playing in a league, in a process that a referee starts."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any, NoReturn

from beanbot._runtime.advice import advice
from beanbot._runtime.asking import ProcessEnd
from beanbot._runtime.program import BotProgram, check_classes, read_settings, record
from beanbot.bot import Bot

_NO_REFEREE = """\
A bot plays when a referee starts it. To try it out:  python -m beanbot.practice {file}
To play a friendly match at a server:  python {file} --sit trader,farmer --server HOST:PORT
To enter it in a league, put it into a folder with bot.toml:  beanleague bot submit FOLDER
"""


def run(*classes: type[Bot[Any]]) -> None:
    """Play matches until the referee ends the stream. Call it last in a bot's program.

    Give one class for each group of rulesets that the program plays; see `Bot.games`. Output of the bot and the
    tracebacks of its errors go to its log, which its author can read. Started by hand with --sit, it plays a friendly
    match at a table of a server; without a referee, `run` prints how to practise and exits with status 2.

    Raises:
        TypeError: if no class is given, or an argument is not a subclass of `Bot`.
    """
    checked = check_classes(classes)
    for sentence in advice(checked):
        sys.stderr.write(f"warning: {sentence}\n")
    if record(checked):
        return
    try:
        settings = read_settings(os.path.dirname(sys.argv[0]), os.curdir)  # noqa: PTH120  # pathlib takes long to load
    except ValueError as problem:
        sys.exit(f"bot.toml: {problem}")
    program = BotProgram("", checked, settings=settings)
    target = os.environ.get("BEANLEAGUE_SOCKET")
    if not target and any(word.partition("=")[0] == "--sit" for word in sys.argv[1:]):
        from beanbot._runtime.sitting import sit  # gRPC is loaded only to sit down

        _leave_quietly()
        with contextlib.redirect_stdout(sys.stderr):
            sit(program, sys.argv[1:])
        return
    if not target:
        from pathlib import Path

        sys.stderr.write(_NO_REFEREE.format(file=Path(sys.argv[0]).name or "mybot.py"))
        sys.exit(2)
    _leave_quietly()
    from beanbot._runtime.stream import play_stream  # gRPC is loaded only to play

    with contextlib.redirect_stdout(sys.stderr):
        if not play_stream(program, target):
            sys.exit(f"no referee answers at {target} (BEANLEAGUE_SOCKET)")
    gc.freeze()  # else the last collections, when Python ends, look through all objects once more, for 20 ms


def _leave_quietly() -> None:
    """End the process with status 0 at SIGTERM and SIGINT.

    Catching KeyboardInterrupt does not do for Ctrl-C: once it left an `exec`, such as those in which Python defines
    dataclasses, Python ends as if nobody had caught it.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _leave)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else the caller has Ctrl-C ignored
            signal.signal(signal.SIGINT, _leave)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise ProcessEnd(0)
