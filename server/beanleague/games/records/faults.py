"""Faults of bots, and the ranking of matches with forfeits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from beanleague.games.core.values import dataclass

if TYPE_CHECKING:
    from beanleague.games.core.game import Action, IllegalActionError


class FaultKind(StrEnum):
    """Reason why a move could not be used."""

    ILLEGAL = "illegal"
    """The rules do not allow the action."""
    MALFORMED = "malformed"
    """The message is not an action."""
    TIMEOUT = "timeout"
    """The answer came too late, or not at all."""
    ERROR = "error"
    """The bot reported an internal error."""
    CRASH = "crash"
    """The bot's process ended."""
    DISCONNECTED = "disconnected"
    """The bot closed its stream."""
    MEMORY = "memory"
    """The bot exceeded its memory limit."""


_MAX_SHOWN = 200  # characters shown of an action in a reason


NEVER_RUN = "the program ends before it calls run(...) with a bot class"


def illegal_reason(action: Action, illegal: IllegalActionError) -> str:
    """Return the reason of a fault: the action and why it is illegal."""
    return f"{action!s:.{_MAX_SHOWN}} is illegal: {illegal}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a match."""

    seat: int
    """The seat that failed."""
    move: int
    """Index in the record's moves of the default action played instead."""
    kind: str
    """Kind of the fault; one of `FaultKind`."""
    reason: str
    """Explanation for the bot's author."""
    forfeited: bool
    """Whether the seat forfeited because of this fault."""


def places_with_forfeits(places: Sequence[int], forfeited_at: Sequence[int | None]) -> tuple[int, ...]:
    """Return `places` (per seat, 1 is best, ties share) with forfeiting seats last.

    `forfeited_at`: per seat, the `Game.moment` of its forfeit, or None. The other seats keep their order; a later
    forfeit ranks higher, and simultaneous forfeits tie. In solo games a seat keeps its place, or is second if it
    forfeits.
    """
    if len(places) == 1:
        return tuple(places) if forfeited_at[0] is None else (2,)
    staying = [place for place, moment in zip(places, forfeited_at, strict=True) if moment is None]
    gone = [moment for moment in forfeited_at if moment is not None]
    return tuple(
        1 + sum(other < place for other in staying)
        if moment is None
        else 1 + len(staying) + sum(other > moment for other in gone)
        for place, moment in zip(places, forfeited_at, strict=True)
    )


def league_places(places: Sequence[int], moments: Sequence[int], faults: Iterable[Fault]) -> tuple[int, ...]:
    """Return the places of a match for the league.

    `places`: places of the game itself. `moments`: `Game.moment` before each move. `faults`: faults of all seats; a
    seat forfeited at its first fault with `forfeited`.
    """
    forfeited_at: list[int | None] = [None] * len(places)
    for fault in faults:
        if fault.forfeited:
            at, before = moments[fault.move], forfeited_at[fault.seat]
            forfeited_at[fault.seat] = at if before is None else min(at, before)
    return places_with_forfeits(places, forfeited_at)
