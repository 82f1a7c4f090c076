"""Leagues, their entrants and changes, runs, and ratings on the Elo scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from math import factorial
from typing import Any

from beanleague.games.families import RULES_VERSION
from beanleague.names import format_bot

RELIABLE_DEALS = 30
"""Number of deals below which results are unreliable: ratings are provisional, and luck is not shown."""
THIEF = "Bean Thief"
"""Name of the Bean Thief, an entrant of solo leagues. No bot can have this name."""

MIN_SECRET_BYTES, MAX_SECRET_BYTES = 16, 64
"""Minimum and maximum length of a master secret in bytes."""

LEAGUE, GAUNTLET, COMPARISON, LADDER = "league", "gauntlet", "comparison", "ladder"
"""Names of the formats: all against all, one bot against the field, a test of two bots, and a league without a last
deal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Facts that follow from the format of a league; the defaults describe a league of all against all."""

    has_standings: bool = True
    """Whether its bots are rated and ranked."""
    has_entries: bool = False
    """Whether authors enter bots themselves; entries then have states and reasons."""
    endless: bool = False
    """Whether it has no last deal: deals are planned while it is played."""
    compares: bool = False
    """Whether it tests entrants 0 and 1 against each other; they take all seats not taken by fillers."""
    one_version: bool = True
    """Whether a newer version of a bot replaces the older one."""


PLAIN = Traits()
"""Default traits, of formats that have no entry in `TRAITS`."""

TRAITS: Mapping[str, Traits] = {
    COMPARISON: Traits(has_standings=False, compares=True, one_version=False),
    LADDER: Traits(has_entries=True, endless=True, one_version=False),
}
"""Traits by format, where they differ from `PLAIN`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueSettings:
    """Settings that a request for a league and the league itself share."""

    ruleset: str
    """Id of the ruleset."""
    seats: int = 0
    """Bots per table. With one seat it is a *solo* league: every bot plays each deal by itself, against the Thief.

    0 in a request: the number of bots, up to the game's maximum.
    """
    options: Mapping[str, int | str] = field(default_factory=dict)
    """Options of the game."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Resource limits of a bot: fields of `Limits` by name. A request gives only limits that differ from the
    defaults."""
    secret: bytes = b""
    """Master secret from which every seed is derived. Empty in a request: choose a random one."""
    deals: int = 0
    """Number of deals in the league. 0 in a request: see `LeagueRequest.repeats`."""
    show_names: bool = False
    """Whether bots see the names of their opponents."""
    all_seatings: bool = False
    """Whether a deal is played in all orders of its bots, not only in rotations."""
    isolate: bool = False
    """Whether rotations of a deal never share a bot process, and all files that bots read are in memory."""
    mix_owners: bool = False
    """Whether bots of one owner may share a table even if there are enough others."""
    one_cpu: bool = False
    """Whether all deals are played on one model of CPU, which the first deal decides."""

    def settings(self) -> dict[str, Any]:
        """Return the settings by name."""
        return {each.name: getattr(self, each.name) for each in fields(LeagueSettings)}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueRequest(LeagueSettings):
    """A request for a new league. Bots are written as "name" or "name@version"."""

    name: str
    """Name of the league."""
    bots: tuple[str, ...] = ()
    """Entrants; empty for the newest version of every bot that plays the game."""
    repeats: int = 0
    """Number of times that every table is played, if `deals` is 0; 0 means once."""
    gauntlet: str = ""
    """In a gauntlet, the bot at every table; "" for a league of all against all."""
    anchor: str = ""
    """Bot whose rating is fixed; "" for the default of `create`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSettings(LeagueSettings):
    """Settings of a stored league. Entrants are numbered from 0."""

    name: str
    """Name of the league."""
    format: str = LEAGUE
    """Name of the league's format, e.g. `LEAGUE`."""
    hero: int | None = None
    """In a gauntlet, the entrant at every table; else None."""
    test: Mapping[str, Any] = field(default_factory=dict)
    """In a comparison of entrants 0 and 1, the fields of the `SequentialTest`."""
    anchor: tuple[int, ...] = ()
    """Entrants whose mean rating is fixed; empty if the mean of all ratings is fixed."""
    rules: int = RULES_VERSION
    """Version of the rules; see `beanleague.games.RULES_VERSION`."""
    cpu: str = ""
    """CPU model of all deals if `one_cpu` is set; "" before the first deal."""

    @property
    def traits(self) -> Traits:
        """Facts that follow from the league's format."""
        return TRAITS.get(self.format, PLAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLeague(StoredSettings):
    """A league to store."""

    versions: tuple[int, ...]
    """`BotVersion.id` of each entrant. Solo leagues have the Bean Thief as an additional, last entrant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class League(StoredSettings):
    """A stored league."""

    id: int
    """Primary key in the store."""
    created: float
    """Time of creation."""
    deals_done: int
    """Number of deals committed."""
    matches_done: int
    """Number of matches committed."""
    entrants: int
    """Number of entrants, the Bean Thief of a solo league included."""
    seated: int
    """Number of entrants that are neither retired nor suspended."""
    hidden: bool = False
    """Whether lists leave it out."""

    @property
    def solo(self) -> bool:
        """Whether every bot plays each deal alone, against the Bean Thief."""
        return self.seats == 1

    @property
    def matches_a_deal(self) -> int:
        """Number of matches in each future deal."""
        if self.traits.compares:
            # A A B B equals its reverse; with fillers or an odd number of seats, both directions are played.
            return self.seats if self.entrants == 2 and self.seats % 2 == 0 else 2 * self.seats
        if self.solo:
            return self.seated - 1
        return factorial(self.seats) if self.all_seatings else self.seats

    @property
    def matches(self) -> int:
        """Total number of matches of the league with its present entrants."""
        return self.matches_done + (self.deals - self.deals_done) * self.matches_a_deal


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals of an entrant's matches."""

    deals: int
    """Number of deals that the entrant took part in."""
    matches: int
    """Matches played."""
    score: int
    """Sum of the entrant's scores."""
    wins: int
    """Wins, each counted as `WIN`; a shared win counts as a fraction of it."""
    decisions: int
    """Number of decisions."""
    faults: int
    """Number of faults."""
    faulted: int
    """Number of matches with at least one fault."""
    forfeits: int
    """Number of matches forfeited."""


@dataclass(frozen=True, slots=True)
class Forfeits:
    """Forfeits of an entrant since it joined, or since its last suspension was lifted."""

    matches: int
    """Number of matches played."""
    forfeits: int
    """Number of matches forfeited."""
    in_a_row: int
    """Longest run of consecutive forfeits."""
    latest_in_a_row: int = 0
    """Length of the run of forfeits up to the latest match."""

    def after(self, *, forfeited: bool) -> Forfeits:
        """Return the counts after one more match."""
        latest = self.latest_in_a_row + 1 if forfeited else 0
        return Forfeits(self.matches + 1, self.forfeits + forfeited, max(self.in_a_row, latest), latest)


@dataclass(frozen=True, slots=True)
class Suspension:
    """Suspension of an entrant after too many forfeits."""

    entrant: int
    """Number of the suspended entrant."""
    deal: int
    """Number of the deal that caused the suspension."""
    why: str
    """Reason for the suspension; not empty."""


class ChangeKind(StrEnum):
    """Kinds of changes of a league's entrants."""

    DEALS = "deals"
    """The number of deals was set."""
    JOINED = "joined"
    """An entrant joined; older versions of the same bot retire."""
    SUSPENDED = "suspended"
    """An entrant was suspended automatically."""
    EXCLUDED = "excluded"
    """An entrant was suspended by an organiser."""
    DROPPED = "dropped"
    """Published deals were dropped before their start: the entrant was suspended, or had left a ladder."""
    LIFTED = "lifted"
    """A suspension was lifted."""
    RATED = "rated"
    """An entry of a ladder became rated: after its placement, or because it is no longer settled."""
    SETTLED = "settled"
    """An entry of a ladder became settled."""
    PAUSED = "paused"
    """An entry of a ladder is paused: its owner has enough newer entries."""
    RESTED = "rested"
    """An entry of a ladder rests until the next day: its owner's bots have used their CPU hours."""
    RESUMED = "resumed"
    """A resting entry of a ladder is seated again."""
    RETURNED = "returned"
    """A paused or withdrawn entry of a ladder was entered again."""
    REPLACED = "replaced"
    """A newer version replaced an entrant."""
    LEFT = "left"
    """An entrant was withdrawn."""


SUSPENSIONS = frozenset({ChangeKind.SUSPENDED, ChangeKind.EXCLUDED})
"""Changes that suspend an entrant."""
RETIREMENTS = frozenset({ChangeKind.PAUSED, ChangeKind.RESTED, ChangeKind.REPLACED, ChangeKind.LEFT})
"""Changes that end the seating of an entrant without suspending it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a league's entrants. The changes together determine the tables of its deals."""

    number: int
    """Number of the change in the league, from 1."""
    kind: str
    """One of `ChangeKind`."""
    entrant: int | None
    """Number of the entrant that the change concerns; None for a new number of deals."""
    deals: int | None
    """The league's new number of deals; None for a change of an entrant."""
    scheduled: int
    """Number of deals scheduled before the change."""
    position: int | None
    """Number of deals committed before the change; the last of these caused a suspension. None for a new number of
    deals."""
    reason: str = ""
    """Reason in a few words, for ladder entries and dropped deals."""
    happened: float = 0.0
    """Time of the change."""


_JOINED = Change(0, ChangeKind.JOINED, None, None, 0, 0)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version of a bot in a league, or the Bean Thief."""

    number: int
    """Number of the entrant in the league, from 0."""
    version_id: int | None
    """`BotVersion.id`; None for the Bean Thief."""
    bot: str
    """Name of the bot, or `THIEF`."""
    version: int
    """`BotVersion.number`; 0 for the Bean Thief."""
    owner: str = ""
    """Name of the author who owns the bot, "" for organisers."""
    last: Change = _JOINED
    """Latest change of the entrant, apart from dropped deals. It alone determines whether the entrant is seated."""

    @property
    def retired(self) -> bool:
        """Whether the entrant was withdrawn, replaced or paused."""
        return self.last.kind in RETIREMENTS

    @property
    def suspended(self) -> str:
        """Reason for the entrant's suspension; "" if not suspended."""
        return (self.last.reason or self.last.kind) if self.last.kind in SUSPENSIONS else ""

    @property
    def active(self) -> bool:
        """Whether the entrant is seated."""
        return not (self.retired or self.suspended)

    @property
    def label(self) -> str:
        """Name of the entrant in records, also shown to other bots if the league shows names."""
        return format_bot(self.bot, self.version)

    def is_meant_by(self, bot: str) -> bool:
        """Return whether `bot`, "name" for any version or "name@version", means this entrant."""
        return bot in {self.bot, self.label}


@dataclass(frozen=True, slots=True)
class Run:
    """The current run of a league, or the last one if it failed."""

    process: int
    """Process id of the run."""
    host: str
    """Name of the run's host."""
    alive: bool
    """Whether the run is alive, as far as known; a run on another machine counts as alive if it has reported
    recently."""
    progress: bytes
    """Latest progress report; b"" before the first."""
    stopping: bool
    """Whether a stop was requested."""
    error: str
    """Reason for the run's failure; "" if it has not failed."""

    @property
    def named(self) -> str:
        """Process and host of the run, for messages."""
        return f"process {self.process} on {self.host}"


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating of an entrant."""

    entrant: int
    """Number of the entrant."""
    rating: float
    """Rating in Elo. With `least` or `most`, or without `interval`, it reflects the prior, and only its order has
    meaning."""
    interval: float | None
    """Half the width of the rating's 95 % interval; None if there is none."""
    best_rank: int
    """1 + number of entrants that are better with more than 97.5 % probability."""
    worst_rank: int
    """Number of entrants, minus the number of entrants that are worse with more than 97.5 % probability."""
    least: float | None = None
    """Lower 95 % bound of the rating, for an entrant that never lost to the anchor's group."""
    most: float | None = None
    """Upper 95 % bound of the rating, for an entrant that never won against the anchor's group."""
    anchor: bool = False
    """Whether the rating is the base value by definition."""
    provisional: bool = False
    """Whether the entrant has few deals, or its differences from both neighbours are uncertain."""
    effective: float | None = None
    """Effective deals of a ladder entry: the number of equally weighted deals that would give the same certainty."""


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """Effect of a seat compared with the mean seat."""

    seats: int
    """Number of seats at the table."""
    seat: int
    """The seat."""
    elo: float
    """Advantage of the seat, in Elo."""
    interval: float
    """Half the width of the 95 % interval of `elo`."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The ratings of a league after a number of deals."""

    deals: int
    """Number of deals rated."""
    ratings: tuple[Rating, ...]
    """Rating of each entrant."""
    created: float
    """Time of computation."""
    seats: tuple[SeatEffect, ...] = ()
    """Advantage of each seat."""
    luck: float | None = None
    """Share of a result's variance that is due to the luck of seat and deal; None if unknown."""

    @property
    def reliable_luck(self) -> float | None:
        """Share of luck; None if there are too few deals for a reliable figure."""
        return self.luck if self.deals >= RELIABLE_DEALS else None
