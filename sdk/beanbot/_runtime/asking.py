"""Calling the code of a bot's author, which may do anything."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from beanbot.bot import Bot
from beanleague.games import Action, View

MOST_LINE = 300  # characters of an error that are told in a line

_P = ParamSpec("_P")
_R = TypeVar("_R")
_LIBRARY = str(Path(__file__).parents[1])


@dataclass(frozen=True, slots=True)
class Failure:
    """Something failed. `line`: the error in a line; `details`: the same with its traceback, for the author."""

    line: str
    details: str


def attempt(code: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R | Failure:
    """Return what `code` returns, or how it failed."""
    try:
        return code(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  # this is the one place where another's code may fail
        return _failure(error)


def ask(bot: Bot[Any], view: View) -> Action | Failure:
    """Return what `bot` decides, or how it failed to."""
    action = attempt(bot.decide, view)
    if isinstance(action, (Action, Failure)):
        return action
    line = f"TypeError: {type(bot).__name__} returned {_shown(action)[:100]}, which is not an action"
    return Failure(line, line)


def _failure(error: Exception) -> Failure:
    """Return `error` as a failure. Its traceback begins where this library calls the author's code."""
    details = "".join(traceback.format_exception(type(error), error, _outside(error.__traceback__))).rstrip()
    shown = attempt(str, error)
    text = shown if isinstance(shown, str) else ""
    return Failure(" ".join(f"{type(error).__name__}: {text}".rstrip(": ").split())[:MOST_LINE], details)


def _outside(frames: TracebackType | None) -> TracebackType | None:
    first = frames
    while first and first.tb_frame.f_code.co_filename.startswith(_LIBRARY):
        first = first.tb_next
    return first or frames


def _shown(value: object) -> str:
    shown = attempt(repr, value)
    return shown if isinstance(shown, str) else f"a {type(value).__name__}"
