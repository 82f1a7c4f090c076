"""Deals and matches, scheduled, played and stored, and the nodes that play them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.games.records.faults import Fault
from beanleague.games.records.trade_flow import TradeFlow


@dataclass(frozen=True, slots=True)
class Node:
    """A machine that plays deals, with its versions at that time."""

    name: str
    """Name of the host, or the name given when the node was started."""
    cpu: str
    """Model of the node's CPU."""
    beanleague: str
    """Version of Beanleague on the node."""
    python: str
    """Version of Python on the node."""


@dataclass(frozen=True, slots=True)
class NodeTotals:
    """Totals of a node in a league."""

    node: Node
    """The node."""
    deals: int
    """Number of committed deals that the node played; failed attempts are not counted."""
    voids: int
    """Number of deals that had to be repeated because something other than a bot failed on the node."""
    faults: int
    """Number of bot faults in `deals`."""
    timeouts: int
    """Number of these faults that were timeouts, which a slow machine can cause."""


WIN = 420
"""Units of one win: 420 is divisible by 1 to 7, so a first place shared by up to seven seats is a whole number."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal of a league; only the first three fields are set when it is scheduled."""

    number: int
    """Number of the deal in the league, from 1."""
    table: tuple[int, ...]
    """Entrants by seat in rotation 0."""
    seed_digest: bytes
    """SHA-256 of the seed."""
    seed: bytes | None = None
    """Seed; None until the deal has been played."""
    voids: int = 0
    """Number of failed attempts to play the deal."""
    published: float = 0.0
    """Time at which the deal was scheduled and its digest published."""
    played: float | None = None
    """Time at which the matches were committed; None before."""
    position: int | None = None
    """Position in the order of commits, from 1; None before."""
    dropped: float | None = None
    """Time at which the deal was dropped: an entrant was suspended, or the day of the ladder ended before it was
    played."""
    node: Node | None = None
    """Node that played it; None before, and for deals played by early versions."""


ON_ACCOUNT_OF = "on account of "
"""Prefix of the reason for a failed attempt that a bot may have caused; followed by the bot's label and ": "."""


@dataclass(frozen=True, slots=True)
class Void:
    """A failed attempt at a deal, for which no bot forfeits."""

    deal: int
    """Number of the deal."""
    reason: str
    """Description of the failure; see `ON_ACCOUNT_OF`."""
    happened: float
    """Time of the failure."""
    node: Node | None = None
    """Node of the failure; None if stored by an early version."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """Result of a seat in a match. In solo games the Thief is the second seat."""

    entrant: int
    """Number of the entrant; outside of leagues, of the bot."""
    score: int
    """Score, in the unit of the game."""
    place: int
    """Place, 1 for the best; ties share a place."""
    decisions: int
    """Number of decisions."""
    faults: int
    """Number of faults."""
    forfeited: bool
    """Whether the seat forfeited."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match, as reported by the referee and committed with its deal."""

    id: int
    """Number of the match's task, unique in a pool."""
    record: bytes
    """Record as a zlib-compressed `beanproto.v1.Record`."""
    seats: tuple[SeatResult, ...]
    """The results, seat by seat. Forfeited seats come last, and ties share a place."""
    faults: tuple[Fault, ...] = ()
    """All faults, in order."""
    flows: tuple[TradeFlow, ...] = ()
    """Value traded between each pair of seats."""
    layer: str = ""
    """Sandbox layer of the bots."""


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal whose matches have all been played."""

    number: int
    """Number of the deal."""
    seed: bytes
    """Seed of the deal."""
    matches: tuple[PlayedMatch, ...]
    """All matches of the deal, by rotation."""
    node: Node | None = None
    """Node that played it."""


@dataclass(frozen=True, slots=True)
class Match:
    """A stored match without its record."""

    deal: int
    """Number of its deal."""
    rotation: int
    """The rotation of the table, from 0."""
    seats: tuple[SeatResult, ...]
    """The results, seat by seat."""
    played: float
    """Time at which its deal was committed."""
    layer: str = ""
    """Sandbox layer of the bots."""


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Selection of matches to list, by deal and rotation."""

    entrants: tuple[int, ...] | None = None
    """Numbers of entrants: only matches in which any of them played; None for all."""
    deal: int | None = None
    """Only matches of this deal; None for all."""
    with_faults: bool = False
    """Only matches with a fault (of one of `entrants`, if given)."""
    after: tuple[int, int] | None = None
    """Deal and rotation of the match just before the page."""
    newest_first: bool = False
    """Whether the last match comes first."""
    limit: int = 50
    """Maximum number of matches."""


@dataclass(frozen=True, slots=True)
class FaultCount:
    """Number of an entrant's faults of one kind, with the latest example."""

    kind: str
    """One of `FaultKind`."""
    count: int
    """Number of faults."""
    reason: str
    """Reason of the latest such fault."""
    deal: int
    """Deal of the latest such fault."""
    rotation: int
    """Rotation of the latest such fault."""


@dataclass(frozen=True, slots=True)
class CompactDeals:
    """Results of many deals, one entry per deal in each field."""

    numbers: Sequence[int]
    """Numbers of the deals."""
    tables: Sequence[Sequence[int]]
    """Entrants by seat in rotation 0."""
    places: Sequence[bytes]
    """Places as bytes, per deal: byte r * seats + s is the place of seat s in rotation r."""


@dataclass(frozen=True, slots=True)
class PairDeal:
    """Result of one entrant against another in a deal, over all pairs of their seats, in the unit of scores."""

    deal: int
    """Number of the deal."""
    pairs: int
    """Number of pairs of matches compared."""
    half_wins: int
    """Half-wins: 2 for each pair in which the entrant was ahead, 1 for each tie."""
    lead: int
    """Sum of the entrant's leads."""
    squares: int
    """Sum of the squares of the entrant's leads."""

    @property
    def share(self) -> float:
        """Share of pairs in which the entrant was ahead; ties count half."""
        return self.half_wins / (2 * self.pairs)

    @property
    def mean_lead(self) -> float:
        """Mean of the entrant's leads."""
        return self.lead / self.pairs


@dataclass(frozen=True, slots=True)
class PairMatch:
    """Results of two entrants in a match."""

    deal: int
    """Number of the deal."""
    rotation: int
    """The rotation of the table."""
    a: float | None
    """Mean score of the first bot's seats; None if it did not play."""
    b: float | None
    """Mean score of the second bot's seats; None if it did not play."""


@dataclass(frozen=True, slots=True)
class ThinkingTime:
    """Thinking times of an entrant, in milliseconds."""

    matches: int
    """Number of matches evaluated."""
    decisions: int
    """Number of the bot's decisions in these matches."""
    mean_ms: float
    """Mean time of a decision in milliseconds."""
    slow_ms: int
    """95th percentile of the decision times in milliseconds."""
    most_ms: int
    """Time of the longest decision in milliseconds."""
