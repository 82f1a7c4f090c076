"""What the referee is asked to play and what it reports: plain values, sent between processes; and who takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from beanleague.games import Option
from beanleague.model import Fault


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may use. Times in milliseconds, sizes in bytes.

    `move_ms`: for each decision. `bank_ms`: for a whole match, to overrun decisions with. `strikes`: faults forgiven
    in a match before the seat forfeits. `connect_ms`: from start to the first message. `memory_bytes`: of all processes
    of a bot process together; `processes`: threads and processes; `scratch_bytes`: of /tmp.
    """

    move_ms: int = 1_000
    bank_ms: int = 10_000
    strikes: int = 3
    connect_ms: int = 10_000
    message_bytes: int = 64 * 1024
    stderr_bytes: int = 2**20
    memory_bytes: int = 256 * 2**20
    processes: int = 64
    scratch_bytes: int = 16 * 2**20


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot that can be started. `version`: the number tasks know it by. `folder`: where `command` is run.

    `trusted`: it may run where it could do harm.
    """

    version: int
    name: str
    folder: str
    command: tuple[str, ...]
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class MatchTask:
    """A match to play. `id` is the caller's.

    `bots`: per seat, `BotSpec.version`. `luck`: per seat, 16 bytes for the bot's own random choices.
    `lane`: matches of different lanes never share a process. `names`: per seat, () keeps the opponents anonymous.
    `forgives_kills`: it is void if somebody kills a bot; else that is a crash of the bot, which may have done it.
    """

    id: int
    ruleset: str
    seed: bytes
    bots: tuple[int, ...]
    luck: tuple[bytes, ...]
    lane: int
    options: Mapping[str, Option] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    forgives_kills: bool = True


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match that was played.

    `scores`: per seat, as the game gives them. `places`: per seat, with forfeited seats last; ties share a place.
    `decisions`: per seat, how often it was asked. `record`: a zlib-compressed `Record` message.
    `void`: why the match does not count (a fault of the platform), "" when it does. `layer`: of the
    sandbox, that the bots ran under. `host_delay`: seconds for which the host kept bots and referee waiting for a CPU
    since the worker's last result, added up over all processes.
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
    layer: str = ""
    host_delay: float = 0.0


def void_result(task: MatchTask, why: str) -> MatchResult:
    """Return the result of a match that does not count, and why."""
    return MatchResult(task.id, (), (), (), (), (), b"", void=why)


@dataclass(frozen=True, slots=True)
class BotLog:
    """What a bot process wrote to stderr since the last report, decoded; capped by `Limits.stderr_bytes`."""

    version: int
    lane: int
    text: str


class Pool(Protocol):
    """Plays matches, in any order. See `beanleague.referee.pool.WorkerPool`, which is used from one thread."""

    def lanes(self, seats: int, /) -> int:
        """Return how many lanes to use for deals replayed `seats` times."""

    def submit(self, task: MatchTask, /) -> None:
        """Have a match played."""

    def poll(self, timeout: float, /) -> list[MatchResult | BotLog]:
        """Wait up to `timeout` seconds for something to happen, and return all that has."""

    def close(self) -> list[BotLog]:
        """End every bot; return what was written last."""


class StartPool(Protocol):
    """Starts a pool of `workers` processes that play `in_flight` matches each at once."""

    def __call__(
        self, bots: Sequence[BotSpec], limits: Limits, *, workers: int, in_flight: int, fresh: bool = False
    ) -> Pool:
        """Start.

        Raises:
            OSError: if the workers cannot be started.
            SandboxError: if the bots cannot be kept from doing harm, and not all are trusted.
        """
