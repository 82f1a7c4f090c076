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
    """Its name: the host's, or the one given at its start."""
    cpu: str
    """The model of its CPU."""
    beanleague: str
    """Version of Beanleague on it."""
    python: str
    """Version of Python on it."""


@dataclass(frozen=True, slots=True)
class NodeTotals:
    """Totals of a node in a league."""

    node: Node
    """The node."""
    deals: int
    """Deals played by it that count."""
    voids: int
    """Deals that had to be repeated, because something other than a bot failed on it."""
    faults: int
    """Faults of bots in the deals that count."""
    timeouts: int
    """Faults among these that were timeouts, which a slow machine can cause."""


WIN = 420
"""A win counts 420, so that a first place shared by up to seven seats is a whole number."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal of a league. Only the first three fields are given when it is scheduled."""

    number: int
    """1, 2, ... in the league."""
    table: tuple[int, ...]
    """Entrants by seat in rotation 0."""
    seed_digest: bytes
    """SHA-256 of its seed."""
    seed: bytes | None = None
    """Its seed; None until it was played."""
    voids: int = 0
    """Number of failed attempts, after which it was repeated."""
    published: float = 0.0
    """Time of scheduling."""
    played: float | None = None
    """Time at which its matches were committed; None before."""
    position: int | None = None
    """1, 2, ... in the order of commits; None before."""
    dropped: float | None = None
    """Time at which it was dropped: an entrant was suspended, or it is of a ladder and was not played on its day."""
    node: Node | None = None
    """Node that played it; None before, and for deals played by early versions."""


ON_ACCOUNT_OF = "on account of "
"""Begins the reason of a void that a bot may have brought about; its label and ": " follow."""


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
    """`Entrant.number`; outside of leagues, the number of the bot."""
    score: int
    """Its score, in the unit of the game."""
    place: int
    """1 is best; ties share a place."""
    decisions: int
    """Number of decisions."""
    faults: int
    """Number of faults."""
    forfeited: bool
    """Whether it forfeited."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match, as reported by the referee and committed with its deal."""

    id: int
    """The number of its task, unique in a pool."""
    record: bytes
    """A zlib-compressed `beanproto.v1.Record`."""
    seats: tuple[SeatResult, ...]
    """The results, seat by seat. Forfeited seats come last, and ties share a place."""
    faults: tuple[Fault, ...] = ()
    """All faults, in order."""
    flows: tuple[TradeFlow, ...] = ()
    """Value traded between pairs of seats."""
    layer: str = ""
    """Sandbox layer of the bots."""


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal all of whose matches have been played."""

    number: int
    """Number of the deal."""
    seed: bytes
    """Its seed."""
    matches: tuple[PlayedMatch, ...]
    """All its matches, by rotation."""
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
    """Matches of any of these entrants; None for all."""
    deal: int | None = None
    """Matches of this deal; None for all."""
    with_faults: bool = False
    """Only matches with a fault (of one of `entrants`, if given)."""
    after: tuple[int, int] | None = None
    """Deal and rotation of the match before the page."""
    newest_first: bool = False
    """Whether the last match comes first."""
    limit: int = 50
    """Maximum number of matches."""


@dataclass(frozen=True, slots=True)
class FaultCount:
    """Number of an entrant's faults of one kind."""

    kind: str
    """One of `FaultKind`."""
    count: int
    """Number of faults."""
    reason: str
    """Reason of the last one."""
    deal: int
    """The deal of the last one."""
    rotation: int
    """Its rotation."""


@dataclass(frozen=True, slots=True)
class CompactDeals:
    """Results of many deals, one entry per deal in each field."""

    numbers: Sequence[int]
    """Numbers of the deals."""
    tables: Sequence[Sequence[int]]
    """Entrants by seat in rotation 0."""
    places: Sequence[bytes]
    """A byte with the place for each seat of each rotation: seat s in rotation r is byte r * seats + s."""


@dataclass(frozen=True, slots=True)
class PairDeal:
    """Result of an entrant against another in a deal, over all pairs of their seats, in the unit of scores."""

    deal: int
    """Number of the deal."""
    pairs: int
    """Number of pairs."""
    half_wins: int
    """2 for each pair in which it was ahead, 1 for each tie."""
    lead: int
    """Sum of its leads."""
    squares: int
    """Sum of the squares of its leads."""

    @property
    def share(self) -> float:
        """Share of the pairs in which it was ahead; ties count half."""
        return self.half_wins / (2 * self.pairs)

    @property
    def mean_lead(self) -> float:
        """Mean of its leads."""
        return self.lead / self.pairs


@dataclass(frozen=True, slots=True)
class PairMatch:
    """Results of two entrants in a match."""

    deal: int
    """Number of its deal."""
    rotation: int
    """The rotation of the table."""
    a: float | None
    """Mean score of the seats of the first; None if it did not play."""
    b: float | None
    """Mean score of the seats of the second; None if it did not play."""


@dataclass(frozen=True, slots=True)
class ThinkingTime:
    """Thinking times of an entrant, in milliseconds."""

    matches: int
    """Matches evaluated."""
    decisions: int
    """Its decisions in them."""
    mean_ms: float
    """Mean time of a decision."""
    slow_ms: int
    """95th percentile of the decision times."""
    most_ms: int
    """Longest decision."""
