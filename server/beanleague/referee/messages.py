"""Tasks and reports of the referee, which can be pickled, and the interface of pools of deals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import add, attrgetter, sub
from typing import NotRequired, Protocol, TypedDict, Unpack

from beanleague.games import Option
from beanleague.model import Node, PlayedDeal, PlayedMatch


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of a bot."""

    move_ms: int = 1_000
    """Milliseconds for each decision."""
    bank_ms: int = 10_000
    """Extra milliseconds per match for decisions beyond `move_ms`."""
    match_ms: int = 60_000
    """Milliseconds for all decisions of a seat in a match; exceeding it forfeits the seat."""
    strikes: int = 3
    """Number of faults forgiven in a match; the next one forfeits the seat."""
    connect_ms: int = 10_000
    """Milliseconds from the start of a process to its first message."""
    message_bytes: int = 64 * 1024
    """Maximum size of a message from a bot."""
    stderr_bytes: int = 2**20
    """Bytes of stderr kept per process."""
    memory_bytes: int = 256 * 2**20
    """Maximum memory of a bot process and all its children together."""
    processes: int = 64
    """Maximum number of threads and processes of a bot process."""
    scratch_bytes: int = 16 * 2**20
    """Size of the private /tmp of each bot process."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot that can be started."""

    number: int
    """Number of the bot in tasks; in a league, of the entrant."""
    name: str
    """Name of the bot in records."""
    folder: str
    """Working folder of `command`."""
    command: tuple[str, ...]
    """Command line: program and arguments."""
    trusted: bool = False
    """Whether the bot may run without a sandbox."""
    packages: str = ""
    """Folder of the packages in the bot's environment, "" for the default one."""


GUEST = -1
"""Placeholder for a guest in place of a bot's number; the guest's messages pass through the pool's connection."""


@dataclass(frozen=True, slots=True)
class MatchTask:
    """A match to play."""

    id: int
    """Number chosen by the caller, unique in its pool."""
    ruleset: str
    """Id of the ruleset."""
    seed: bytes = field(repr=False)
    """Seed of the deal."""
    bots: tuple[int, ...]
    """Per seat: number of the bot; or `GUEST`, for one seat of a friendly match."""
    luck: tuple[bytes, ...] = field(repr=False)
    """Per seat, 16 bytes that seed the bot's own random choices."""
    lane: int = 0
    """Number of the lane: matches of different lanes never share a bot process."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """Options of the game."""
    names: tuple[str, ...] = ()
    """Per seat: name shown to the bots; () keeps opponents anonymous."""
    unforgiven: frozenset[int] = frozenset()
    """Numbers of bots for which a kill by another program, or a shortage that they caused, counts as a crash.

    For any other bot these make the match void, although the bot may have sent the kill itself.
    """
    thief: int | None = None
    """In a solo game, number of the Bean Thief in the result; None to leave the Thief out."""
    label: str = ""
    """Name of the match in log lines of bots: in a league its deal and rotation, e.g. "12.0"."""


@dataclass(frozen=True, slots=True)
class VoidMatch:
    """A match that does not count, through no fault of a bot."""

    id: int
    """Id of the match's task."""
    why: str
    """Description of the failure."""
    killed: int | None = None
    """Number of the bot that was killed, or that caused the host's shortage; None if that is not the reason."""
    host: bool = False
    """Whether the cause is a shortage on the host, which may pass."""


@dataclass(frozen=True, slots=True)
class WorkerCounts:
    """Counts of a worker since its last report."""

    host_delay: float = 0.0
    """Seconds that bots and referee waited for a CPU, summed over all processes."""
    messages: int = 0
    """Number of messages from and to bots."""
    requests: int = 0
    """Number of requests to bots, in all matches."""
    batches: int = 0
    """Number of messages that contained requests."""
    starts: int = 0
    """Number of bot processes started."""

    def __add__(self, more: "WorkerCounts") -> "WorkerCounts":
        """Return the sum."""
        return WorkerCounts(*map(add, _counts(self), _counts(more)))

    def __sub__(self, before: "WorkerCounts") -> "WorkerCounts":
        """Return the difference since `before`."""
        return WorkerCounts(*map(sub, _counts(self), _counts(before)))


