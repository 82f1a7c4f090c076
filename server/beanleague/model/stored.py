"""Deals as they lie in the database, also those whose rows do not fit together."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.records.faults import Fault
from beanleague.games.records.trade_flow import TradeFlow
from beanleague.model.matches import Deal, SeatResult


@dataclass(frozen=True, slots=True)
class StoredFault:
    """A row of a fault."""

    number: int
    """0, 1, ... in its match."""
    entrant: int
    """The entrant that it is booked to."""
    fault: Fault
    """The fault."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """All rows of a match."""

    rotation: int
    """Its rotation."""
    record: bytes | None
    """Its compressed record; None if only other rows of the match exist."""
    seats: tuple[tuple[int, SeatResult], ...]
    """The number of each seat, and its result."""
    faults: tuple[StoredFault, ...]
    """Its faults."""


@dataclass(frozen=True, slots=True)
class StoredDeal:
    """All rows of a deal."""

    number: int
    """Its number."""
    deal: Deal | None
    """The deal; None if only other rows of it exist."""
    results: bytes | None
    """The places that are stored with the deal."""
    voids: tuple[int, ...]
    """Numbers of the rows that say when it was void."""
    matches: tuple[StoredMatch, ...]
    """Its matches, by rotation."""
    flows: tuple[TradeFlow, ...]
    """What is stored of its trades, by giver and receiver."""
