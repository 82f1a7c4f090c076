"""What the store hands out and takes: plain values. Times are seconds since 1970 (UTC)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import factorial

WIN = 420
"""A win is counted in 420ths, so that a first place shared by up to seven seats is a whole number."""

THIEF = "Bean Thief"
"""The name of an entrant that is no bot; no bot can be called so."""


LEAGUE, GAUNTLET, COMPARISON = "league", "gauntlet", "comparison"
"""Formats: everybody against everybody, one bot against the field, and a test of one bot against another."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle says about itself. `games`: ids of rulesets; `command`: how it is started in its folder."""

    name: str
    games: tuple[str, ...]
    command: tuple[str, ...]
    description: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A version of a bot. `digest`: of its bundle; `bundle_bytes`: its packed size.

    `owner`: the name of the author to whom the bot belongs, "" for organisers.
    """

    id: int
    number: int
    manifest: Manifest
    digest: str
    bundle_bytes: int
    submitted: float
    owner: str = ""

    @property
    def bot(self) -> str:
        """The name of the bot."""
        return self.manifest.name


@dataclass(frozen=True, slots=True)
class Token:
    """What is known about a token. `expires`: None for never; `revoked`: None if it was not."""

    name: str
    role: str
    created: float
    expires: float | None
    revoked: float | None

    def valid(self, now: float) -> bool:
        """Whether it lets somebody in at this time."""
        return self.revoked is None and (self.expires is None or now < self.expires)


@dataclass(frozen=True, slots=True)
class NewLeague:
    """A league to be made. `versions`: ids of `BotVersion`s, the entrants in their order. The rest as in `League`.

    With one seat it is a *solo* league: every deal is played by each bot, and the Bean Thief is one entrant more.
    """

    name: str
    ruleset: str
    seats: int
    options: Mapping[str, int | str]
    limits: Mapping[str, int]
    secret: bytes
    deals: int
    show_names: bool
    versions: tuple[int, ...]
    format: str = LEAGUE
    hero: int | None = None
    test: Mapping[str, float] = field(default_factory=dict)
    anchor: tuple[int, ...] = ()
    all_seatings: bool = False


@dataclass(frozen=True, slots=True)
class League:
    """A league. `deals`: how many it has in all; `deals_done`, `matches_done`: committed ones.

    `entrants`: how many, and `seated`: those that are neither retired nor suspended; both in a solo league with the
    Bean Thief. `format`: LEAGUE; GAUNTLET, with `hero` at every table; or COMPARISON of entrants 0 and 1, with its
    `test`: elo0, elo1, alpha and beta. `anchor`: the entrants whose mean rating is fixed; none: all. `all_seatings`:
    a deal is played in every order of its bots, not only in the rotations of one.
    """

    id: int
    name: str
    ruleset: str
    seats: int
    options: Mapping[str, int | str]
    limits: Mapping[str, int]
    secret: bytes
    deals: int
    show_names: bool
    created: float
    deals_done: int
    matches_done: int
    entrants: int
    seated: int
    format: str = LEAGUE
    hero: int | None = None
    test: Mapping[str, float] = field(default_factory=dict)
    anchor: tuple[int, ...] = ()
    all_seatings: bool = False

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
        """How many it has in all, as things stand."""
        return self.matches_done + (self.deals - self.deals_done) * self.matches_a_deal


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a league. `number`: 0, 1, ... in the league; `version_id`: a `BotVersion.id`.

    The Bean Thief is an entrant, too: `THIEF` by name, its version is 0 and its `version_id` None. `retired`: a newer
    version took its place. `suspended`: why it is seated no more, "" if it is.
    """

    number: int
    version_id: int | None
    bot: str
    version: int
    retired: bool = False
    suspended: str = ""

    @property
    def active(self) -> bool:
        """Whether it is still seated."""
        return not (self.retired or self.suspended)


