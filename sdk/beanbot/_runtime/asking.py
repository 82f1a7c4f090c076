"""Calls of the author's code, which may raise any exception."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from beanbot.bot import Bot
from beanleague import games
from beanleague.games import Action, View
from beanleague.games.core.game import MAX_ACTIONS
from beanleague.games.core.values import dataclass

if TYPE_CHECKING:
    from traceback import FrameSummary

MAX_LINE = 300  # maximum length of an error in one line, in characters
_LEFT = "BdbQuit"  # name of the exception of Python's debugger, whose module takes long to load
_FORGOTTEN = "a breakpoint is left in the code, where nobody can debug: remove breakpoint()"
_MAX_PLACE = 100  # maximum length of an error's position in its line, in characters

_P = ParamSpec("_P")
_R = TypeVar("_R")
_LIBRARY = __file__.removesuffix("_runtime/asking.py")
_RULES = games.__file__.removesuffix("__init__.py")


class ProcessEnd(SystemExit):
    """Raised to end this process at the referee's request, derived from the exception of `sys.exit`."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed call of the author's code."""

    line: str
    """Error in one line, with its position in the author's code."""
    details: str
    """Error with its traceback, for the author; may have several lines."""


@dataclass(frozen=True, slots=True)
class Breakpoint(Failure):
    """Failure of a bot that called a debugger and was left there, or met nobody who could type."""


def attempt(code: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R | Failure:
    """Return the result of `code`, or its failure."""
    try:
        return code(*args, **kwargs)
    except ProcessEnd:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the only place where the author's code may fail
        return _failure(error)


def ask(bot: Bot[Any], view: View) -> Sequence[Action] | Failure:
    """Return the decision of `bot`, 1 to `MAX_ACTIONS` actions, or its failure."""
    choice = attempt(bot.decide, view)
    if isinstance(choice, Action):
        return (choice,)
    if isinstance(choice, Failure):
        return choice
    problem = _problem(choice)
    if not problem:
        return choice[:MAX_ACTIONS]  # the rest of a longer list would be dropped anyway
    line = f"TypeError: {type(bot).__name__} returned {_value_text(choice)[:100]}, {problem}"
    return Failure(line, line)


def _problem(choice: object) -> str:
    """Return the reason why `choice` is not a list of actions, or ""."""
    if not isinstance(choice, (list, tuple)):
        return "which is not an action" + ("; is a return missing?" if choice is None else "")
    if not choice:
        return "which has no action"
    wrong = [action for action in choice if not isinstance(action, Action)]
    return f"in which {_value_text(wrong[0])[:100]} is not an action" if wrong else ""


def turn_and_decision(view: View) -> str:
    """Return the position of `view` in the game, for messages to the author: ", turn 3, TRADE"."""
    turn, decision = getattr(view, "turn", None), getattr(view, "decision", None)
    return (f", turn {turn}" if turn is not None else "") + (f", {decision.name}" if decision is not None else "")


def _failure(error: BaseException) -> Failure:
    """Convert an exception to a failure, with a traceback that begins where this library calls the author's code."""
    import traceback  # imported late, since most bots never fail

    frames = _outside(error.__traceback__)
    details = "".join(traceback.format_exception(type(error), error, frames)).rstrip()
    shown = attempt(str, error)
    text = shown if isinstance(shown, str) else ""
    if isinstance(error, SystemExit):
        text = "a bot must not call sys.exit; its process ends when the league does not need it any more"
    place = _place(traceback.extract_tb(frames))
    if type(error).__name__ == _LEFT:
        return Breakpoint(_FORGOTTEN + place, f"{_FORGOTTEN}{place}")
    line = " ".join(f"{type(error).__name__}: {text}".rstrip(": ").split())
    return Failure(line[: MAX_LINE - len(place)] + place, details)


def running(frame: FrameType | None) -> Failure | None:
    """Return the position of the author's code that runs in `frame`, as a failure; None if none runs."""
    import traceback  # imported late, since most bots never hang

    stack = traceback.extract_stack(frame)
    called = [at for at, each in enumerate(stack) if each.filename == __file__ and each.name == attempt.__name__]
    own = stack[called[-1] + 1 :] if called else []
    while own and own[0].filename.startswith(_LIBRARY):
        del own[0]
    return Failure(_place(own).strip(), "".join(traceback.format_list(own)).rstrip()) if own else None


def _place(stack: Sequence[FrameSummary]) -> str:
    """Return the innermost position in the author's files, e.g. " (bot.py, line 8, in answer)"."""
    folder = stack[0].filename.rpartition("/")[0] + "/" if stack else ""
    for each in reversed(stack):
        file = each.filename
        if file.startswith(folder) and not file.startswith((_LIBRARY, _RULES, "<")):
            return f" ({file.removeprefix(folder)}, line {each.lineno}, in {each.name})"[:_MAX_PLACE]
    return ""


def _outside(frames: TracebackType | None) -> TracebackType | None:
    """Return the frames without this library's frames at the start."""
    first = frames
    while first and first.tb_frame.f_code.co_filename.startswith(_LIBRARY):
        first = first.tb_next
    return first or frames


def _value_text(value: object) -> str:
    shown = attempt(repr, value)
    return shown if isinstance(shown, str) else f"a {type(value).__name__}"
