"""Ladders: leagues without a last deal, whose entrants are called entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from beanleague.model.leagues import Change, ChangeKind, Entrant


class LadderState(StrEnum):
    """State of a ladder: open, paused or closed."""

    OPEN = "open"
    """Runs play it."""
    PAUSED = "paused"
    """Runs plan no new deals."""
    CLOSED = "closed"
    """Ended for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Settings and state of a ladder in addition to those of its league."""

    state: str = LadderState.OPEN
    """One of `LadderState`."""
    reason: str = ""
    """Reason for not being open; a sentence without a full stop."""
    per_owner: int = 2
    """Number of an owner's rated bots that play, the latest ones; bots being placed do not count."""
    versions_a_day: int = 3
    """Entries of versions that an owner may make per day, first or repeated."""
    cpu_hours: int = 8
    """CPU hours that the bots of an owner may use per day of the ladder; beyond it they rest until the next day."""
    megabytes: int = 100
    """Total size of an owner's bundles, in units of 2^20 bytes."""
    share: int = 1
    """Weight of the ladder in the distribution of a server's cores among open ladders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderDay:
    """A day of a ladder, whose secret decides the seeds of its deals."""

    number: int
    """1, 2, ...: consecutive, independent of the calendar."""
    began: float
    """Time at which its digest was published, by the machine's clock."""
    digest: bytes
    """SHA-256 of its secret."""
    secret: bytes = field(repr=False)
    """32 bytes; not shown before the end of the day."""
    ended: float | None = None
    """Time of its end; no deal of the day is committed afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderCheckpoint:
    """Counts of a ladder at the end of a day; see `league.ladder.checkpoints`."""

    day: int
    """Number of the day."""
    entrants: int
    """Number of entries counted."""
    deals: int
    """Deals planned so far, all of them played or dropped."""
    position: int
    """Deals committed so far."""
    epochs: int
    """Epochs planned so far."""
    digest: bytes
    """SHA-256 of the previous digest, the day and this checkpoint: knowing it proves that none of them changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBlock:
    """Old records of a ladder, stored together without their events."""

    number: int
    """1, 2, ... in the ladder."""
    first: int
    """First deal: the one after the previous block."""
    last: int
    """Last deal."""
    matches: int
    """Number of matches with records in it. Other matches of these deals have records of their own."""
    digest: bytes
    """SHA-256 of the previous digest, the deals and the data: knowing it proves that no block so far changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightlyCheck:
    """Pairs of bots found to give each other too much, checked at the beginning of a ladder's day."""

    day: int
    """Number of the day."""
    made: float
    """Time of the check."""
    deals: int
    """Latest deals with trades that were compared; 0 if there was nothing to compare."""
    givers: tuple[int, ...]
    """Number of the giving entry, by flagged pair."""
    receivers: tuple[int, ...]
    """Number of the receiving entry, by flagged pair."""
    cents: tuple[int, ...]
    """Excess in cents per match, by flagged pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderEpoch:
    """Tables of a ladder that were planned together, and the inputs of the plan."""

    number: int
    """1, 2, ... in the ladder."""
    day: int
    """Number of its day."""
    first: int
    """Number of its first deal."""
    count: int
    """Number of deals."""
    tables: int
    """Largest number of deals allowed for the epoch; see `plans.Epoch`."""
    background: int
    """Number of these deals if all entries were settled."""
    position: int
    """Deals committed at the time of planning."""
    entries: bytes
    """Entries that could be seated, with their certainty; see `ladder.inputs`."""
    made: float = 0.0
    """Time of planning."""


@dataclass(frozen=True, slots=True)
class EntryDeal:
    """Result of an entry in a played deal."""

    deal: int
    """Number of the deal."""
    position: int
    """Its position in the order of commits."""
    mean_place: float
    """Mean of its places in the matches of the deal."""
    score: int
    """Its score in all of them."""
    matches: int
    """Number of these matches."""
    faults: int
    """Its faults in them."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """Certainty of an entry's rating when an epoch was planned."""

    deals: int
    """Deals played."""
    rating: int
    """Rating."""
    half_width: int
    """Half-width of its difference from its neighbours, in Elo."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Forecast of the rating of an entry in placement."""

    deals: int
    """Approximate number of deals still needed."""
    before: int
    """Number of entries to be placed before it."""
    first_seconds: float
    """Seconds until its first result; 0 if unknown."""
    rated_seconds: float
    """Seconds until it is rated; 0 if unknown."""


class EntryState(StrEnum):
    """State of an entry of a ladder."""

    PLACING = "placing"
    """In placement, or waiting for it."""
    RATED = "rated"
    """Its half-width against its neighbours is at most 40 Elo."""
    SETTLED = "settled"
    """Its half-width against its neighbours is at most 15 Elo."""
    PAUSED = "paused"
    """Not seated for now."""
    SUSPENDED = "suspended"
    """Suspended after too many failures."""
    REPLACED = "replaced"
    """Replaced by a newer version."""
    LEFT = "left"
    """Withdrawn."""

    @property
    def seated(self) -> bool:
        """Whether it gets tables."""
        return self is EntryState.PLACING or self.placed

    @property
    def gone(self) -> bool:
        """Whether planned deals with it are dropped."""
        return self in {EntryState.SUSPENDED, EntryState.LEFT}

    @property
    def placed(self) -> bool:
        """Whether it plays with a completed placement."""
        return self in {EntryState.RATED, EntryState.SETTLED}


@dataclass(frozen=True, slots=True)
class EntryDecision:
    """A change of an entry that was derived from stored states, and is stored only if these are unchanged."""

    entrant: Entrant
    """The entry as read."""
    kind: ChangeKind
    """Kind of change."""
    reason: str
    """Reason in a few words."""
    because: tuple[Entrant, ...] = ()
    """Other entries, as read, on whose states the decision depends."""


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
    """Return the state of an entry after a last change of this kind."""
    return _STATES[ChangeKind(kind)]


def members(entrants: Iterable[Entrant]) -> list[int]:
    """Return the entries of the field: all that are seated, or rest until the next day."""
    return [
        entrant.number
        for entrant in entrants
        if state_after(entrant.last.kind).seated or entrant.last.kind == ChangeKind.RESTED
    ]


def states_of(entrants: Iterable[Entrant]) -> dict[int, EntryState]:
    """Return the state of each entry by number, from its last change."""
    return {entrant.number: state_after(entrant.last.kind) for entrant in entrants}