@dataclass(frozen=True, slots=True)
class Totals:
    """What an entrant's matches add up to. `wins` in `WIN`ths; `faulted`: matches with a fault of its own."""

    deals: int
    matches: int
    score: int
    wins: int
    decisions: int
    faults: int
    faulted: int
    forfeits: int


@dataclass(frozen=True, slots=True)
class Forfeits:
    """How often an entrant forfeited: `forfeits` of `matches`, and at most `in_a_row` of these one after the other."""

    matches: int
    forfeits: int
    in_a_row: int


@dataclass(frozen=True, slots=True)
class NewDeal:
    """A deal to be scheduled. `table`: entrants by seat in rotation 0; `seed_digest`: SHA-256 of its seed."""

    number: int
    table: tuple[int, ...]
    seed_digest: bytes


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal. `seed` and `played` are None until its matches are committed; `voids`: how often it was played again."""

    number: int
    table: tuple[int, ...]
    seed_digest: bytes
    seed: bytes | None
    voids: int
    published: float
    played: float | None


@dataclass(frozen=True, slots=True)
class Void:
    """A deal that had to be played again, because something other than a bot failed."""

    deal: int
    reason: str
    happened: float


@dataclass(frozen=True, slots=True)
class SeatFault:
    """A fault in a match. `move`: index in the record of the default action played instead."""

    move: int
    kind: str
    reason: str
    forfeited: bool


@dataclass(frozen=True, slots=True)
class PlayedSeat:
    """How a seat did. `entrant`: its number. Against the Bean Thief the Thief is the second seat."""

    entrant: int
    score: int
    place: int
    decisions: int
    faults: tuple[SeatFault, ...]
    forfeited: bool


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match to be committed with its deal. `record`: a zlib-compressed `beanproto.v1.Record`."""

    rotation: int
    record: bytes
    seats: tuple[PlayedSeat, ...]


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal to be committed: its seed and all its matches. `layer`: of the sandbox, that the bots ran under."""

    number: int
    seed: bytes
    matches: tuple[PlayedMatch, ...]
    layer: str = ""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a seat of a stored match did. `faults`: how many."""

    entrant: int
    score: int
    place: int
    decisions: int
    faults: int
    forfeited: bool


@dataclass(frozen=True, slots=True)
class Match:
    """A stored match without its record. `played`: when its deal was committed. `layer`: that the bots ran under."""

    deal: int
    rotation: int
    seats: tuple[SeatResult, ...]
    played: float
    layer: str = ""


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list, by deal and rotation.

    `entrants`: matches any of these sat in; None: all. `deal`: of this deal. `with_faults`: with a fault (of one of
    `entrants`, if given). `after`: deal and rotation of the match the page begins after.
    """

    entrants: tuple[int, ...] | None = None
    deal: int | None = None
    with_faults: bool = False
    after: tuple[int, int] | None = None
    newest_first: bool = False
    limit: int = 50


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How often a kind of fault happened, and the reason given last."""

    kind: str
    count: int
    reason: str
    deal: int
    rotation: int


@dataclass(frozen=True, slots=True)
class Log:
    """What a version wrote to stderr in a league, or the newest part of it."""

    league: str
    text: str
    truncated: bool
    updated: float


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating of an entrant on the Elo scale. `interval`: half the width of its 95 % interval, None: not known.

    `best_rank`, `worst_rank`: between these it is with 95 % confidence.
    """

    entrant: int
    rating: float
    interval: float | None
    best_rank: int
    worst_rank: int


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """What a seat at tables of `seats` is worth beside the mean seat: Elo, and half the width of its 95 % interval."""

    seats: int
    seat: int
    elo: float
    interval: float


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The ratings after so many deals.

    `better`: row by row, how probable it is that an entrant is stronger than another; empty in the history. `seats`:
    what seats are worth. `luck`: how much of a result is the luck of the deal, None: not known.
    """

    deals: int
    ratings: tuple[Rating, ...]
    created: float
    better: tuple[float, ...] = ()
    seats: tuple[SeatEffect, ...] = ()
    luck: float | None = None
