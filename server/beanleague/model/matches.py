"""Deals and matches, scheduled, played and stored, and the machines that play them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.games.records.faults import Fault
from beanleague.games.records.trade_flow import TradeFlow


@dataclass(frozen=True, slots=True)
class Node:
    """A machine that plays deals, as it was at that time."""

    name: str
    """Its name: that of the host, or the one that it was started with."""
    cpu: str
    """The model of its CPU."""
    beanleague: str
    """Version of Beanleague that it plays with."""
    python: str
    """Version of Python that Beanleague runs on there."""


@dataclass(frozen=True, slots=True)
class NodeTotals:
    """What a node did in a league."""

    node: Node
    """The node."""
    deals: int
    """Deals that it played and that count."""
    voids: int
    """Deals that had to be played again, because something other than a bot failed there."""
    faults: int
    """Faults of bots in the deals that count."""
    timeouts: int
    """How many of these faults were late answers, which a slow machine leads to."""


WIN = 420
"""A win is counted in 420ths, so that a first place shared by up to seven seats is a whole number."""


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
    """How often it had to be played again."""
    published: float = 0.0
    """When it was scheduled."""
    played: float | None = None
    """When its matches were committed, None before."""
    position: int | None = None
    """1, 2, ... in the order in which the deals of the league were committed; None before."""
    dropped: float | None = None
    """When it was given up: with an entrant who was suspended, or of a ladder and not played on its day."""
    node: Node | None = None
    """Who played it; None before, and of deals played by early versions."""


@dataclass(frozen=True, slots=True)
class Void:
    """A deal that had to be played again, because something other than a bot failed."""

    deal: int
    """Number of the deal."""
    reason: str
    """What failed."""
    happened: float
    """When it failed."""
    node: Node | None = None
    """Where it failed; None if that was stored by an early version."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a seat did in a match. Against the Bean Thief the Thief is the second seat."""

    entrant: int
    """`Entrant.number`; elsewhere than in a league, the number of the bot."""
    score: int
    """Its score, in the unit of the game."""
    place: int
    """1 is best; ties share a place."""
    decisions: int
    """How often it was asked."""
    faults: int
    """How many faults it had."""
    forfeited: bool
    """Whether it forfeited."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that was played, as the referee reports it and as it is committed with its deal."""

    id: int
    """The number of its task, unique in a pool."""
    record: bytes
    """A zlib-compressed `beanproto.v1.Record`."""
    seats: tuple[SeatResult, ...]
    """The results, seat by seat. Forfeited seats come last, and ties share a place."""
    faults: tuple[Fault, ...] = ()
    """All faults, in order."""
    flows: tuple[TradeFlow, ...] = ()
    """What the seats gave each other in trades."""
    layer: str = ""
    """Layer of the sandbox that the bots ran under."""


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal of which all matches were played."""

    number: int
    """Number of the deal."""
    seed: bytes
    """Its seed."""
    matches: tuple[PlayedMatch, ...]
    """All its matches, by rotation."""
    node: Node | None = None
    """Who played it."""


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
    """When its deal was committed."""
    layer: str = ""
    """Layer of the sandbox that the bots ran under."""


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list, by deal and rotation."""

    entrants: tuple[int, ...] | None = None
    """Matches that any of these sat in; None for all."""
    deal: int | None = None
    """Matches of this deal; None for all."""
    with_faults: bool = False
    """Only matches with a fault (of one of `entrants`, if given)."""
    after: tuple[int, int] | None = None
    """Deal and rotation of the match that the page begins after."""
    newest_first: bool = False
    """Whether the last match comes first."""
    limit: int = 50
    """Maximum number of matches."""


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How often an entrant had a kind of fault."""

    kind: str
    """One of `FaultKind`."""
    count: int
    """How many there were."""
    reason: str
    """The reason of the last one."""
    deal: int
    """The deal of the last one."""
    rotation: int
    """Its rotation."""


@dataclass(frozen=True, slots=True)
class CompactDeals:
    """The results of many deals: an entry a deal in each field."""

    numbers: Sequence[int]
    """Numbers of the deals."""
    tables: Sequence[Sequence[int]]
    """Entrants by seat in rotation 0."""
    places: Sequence[bytes]
    """A byte for each seat of each rotation with its place: that of seat s in rotation r is byte r * seats + s."""


@dataclass(frozen=True, slots=True)
class PairDeal:
    """How an entrant did against another in a deal: in each pair of their seats, in the unit of scores."""

    deal: int
    """Number of the deal."""
    pairs: int
    """How many pairs there are."""
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
    """What two entrants had in a match."""

    deal: int
    """Number of its deal."""
    rotation: int
    """The rotation of the table."""
    a: float | None
    """Mean score of the seats of the first; None if it did not sit in it."""
    b: float | None
    """The same of the second."""


@dataclass(frozen=True, slots=True)
class ThinkingTime:
    """How long an entrant thought about its decisions, in milliseconds."""

    matches: int
    """Matches that were looked at."""
    decisions: int
    """Its decisions in them."""
    mean_ms: float
    """Mean time of a decision."""
    slow_ms: int
    """95 % of the decisions took at most this."""
    most_ms: int
    """The longest."""
