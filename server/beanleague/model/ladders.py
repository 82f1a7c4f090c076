"""Ladders: leagues without a last deal, whose entrants are called entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from beanleague.model.leagues import Change, ChangeKind, Entrant


class LadderState(StrEnum):
    """State of a ladder: open, paused or closed."""

    OPEN = "open"
    """Deals are planned and played."""
    PAUSED = "paused"
    """No new deals are planned."""
    CLOSED = "closed"
    """Closed for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Settings and state of a ladder, in addition to the settings of its league."""

    state: str = LadderState.OPEN
    """One of `LadderState`."""
    reason: str = ""
    """Reason why it is paused or closed, a sentence without a full stop; "" if open."""
    per_owner: int = 2
    """Number of an owner's newest rated bots that stay in the field; bots in placement do not count."""
    versions_a_day: int = 3
    """Number of versions that an owner may enter per day, repeated entries included."""
    cpu_hours: int = 8
    """CPU hours that an owner's bots may use per day of the ladder; beyond that they rest until the next day."""
    megabytes: int = 100
    """Maximum total size of an owner's bundles, in MiB."""
    share: int = 1
    """Weight of the ladder when open ladders share a server's cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderDay:
    """A day of a ladder, whose secret decides the seeds of its deals."""

    number: int
    """1, 2, ... in the ladder; days need not be calendar days."""
    began: float
    """Time at which the secret's digest was published, by the machine's clock."""
    digest: bytes
    """SHA-256 of the day's secret."""
    secret: bytes = field(repr=False)
    """Secret of 32 bytes; not shown before the end of the day."""
    ended: float | None = None
    """Time at which the day ended; no deal of the day is committed afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderCheckpoint:
    """Counts of a ladder at the end of a day; see `league.ladder.checkpoints`."""

    day: int
    """Number of the day."""
    entrants: int
    """Number of entries counted so far."""
    deals: int
    """Number of deals planned so far; all of them were played or dropped."""
    position: int
    """Number of deals committed so far."""
    epochs: int
    """Number of epochs planned so far."""
    digest: bytes
    """SHA-256 over the previous checkpoint's digest, the day and this checkpoint. It authenticates all checkpoints so
    far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBlock:
    """Old records of a ladder, stored together without their events."""

    number: int
    """Number of the block in the ladder, from 1."""
    first: int
    """First deal of the block, which follows the last deal of the previous block."""
    last: int
    """Last deal."""
    matches: int
    """Number of matches whose records are in the block. Other matches of these deals have records of their own."""
    digest: bytes
    """SHA-256 over the previous block's digest, the deals and the data. It authenticates all blocks so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightlyCheck:
    """Pairs of bots flagged for excessive gifts by the check at the beginning of a ladder's day."""

    day: int
    """Number of the day."""
    made: float
    """Time of the check."""
    deals: int
    """Number of latest deals with trades that were examined; 0 if there were none."""
    givers: tuple[int, ...]
    """Number of the giving entry, for each flagged pair."""
    receivers: tuple[int, ...]
    """Number of the receiving entry, for each flagged pair."""
    cents: tuple[int, ...]
    """Excess in cents per match, for each flagged pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderEpoch:
    """Tables of a ladder that were planned together, and the inputs of the plan."""

    number: int
    """Number of the epoch in the ladder, from 1."""
    day: int
    """Number of the day to which it belongs."""
    first: int
    """Number of the first deal."""
    count: int
    """Number of deals."""
    tables: int
    """Maximum number of deals in the epoch; see `plans.Epoch`."""
    background: int
    """Number of deals that the epoch would have if all entries were settled."""
    position: int
    """Number of deals committed when the epoch was planned."""
    entries: bytes
    """Encoded entries that could be seated, with the certainty of their ratings; see `ladder.inputs`."""
    made: float = 0.0
    """Time of planning."""


@dataclass(frozen=True, slots=True)
class EntryDeal:
    """Result of an entry in a played deal."""

    deal: int
    """Number of the deal."""
    position: int
    """Position of the deal in the order of commits."""
    mean_place: float
    """Mean place of the entry in the matches of the deal."""
    score: int
    """Total score of the entry in the deal."""
    matches: int
    """Number of matches that the entry played in the deal."""
    faults: int
    """Number of faults of the entry in the deal."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """Certainty of an entry's rating when an epoch was planned."""

    deals: int
    """Deals played so far."""
    rating: int
    """Rating in Elo."""
    half_width: int
    """Half-width of the difference from its neighbours, in Elo."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Forecast of the rating of an entry in placement."""

    deals: int
    """Approximate number of deals that the entry still needs."""
    before: int
    """Number of entries to be placed before this one."""
    first_seconds: float
    """Seconds until the entry's first result; 0 if unknown."""
    rated_seconds: float
    """Seconds until the entry is rated; 0 if unknown."""


