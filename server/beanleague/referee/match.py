"""What the referee is asked to play and what it reports: plain values, sent between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from beanleague.games import Option


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may use. Times in milliseconds, sizes in bytes.

    `move_ms`: for each decision. `bank_ms`: for a whole match, to overrun decisions with. `strikes`: faults forgiven
    in a match before the seat forfeits. `connect_ms`: from start to the first message.
    """

    move_ms: int = 1_000
    bank_ms: int = 10_000
    strikes: int = 3
    connect_ms: int = 10_000
    message_bytes: int = 64 * 1024
    stderr_bytes: int = 512 * 1024


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot that can be started. `version`: the number tasks know it by. `folder`: where `command` is run."""

    version: int
    name: str
    folder: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchTask:
    """A match to play. `id` is the caller's.

    `bots`: per seat, `BotSpec.version`. `luck`: per seat, 16 bytes for the bot's own random choices.
    `lane`: matches of different lanes never share a process. `names`: per seat, () keeps the opponents anonymous.
    """

    id: int
    ruleset: str
    seed: bytes
    bots: tuple[int, ...]
    luck: tuple[bytes, ...]
    lane: int
    options: Mapping[str, Option] = field(default_factory=dict)
    names: tuple[str, ...] = ()


class FaultKind(StrEnum):
    """Why a move could not be used."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    ERROR = "error"
    CRASH = "crash"
    DISCONNECTED = "disconnected"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of `seat`. `move`: index in the record's moves of the default action played instead."""

    seat: int
    move: int
    kind: FaultKind
    reason: str
    forfeited: bool


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match that was played.

    `scores`: per seat, as the game gives them. `places`: per seat, with forfeited seats last; ties share a place.
    `decisions`: per seat, how often it was asked. `record`: a zlib-compressed `Record` message.
    `void`: why the match does not count (a fault of the platform), "" when it does.
    `thief`: the dollars of the Bean Thief in a game against it, which then has the place that the only seat has not.
    """

    id: int
    scores: tuple[int, ...]
    places: tuple[int, ...]
    faults: tuple[Fault, ...]
    forfeited: tuple[bool, ...]
    decisions: tuple[int, ...]
    record: bytes
    void: str = ""
    thief: int | None = None


@dataclass(frozen=True, slots=True)
class BotLog:
    """What a bot process wrote to stderr since the last report, decoded; capped by `Limits.stderr_bytes`."""

    version: int
    lane: int
    text: str
