"""A column of the seats of a match that was played, as tests read and change it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from beanleague.model import PlayedMatch


def column(match: PlayedMatch, name: str) -> tuple[Any, ...]:
    """Return a field of `SeatResult` of each seat."""
    return tuple(getattr(seat, name) for seat in match.seats)


def changed(match: PlayedMatch, **columns: Sequence[object]) -> PlayedMatch:
    """Return the match with other fields of `SeatResult`, seat by seat; the Thief's seat may be left out."""
    seats = list(match.seats)
    for name, values in columns.items():
        for number, value in enumerate(values):
            seats[number] = replace(seats[number], **{name: value})  # type: ignore[arg-type]
    return replace(match, seats=tuple(seats))
