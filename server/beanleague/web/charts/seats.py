"""What each seat is worth, as bars to both sides of the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.web.charts.scale import Scale
from beanproto.v1.league_pb2 import SeatEffect

_MIN_ELO = 20.0


@dataclass(frozen=True, slots=True)
class SeatBar:
    """A seat's effect on a line from 0 to 100, whose middle is the mean of all seats."""

    effect: SeatEffect
    """The effect."""
    at: float
    """Where it is."""
    left: float
    """Where its interval begins."""
    right: float
    """Where its interval ends."""


def seat_bars(effects: Sequence[SeatEffect]) -> list[SeatBar]:
    """Return a bar for each seat."""
    most = max([_MIN_ELO, *(abs(effect.elo) + effect.interval for effect in effects)])
    scale = Scale(-most, most)
    return [
        SeatBar(
            effect,
            scale.at(effect.elo),
            scale.at(effect.elo - effect.interval),
            scale.at(effect.elo + effect.interval),
        )
        for effect in effects
    ]