_counts = attrgetter(*WorkerCounts.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class DealTask:
    """A deal to play: all its matches on one host."""

    number: int
    """The number of the deal. A pool has at most one task per deal at a time."""
    matches: tuple[MatchTask, ...]
    """Tasks of the matches by rotation. The pool assigns ids and lanes."""
    repeats: int = 1
    """Maximum number of the deal's matches that one bot plays in."""
    voids: int = 0
    """Number of earlier, void attempts. Each attempt is played in new lanes."""


@dataclass(frozen=True, slots=True)
class VoidDeal:
    """A deal that does not count, through no fault of a bot."""

    number: int
    """Number of the deal."""
    why: str
    """Description of the failure."""
    killed: int | None = None
    """Number of the bot that was killed; None if that is not the reason."""
    host: bool = False
    """Whether the cause is a shortage on the host, which may pass."""
    node: Node | None = None
    """Node of the failure; None if unknown."""
    lost: bool = False
    """Whether the node was lost; if so, the deal itself is not to blame."""
    over: int = 0
    """Number of matches of the deal that were already reported."""


@dataclass(frozen=True, slots=True)
class BotLog:
    """Stderr of a bot process since its last `BotLog`."""

    number: int
    """Number of the bot."""
    lane: int
    """Lane of the process."""
    text: str
    """Text of the log, decoded as UTF-8, with tagged lines (see `Conversation.tag`).

    At most `Limits.stderr_bytes` per process in total.
    """


MatchReport = PlayedMatch | VoidMatch | WorkerCounts | BotLog
"""Types of reports from workers."""

DealReport = PlayedMatch | PlayedDeal | VoidDeal | WorkerCounts | BotLog
"""Types of reports from a pool of deals. A match is reported when it ends, and again with its deal."""


class Pool(Protocol):
    """Interface of pools that play deals, in any order.

    See `beanleague.referee.deal_pool.DealPool`. Not thread-safe.
    """

    @property
    def capacity(self) -> int:
        """Number of matches that the pool can play at once now."""

    @property
    def unfinished(self) -> int:
        """Number of unfinished matches of the pool's deals."""

    @property
    def nodes(self) -> Mapping[Node, int] | None:
        """Number of workers of each node that plays; None if this machine plays alone."""

    @property
    def remarks(self) -> Sequence[str]:
        """Sentences about the pool's current state, e.g. that it is waiting for nodes."""

    def submit(self, task: DealTask, /) -> None:
        """Queue a deal."""

    def admit(self, bots: Sequence[BotSpec], /) -> bool:
        """Add bots, which later deals may use; return False if that requires a new pool."""

    def poll(self, timeout: float, /) -> list[DealReport]:
        """Wait up to `timeout` seconds for reports and return them.

        Raises:
            OSError: if a shortage of the host prevents play.
        """

    def close(self) -> list[BotLog]:
        """End all bots; return their logs since the last poll."""


@dataclass(frozen=True, slots=True)
class Load:
    """Demands of a league on its workers, whatever their number."""

    bots: int
    """Number of bots."""
    seats: int
    """Seats of a table."""
    repeats: int
    """Maximum number of matches in a deal that one bot plays in."""
    copies: int = 1
    """Maximum number of seats of one bot at a table."""
    few: bool = False
    """Whether to play few matches at once, because the league may end with any of them."""

    def lanes(self, workers: int) -> int:
        """Return the number of lanes of each of `workers` workers."""
        return -(-self.repeats // workers)


class PoolSettings(TypedDict):
    """Settings of a pool. `fresh`, `isolate`: see `WorkerPool`, by default False."""

    workers: int
    """Number of worker processes."""
    in_flight: int | None
    """Matches that a worker plays at once; None to choose a number that suits `load`."""
    load: NotRequired[Load]
    """Demands of the matches, checked before the start. Left out: no checks."""
    fresh: NotRequired[bool]
    isolate: NotRequired[bool]
    cpu: NotRequired[str]
    """CPU model (`Node.cpu`) required for all deals; "" for the CPU model of the first deal. Left out: any."""
    cores: NotRequired[frozenset[int]]
    """Cores to use, see `orders.Setup`; not on a cluster. Left out: all."""


class StartPool(Protocol):
    """Function that starts a pool of `workers` processes, each of which plays up to `in_flight` matches at once."""

    def __call__(
        self,
        bots: Sequence[BotSpec],
        limits: Limits,
        **settings: Unpack[PoolSettings],
    ) -> Pool:
        """Start the pool.

        Raises:
            OSError: if the workers cannot be started.
            NeedsError: if the host allows less than needed, or has another CPU.
            SandboxError: if no sandbox layer works, and not all bots are trusted; with `isolate`, if the machine cannot
                isolate.
        """