class EntryState(StrEnum):
    """State of an entry of a ladder."""

    PLACING = "placing"
    """In placement, or in the queue for it."""
    RATED = "rated"
    """Rated: the half-width against its neighbours is at most 40 Elo."""
    SETTLED = "settled"
    """Settled: the half-width against its neighbours is at most 15 Elo."""
    PAUSED = "paused"
    """Not seated for now."""
    SUSPENDED = "suspended"
    """Suspended after too many failures."""
    REPLACED = "replaced"
    """Replaced by a newer version."""
    LEFT = "left"
    """Withdrawn by its owner or an organiser."""

    @property
    def seated(self) -> bool:
        """Whether the entry gets tables."""
        return self is EntryState.PLACING or self.placed

    @property
    def gone(self) -> bool:
        """Whether planned deals with the entry are dropped."""
        return self in {EntryState.SUSPENDED, EntryState.LEFT}

    @property
    def placed(self) -> bool:
        """Whether the entry plays and has completed its placement."""
        return self in {EntryState.RATED, EntryState.SETTLED}


@dataclass(frozen=True, slots=True)
class EntryDecision:
    """A change of an entry that was derived from stored states, and is stored only if these are unchanged."""

    entrant: Entrant
    """The entry as it was read."""
    kind: ChangeKind
    """Kind of change to make."""
    reason: str
    """Reason for the change, in a few words."""
    because: tuple[Entrant, ...] = ()
    """Other entries, as they were read, on whose states the decision depends."""


_STATES = {
    ChangeKind.JOINED: EntryState.PLACING,
    ChangeKind.RATED: EntryState.RATED,
    ChangeKind.SETTLED: EntryState.SETTLED,
    ChangeKind.PAUSED: EntryState.PAUSED,
    ChangeKind.RESTED: EntryState.PAUSED,
    ChangeKind.SUSPENDED: EntryState.SUSPENDED,
    ChangeKind.EXCLUDED: EntryState.SUSPENDED,
    ChangeKind.REPLACED: EntryState.REPLACED,
    ChangeKind.LEFT: EntryState.LEFT,
    ChangeKind.LIFTED: EntryState.PLACING,
    ChangeKind.RESUMED: EntryState.PLACING,
    ChangeKind.RETURNED: EntryState.PLACING,
}


def entry_states(changes: Iterable[Change]) -> dict[int, EntryState]:
    """Return the state of each entry by number after these changes; a returning entry is placed again."""
    return {
        change.entrant: state_after(change.kind)
        for change in changes
        if change.entrant is not None and change.kind in _STATES
    }


def state_after(kind: str) -> EntryState:
    """Return the state of an entry whose last change is of this kind."""
    return _STATES[ChangeKind(kind)]


def is_member(kind: str) -> bool:
    """Return whether an entry is in the field after a change of this kind: seated, or resting until the next day."""
    return state_after(kind).seated or kind == ChangeKind.RESTED


def members(entrants: Iterable[Entrant]) -> list[int]:
    """Return the numbers of the entries in the field."""
    return [entrant.number for entrant in entrants if is_member(entrant.last.kind)]


def states_of(entrants: Iterable[Entrant]) -> dict[int, EntryState]:
    """Return the state of each entry by number, from its last change."""
    return {entrant.number: state_after(entrant.last.kind) for entrant in entrants}
