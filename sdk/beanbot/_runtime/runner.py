"""`run()`: plays in a league, in a process started by a referee."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from importlib import import_module
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from beanbot._runtime import collect_as_usual
from beanbot._runtime.asking import ProcessEnd
from beanbot._runtime.program import BotProgram, check_classes, read_settings, record
from beanbot.bot import Bot

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_LIBRARY = Bot.__module__.partition(".")[0]
_IN_A_FUNCTION = 1  # CO_OPTIMIZED of `inspect`, which takes long to load
_ALIKE = 0.8  # cutoff of `get_close_matches`: "awnser" resembles "answer", "growing" resembles nothing

_UNUSED = ("google.protobuf.internal.python_message",)
"""Modules that protobuf imports but only uses without its C library; they take a third of the loading time."""

_NO_REFEREE = """\
A bot plays when a referee starts it. To try it out:  beanbot practice {file}
To play a friendly match at a server:  python {file} --against trader,farmer --server HOST:PORT
To enter it in a league, put it into a folder with bot.toml:  beanleague bot submit FOLDER
"""


def run(*classes: type[Bot[Any]]) -> None:
    """Play matches until the referee ends the stream. Call it last in a bot's program.

    Give one class for each group of rulesets that the program plays; see `Bot.games`. Output of the bot and the
    tracebacks of its errors go to its log, which its author can read. Started by hand with --against, it plays a
    friendly match at a table of a server; without a referee, `run` prints how to practise and exits with status 2.

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
    if not target and any(word.partition("=")[0] == "--against" for word in sys.argv[1:]):
        from beanbot._runtime.sitting import sit  # imported late: gRPC is needed only for friendly matches

        _leave_quietly()
        with contextlib.redirect_stdout(sys.stderr):
            sit(program, sys.argv[1:])
        return
    if not target:
        from pathlib import Path
        from shlex import quote

        sys.stderr.write(_NO_REFEREE.format(file=quote(Path(sys.argv[0]).name or "mybot.py")))
        sys.exit(2)
    _leave_quietly()
    load_messages()
    from beanbot._runtime.stream import play_stream

    gc.freeze()  # keep garbage collections from scanning the loaded objects, which stay
    collect_as_usual()
    with contextlib.redirect_stdout(sys.stderr):
        if not play_stream(program, target):
            sys.exit(f"no referee answers at {target} (BEANLEAGUE_SOCKET)")
    gc.freeze()  # keep the final collections of Python from scanning all objects, which takes 20 ms


def load_messages() -> None:
    """Load the modules needed to play, which takes long."""
    for name in _UNUSED:
        sys.modules.setdefault(name, _Unused(name))
    import_module("beanbot._runtime.stream")


class _Unused(ModuleType):
    """Module whose import is delayed until an attribute is used."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # names like these are looked up by the import system
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        found: object = getattr(import_module(self.__name__), name)
        return found


def _leave_quietly() -> None:
    """End the process with status 0 at SIGTERM and SIGINT.

    Catching KeyboardInterrupt is not enough: if it leaves an `exec`, by which Python defines dataclasses, Python exits
    as if it were uncaught. In `__del__` and in callbacks of weak references Python ignores exceptions: there the
    process ends at once, without cleanup.
    """
    if threading.current_thread() is threading.main_thread():
        sys.unraisablehook = _leave_at_once
        signal.signal(signal.SIGTERM, _leave)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # do not override a caller who ignores Ctrl-C
            signal.signal(signal.SIGINT, _leave)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise ProcessEnd(0)


def _leave_at_once(ignored: UnraisableHookArgs) -> None:
    if isinstance(ignored.exc_value, ProcessEnd):
        sys.stderr.flush()
        os._exit(0)  # leave at once: an exception raised here would be ignored again
    sys.__unraisablehook__(ignored)


def advice(classes: Iterable[type[Bot[Any]]]) -> Iterator[str]:
    """Yield a warning for each public method whose name resembles one that the library calls.

    Methods used by the author's own code are not reported.
    """
    for bot_class in classes:
        ours = [base for base in bot_class.__mro__ if base.__module__.partition(".")[0] == _LIBRARY]
        called = {_plain(name): name for base in ours for name, value in vars(base).items() if _is_method(name, value)}
        own = [base for base in bot_class.__mro__ if base not in ours and base is not object]
        used = _used_names(own)
        for base in own:
            for name, value in vars(base).items():
                if _is_method(name, value) and name not in called.values() and name not in used:
                    from difflib import get_close_matches  # imported late, since few bots have such a method

                    for alike in get_close_matches(_plain(name), called, 1, _ALIKE):
                        yield f"{base.__name__}.{name} is never called by a game; is {called[alike]} meant?"


def _used_names(classes: Iterable[type]) -> set[str]:
    """Return the names used by the code of these classes and by everything else in their modules."""
    modules = {base.__module__ for base in classes}
    loaded = [vars(sys.modules[name]) for name in modules if name in sys.modules]
    values = [value for names in loaded for value in names.values() if getattr(value, "__module__", "") in modules]
    scopes = [*classes, *(value for value in values if isinstance(value, type))]
    code = [value.__code__ for value in values if isinstance(value, FunctionType)]
    code += [part.__code__ for scope in scopes for part in vars(scope).values() if isinstance(part, FunctionType)]
    names: set[str] = set()
    while code:
        part = code.pop()
        if part.co_flags & _IN_A_FUNCTION:  # the body of a class only names its definitions, which are not uses
            names.update(part.co_names)
        code += [constant for constant in part.co_consts if isinstance(constant, CodeType)]
    return names


def _is_method(name: str, value: object) -> bool:
    return callable(value) and not name.startswith("_")


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
