"""Ratings, on the Elo scale."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating of an entrant."""

    entrant: int
    """`Entrant.number`."""
    rating: float
    """Its rating. With `least` or `most`, or without `interval`, it rests on the prior: good for the order only."""
    interval: float | None
    """Half the width of its 95 % interval; None if it has none."""
    best_rank: int
    """1 + entrants that are better with more than 97.5 % probability."""
    worst_rank: int
    """Entrants less those that are worse with more than 97.5 % probability."""
    least: float | None = None
    """One-sided 95 % bound of one that never lost to the anchor, or to whoever won from it: it is rated over this."""
    most: float | None = None
    """One-sided 95 % bound of one that never won, likewise: it is rated under this."""
    anchor: bool = False
    """Whether its rating is the base by definition."""
    provisional: bool = False
    """Whether it has played little, or its differences from both neighbours are not known well."""


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """What a seat is worth compared with the mean seat."""

    seats: int
    """Size of the table."""
    seat: int
    """The seat."""
    elo: float
    """Its advantage, in Elo."""
    interval: float
    """Half the width of the 95 % interval of `elo`."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The ratings of a league after a number of deals."""

    deals: int
    """Number of deals."""
    ratings: tuple[Rating, ...]
    """The rating of each entrant."""
    created: float
    """When they were computed."""
    better: tuple[float, ...] = ()
    """Row by row, the probability that an entrant is stronger than another; empty in the history."""
    seats: tuple[SeatEffect, ...] = ()
    """What each seat is worth."""
    luck: float | None = None
    """Share of a result that is the luck of seat and deal; None if not known."""
