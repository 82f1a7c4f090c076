"""Ladders: leagues without a last deal, whose entrants are called entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from beanleague.model.leagues import Change, ChangeKind, Entrant


class LadderState(StrEnum):
    """Whether a ladder is played."""

    OPEN = "open"
    """It is played whenever it is run."""
    PAUSED = "paused"
    """Nothing new is planned."""
    CLOSED = "closed"
    """For ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """What a ladder has beside what every league has."""

    state: str = LadderState.OPEN
    """One of `LadderState`."""
    reason: str = ""
    """Why it is not open; a sentence without a full stop."""
    per_owner: int = 2
    """How many bots of an owner play, the newest ones; those that are placed do not count."""
    versions_a_day: int = 3
    """How often an owner may enter versions in a day, for the first time or again."""
    cpu_hours: int = 8
    """How many hours the bots of an owner may think in a day of the ladder; beyond it they rest until tomorrow."""
    megabytes: int = 100
    """How large the bundles of an owner may be together, in units of 2^20 bytes."""
    share: int = 1
    """The part of the cores of a server that it has, beside those of the other ladders that are open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderDay:
    """A day of a ladder, whose secret decides the seeds of its deals."""

    number: int
    """1, 2, ...: days follow each other, whatever the clock says."""
    began: float
    """When its digest was published, by the clock of the machine."""
    digest: bytes
    """SHA-256 of its secret."""
    secret: bytes = field(repr=False)
    """32 bytes; nobody is shown them before the day has ended."""
    ended: float | None = None
    """When it ended; no deal of it is committed after that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderCheckpoint:
    """What was counted of a ladder when a day ended; see `league.ladder.checkpoints`."""

    day: int
    """Number of the day."""
    entrants: int
    """Entries that were counted."""
    deals: int
    """Deals that were planned by then: each is played or dropped."""
    position: int
    """Deals that were committed by then."""
    epochs: int
    """Epochs that were planned by then."""
    digest: bytes
    """SHA-256 of the checkpoint before, the day and this one: whoever knows it knows that none of them changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBlock:
    """Old records of a ladder that are kept together, without their events."""

    number: int
    """1, 2, ... in the ladder."""
    first: int
    """Its first deal: that after the last of the block before."""
    last: int
    """Its last deal."""
    matches: int
    """Matches whose records it holds. Others of these deals have theirs."""
    digest: bytes
    """SHA-256 of the digest before, the deals and the data: whoever knows it knows that no block so far changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightlyCheck:
    """Which pairs of bots were found to give each other too much, when a day of a ladder began."""

    day: int
    """Number of the day."""
    made: float
    """When it was done."""
    deals: int
    """Deals with trades that were compared: the newest; 0 if there was nothing to compare."""
    givers: tuple[int, ...]
    """Of each pair found, the number of the entry that gives."""
    receivers: tuple[int, ...]
    """Likewise, the number of the one that receives."""
    cents: tuple[int, ...]
    """Likewise, the excess in cents a match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderEpoch:
    """Tables of a ladder that were planned at once, and what they were planned from."""

    number: int
    """1, 2, ... in the ladder."""
    day: int
    """Number of its day."""
    first: int
    """Number of its first deal."""
    count: int
    """How many deals it has."""
    tables: int
    """How many it could have had; see `plans.Epoch`."""
    background: int
    """How many of them even if all were settled."""
    position: int
    """Deals that were committed when it was planned."""
    entries: bytes
    """Who could be seated, and what was known of each; see `ladder.inputs`."""
    made: float = 0.0
    """When it was planned."""


@dataclass(frozen=True, slots=True)
class EntryDeal:
    """How an entry did in a deal that was played."""

    deal: int
    """Number of the deal."""
    position: int
    """Its place in the order of commits."""
    mean_place: float
    """Mean of its places in the matches of the deal."""
    score: int
    """Its score in all of them."""
    matches: int
    """How many they are."""
    faults: int
    """Its faults in them."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """What was known of an entry when an epoch was planned."""

    deals: int
    """Deals that it had played."""
    rating: int
    """Its rating."""
    half_width: int
    """In Elo, of its difference from its neighbours."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """When an entry that is placing will be rated."""

    deals: int
    """About how many deals it still needs."""
    before: int
    """How many entries are placed before it."""
    first_seconds: float
    """Until its first result; 0 if that is not known."""
    rated_seconds: float
    """Until it is rated; 0 if that is not known."""


class EntryState(StrEnum):
    """Where an entry of a ladder is."""

    PLACING = "placing"
    """It is being placed, or waits for that."""
    RATED = "rated"
    """Its half-width against its neighbours is at most 40 Elo."""
    SETTLED = "settled"
    """At most 15."""
    PAUSED = "paused"
    """It is not seated for now."""
    SUSPENDED = "suspended"
    """It failed too often."""
    REPLACED = "replaced"
    """By a newer version."""
    LEFT = "left"
    """It was taken out."""

    @property
    def seated(self) -> bool:
        """Whether it is given tables."""
        return self is EntryState.PLACING or self.placed

    @property
    def gone(self) -> bool:
        """Whether deals that were planned with it are given up."""
        return self in {EntryState.SUSPENDED, EntryState.LEFT}

    @property
    def placed(self) -> bool:
        """Whether it is, and plays."""
        return self in {EntryState.RATED, EntryState.SETTLED}


@dataclass(frozen=True, slots=True)
class EntryDecision:
    """A change of an entry that follows from what was read before: it is stored only if that is true still."""

    entrant: Entrant
    """The entry, as it was read."""
    kind: ChangeKind
    """What happens to it."""
    reason: str
    """Why, in a few words."""
    because: tuple[Entrant, ...] = ()
    """Other entries from whose states it follows, as they were read."""


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
    """Return the state of each entry by number after some changes; one that plays again is placed again."""
    return {
        change.entrant: state_after(change.kind)
        for change in changes
        if change.entrant is not None and change.kind in _STATES
    }


def state_after(kind: str) -> EntryState:
    """Return the state of an entry whose last change is of this kind."""
    return _STATES[ChangeKind(kind)]


def states_of(entrants: Iterable[Entrant]) -> dict[int, EntryState]:
    """Return the state of each entry by number, as its last change has it."""
    return {entrant.number: state_after(entrant.last.kind) for entrant in entrants}
