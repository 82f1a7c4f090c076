"""Calling the code of a bot's author, which may raise anything."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from beanbot.bot import Bot
from beanleague.games import Action, View
from beanleague.games.core.lists import MAX_ACTIONS

MAX_LINE = 300  # characters of an error shown in one line

_P = ParamSpec("_P")
_R = TypeVar("_R")
_LIBRARY = __file__.removesuffix("_runtime/asking.py")


@dataclass(frozen=True, slots=True)
class Failure:
    """How a call failed."""

    line: str
    """The error in one line."""
    details: str
    """The error with its traceback, for the author; may have several lines."""


def attempt(code: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R | Failure:
    """Return what `code` returns, or how it failed."""
    try:
        return code(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  # this is the one place where another's code may fail
        return _failure(error)


def ask(bot: Bot[Any], view: View) -> Sequence[Action] | Failure:
    """Return what `bot` decides, 1 to `MAX_ACTIONS` actions, or how it failed to."""
    choice = attempt(bot.decide, view)
    if isinstance(choice, Action):
        return (choice,)
    if isinstance(choice, Failure):
        return choice
    problem = _problem(choice)
    if not problem:
        return choice[:MAX_ACTIONS]  # what is left of a list is dropped in any case
    line = f"TypeError: {type(bot).__name__} returned {_shown(choice)[:100]}, {problem}"
    return Failure(line, line)


def _problem(choice: object) -> str:
    """Return why `choice` is no list of actions, "" if it is."""
    if not isinstance(choice, (list, tuple)):
        return "which is not an action"
    if not choice:
        return "which has no action"
    wrong = [action for action in choice if not isinstance(action, Action)]
    return f"in which {_shown(wrong[0])[:100]} is not an action" if wrong else ""


def turn_and_decision(view: View) -> str:
    """Return where in the game `view` is, for messages to the author: ", turn 3, TRADE"."""
    turn, decision = getattr(view, "turn", None), getattr(view, "decision", None)
    return (f", turn {turn}" if turn is not None else "") + (f", {decision.name}" if decision is not None else "")


def _failure(error: Exception) -> Failure:
    """Return `error` as a failure, with a traceback that begins where this library calls the author's code."""
    details = "".join(traceback.format_exception(type(error), error, _outside(error.__traceback__))).rstrip()
    shown = attempt(str, error)
    text = shown if isinstance(shown, str) else ""
    return Failure(" ".join(f"{type(error).__name__}: {text}".rstrip(": ").split())[:MAX_LINE], details)


def _outside(frames: TracebackType | None) -> TracebackType | None:
    """Return `frames` without those of this library at the start."""
    first = frames
    while first and first.tb_frame.f_code.co_filename.startswith(_LIBRARY):
        first = first.tb_next
    return first or frames


def _shown(value: object) -> str:
    shown = attempt(repr, value)
    return shown if isinstance(shown, str) else f"a {type(value).__name__}"
