"""Leagues, who plays in them, and ratings, on the Elo scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from math import factorial
from typing import Any

from beanleague.games.families import RULES_VERSION
from beanleague.names import format_bot

RELIABLE_DEALS = 30
"""What fewer deals say is not reliable yet: ratings from them are provisional, and luck is not shown."""
THIEF = "Bean Thief"
"""The name of the entrant of solo leagues that is not a bot. No bot can have this name."""

MIN_SECRET_BYTES, MAX_SECRET_BYTES = 16, 64
"""How many bytes a master secret has."""

LEAGUE, GAUNTLET, COMPARISON, LADDER = "league", "gauntlet", "comparison", "ladder"
"""Formats: everybody against everybody, one bot against the field, a test of two bots, and one without a last deal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueSettings:
    """The settings of a league, in a request for one and in the league itself."""

    ruleset: str
    """Id of the ruleset."""
    seats: int = 0
    """Bots at a table. With one seat it is a *solo* league: every bot plays each deal by itself, against the Thief.

    0 in a request: the number of bots, up to the game's maximum.
    """
    options: Mapping[str, int | str] = field(default_factory=dict)
    """Options of the game."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """What a bot may use: fields of `Limits` by name. In a request: those that differ from the default."""
    secret: bytes = b""
    """The master secret that decides every seed. Empty in a request: a random one."""
    deals: int = 0
    """Number of deals in the league. 0 in a request: see `LeagueRequest.repeats`."""
    show_names: bool = False
    """Whether bots see the names of their opponents."""
    all_seatings: bool = False
    """Whether a deal is played in every order of its bots, not only in the rotations of one."""
    isolate: bool = False
    """Whether no process of a bot is alive in two rotations of a deal, and all that bots read is held in memory."""
    mix_owners: bool = False
    """Whether bots of one owner may share a table while there are enough others."""
    one_cpu: bool = False
    """Whether all deals are played on one model of CPU: that of the first."""

    def settings(self) -> dict[str, Any]:
        """Return the settings by name."""
        return {each.name: getattr(self, each.name) for each in fields(LeagueSettings)}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueRequest(LeagueSettings):
    """A request for a new league. Bots are written as "name" or "name@version"."""

    name: str
    """Name of the league."""
    bots: tuple[str, ...] = ()
    """Who plays; empty for the newest version of every bot that plays the game."""
    repeats: int = 0
    """How often to play every table, if `deals` is 0; 0 for once."""
    gauntlet: str = ""
    """A bot that sits at every table; "" for a league of all against all."""
    anchor: str = ""
    """The bot whose rating is fixed; "" for the default of `create`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSettings(LeagueSettings):
    """The settings of a league as they are stored. Entrants are numbered from 0."""

    name: str
    """Name of the league."""
    format: str = LEAGUE
    """One of `LEAGUE`, `GAUNTLET`, `COMPARISON` and `LADDER`."""
    hero: int | None = None
    """In a gauntlet the entrant at every table, else None."""
    test: Mapping[str, Any] = field(default_factory=dict)
    """In a comparison of entrants 0 and 1 the test: the fields of `SequentialTest`."""
    anchor: tuple[int, ...] = ()
    """Entrants whose mean rating is fixed; empty for all."""
    rules: int = RULES_VERSION
    """The version of the rules it is played by; see `beanleague.games.RULES_VERSION`."""
    cpu: str = ""
    """With `one_cpu` the model of CPU that all deals are played on, "" before the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLeague(StoredSettings):
    """A league to be stored."""

    versions: tuple[int, ...]
    """`BotVersion.id` of each entrant. In a solo league the Bean Thief is one entrant more, the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class League(StoredSettings):
    """A league."""

    id: int
    """Primary key in the store."""
    created: float
    """When it was created."""
    deals_done: int
    """Deals committed."""
    matches_done: int
    """Matches committed."""
    entrants: int
    """Number of entrants, the Bean Thief of a solo league included."""
    seated: int
    """How many of them are neither retired nor suspended."""
    hidden: bool = False
    """Whether lists leave it out."""

    @property
    def solo(self) -> bool:
        """Whether every bot plays each deal by itself, against the Bean Thief."""
        return self.seats == 1

    @property
    def matches_a_deal(self) -> int:
        """How many matches each deal to come has."""
        if self.format == COMPARISON:
            # A A B B is the same the other way round; with fillers, or seats left over, both ways are played.
            return self.seats if self.entrants == 2 and self.seats % 2 == 0 else 2 * self.seats
        if self.solo:
            return self.seated - 1
        return factorial(self.seats) if self.all_seatings else self.seats

    @property
    def matches(self) -> int:
        """How many matches the league has in all, as things stand."""
        return self.matches_done + (self.deals - self.deals_done) * self.matches_a_deal


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums over an entrant's matches."""

    deals: int
    """Deals that it took part in."""
    matches: int
    """Matches that it played."""
    score: int
    """Sum of its scores."""
    wins: int
    """Its wins, each counted as `WIN`; shared ones as a part of that."""
    decisions: int
    """How often it was asked."""
    faults: int
    """How many faults it had."""
    faulted: int
    """Matches in which it had a fault."""
    forfeits: int
    """Matches that it forfeited."""


