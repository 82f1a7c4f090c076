"""Faults: moves that a bot failed to make."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beanleague.games.core.errors import IllegalActionError
    from beanleague.games.core.game import Action


class FaultKind(StrEnum):
    """Why a move could not be used."""

    ILLEGAL = "illegal"
    """The rules do not allow the action."""
    MALFORMED = "malformed"
    """The message is not an action."""
    TIMEOUT = "timeout"
    """The answer came too late, or not at all."""
    ERROR = "error"
    """The bot reported an error of its own."""
    CRASH = "crash"
    """The bot's process ended."""
    DISCONNECTED = "disconnected"
    """The bot closed its stream."""
    MEMORY = "memory"
    """The bot used more memory than it may."""


_MAX_SHOWN = 200  # characters of an action


NEVER_RUN = "the program ends before it calls run(...) with a bot class"


def illegal_reason(action: Action, illegal: IllegalActionError) -> str:
    """Return the reason of the fault of a bot whose `action` is `illegal`."""
    return f"{action!s:.{_MAX_SHOWN}} is illegal: {illegal}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a match."""

    seat: int
    """The seat that failed."""
    move: int
    """Index in the record's moves of the default action played instead."""
    kind: str
    """Why its move could not be used; one of `FaultKind`."""
    reason: str
    """What went wrong, for the bot's author."""
    forfeited: bool
    """Whether the seat forfeited because of this fault."""