@dataclass(frozen=True, slots=True)
class Forfeits:
    """How often an entrant forfeited since it joined, or since a suspension was lifted."""

    matches: int
    """Matches that it played."""
    forfeits: int
    """How many of these matches it forfeited."""
    in_a_row: int
    """The longest run of matches that it forfeited one after the other."""
    latest_in_a_row: int = 0
    """Length of the run that ends with its last match."""

    def after(self, *, forfeited: bool) -> Forfeits:
        """Return the counts after one more match."""
        latest = self.latest_in_a_row + 1 if forfeited else 0
        return Forfeits(self.matches + 1, self.forfeits + forfeited, max(self.in_a_row, latest), latest)


@dataclass(frozen=True, slots=True)
class Suspension:
    """An entrant that is no longer seated, because it forfeited too often."""

    entrant: int
    """`Entrant.number`."""
    deal: int
    """Number of the deal with which that happened."""
    why: str
    """The reason; not empty."""


class ChangeKind(StrEnum):
    """What can change who is seated in a league."""

    DEALS = "deals"
    """Its number of deals was set."""
    JOINED = "joined"
    """An entrant joined; older versions of the bot are retired."""
    SUSPENDED = "suspended"
    """An entrant was suspended."""
    EXCLUDED = "excluded"
    """An entrant was suspended by an organiser."""
    DROPPED = "dropped"
    """Deals that were published, and not begun, were given up: the entrant was suspended, or had left a ladder."""
    LIFTED = "lifted"
    """A suspension was lifted."""
    RATED = "rated"
    """An entry of a ladder is rated: it was placed, or is not settled any more."""
    SETTLED = "settled"
    """An entry of a ladder is settled."""
    PAUSED = "paused"
    """An entry of a ladder is not seated for now: its owner has enough newer ones."""
    RESTED = "rested"
    """An entry of a ladder is not seated until tomorrow: the bots of its owner have thought for too long."""
    RESUMED = "resumed"
    """An entry of a ladder that rested is seated again."""
    RETURNED = "returned"
    """An entry of a ladder that was paused, or had left, was entered again."""
    REPLACED = "replaced"
    """A newer version took the place of an entrant."""
    LEFT = "left"
    """An entrant left."""


SUSPENSIONS = frozenset({ChangeKind.SUSPENDED, ChangeKind.EXCLUDED})
"""Changes after which an entrant is suspended."""
RETIREMENTS = frozenset({ChangeKind.PAUSED, ChangeKind.RESTED, ChangeKind.REPLACED, ChangeKind.LEFT})
"""Changes after which an entrant is not seated, and not suspended either."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of who is seated in a league. The tables of its deals follow from all of them."""

    number: int
    """1, 2, ... in the league."""
    kind: str
    """One of `ChangeKind`."""
    entrant: int | None
    """`Entrant.number`; None for the number of deals."""
    deals: int | None
    """The number of deals that was set, else None."""
    scheduled: int
    """Deals that had been scheduled before."""
    position: int | None
    """Deals that had been committed before: with a suspension the last is the deal that led to it. None for the number
    of deals."""
    reason: str = ""
    """Why, in a few words; of entries of ladders, and of deals that were given up."""
    happened: float = 0.0
    """When that was."""


_JOINED = Change(0, ChangeKind.JOINED, None, None, 0, 0)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version of a bot in a league, or the Bean Thief."""

    number: int
    """0, 1, ... in the league."""
    version_id: int | None
    """`BotVersion.id`; None for the Bean Thief."""
    bot: str
    """Name of the bot, or `THIEF`."""
    version: int
    """`BotVersion.number`; 0 for the Bean Thief."""
    owner: str = ""
    """Name of the author who owns the bot, "" for organisers."""
    last: Change = _JOINED
    """Its last change but for deals that were given up: it alone decides whether the entrant is seated."""

    @property
    def retired(self) -> bool:
        """Whether it left, or was replaced or paused."""
        return self.last.kind in RETIREMENTS

    @property
    def suspended(self) -> str:
        """Why it is suspended, "" if it is not."""
        return (self.last.reason or self.last.kind) if self.last.kind in SUSPENSIONS else ""

    @property
    def active(self) -> bool:
        """Whether it is still seated."""
        return not (self.retired or self.suspended)

    @property
    def label(self) -> str:
        """The entrant as it is written in records, and for other bots if the league shows names."""
        return format_bot(self.bot, self.version)


@dataclass(frozen=True, slots=True)
class Run:
    """The run of a league that is under way, or the last one if that failed."""

    process: int
    """The id of its process."""
    host: str
    """The machine of that."""
    alive: bool
    """Whether it is under way, as far as can be seen: on another machine it has been heard of lately."""
    progress: bytes
    """What it last said of itself; b"" for nothing yet."""
    stopping: bool
    """Whether somebody asked it to stop."""
    error: str
    """Why it failed, if it has ended; else ""."""

    @property
    def named(self) -> str:
        """Where it is."""
        return f"process {self.process} on {self.host}"


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
    seats: tuple[SeatEffect, ...] = ()
    """What each seat is worth."""
    luck: float | None = None
    """Share of a result that is the luck of seat and deal; None if not known."""

    @property
    def reliable_luck(self) -> float | None:
        """The same, None where it is from too few deals to be shown."""
        return self.luck if self.deals >= RELIABLE_DEALS else None
