"""Values that go to the referee and come back, all of which can be pickled, and the interface of a pool of deals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import add, attrgetter, sub
from typing import NotRequired, Protocol, TypedDict, Unpack

from beanleague.games import Option
from beanleague.model import Node, PlayedDeal, PlayedMatch


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may use."""

    move_ms: int = 1_000
    """Milliseconds for each decision."""
    bank_ms: int = 10_000
    """Milliseconds for a whole match, to overrun decisions with."""
    match_ms: int = 60_000
    """Milliseconds of a seat for all decisions of a match together; more forfeits the seat."""
    strikes: int = 3
    """Number of faults forgiven in a match; the next one forfeits the seat."""
    connect_ms: int = 10_000
    """Milliseconds from the start of a process to its first message."""
    message_bytes: int = 64 * 1024
    """Maximum size of a message from a bot."""
    stderr_bytes: int = 2**20
    """How much of stderr is kept of each process."""
    memory_bytes: int = 256 * 2**20
    """Maximum memory of a bot process and all that it starts, together."""
    processes: int = 64
    """Maximum number of threads and processes of a bot process."""
    scratch_bytes: int = 16 * 2**20
    """Size of /tmp, which each bot process has for itself."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot that can be started."""

    number: int
    """The number by which tasks name it: in a league, that of the entrant."""
    name: str
    """Its name, for records."""
    folder: str
    """The folder in which `command` is run."""
    command: tuple[str, ...]
    """The program and its arguments."""
    trusted: bool = False
    """Whether it may run without a sandbox."""
    packages: str = ""
    """The folder with the packages of its environment, "" for the default one."""


GUEST = -1
"""Instead of the number of a bot: the seat of a guest, whose messages come and go through the pool's connection."""


@dataclass(frozen=True, slots=True)
class MatchTask:
    """A match to play."""

    id: int
    """A number of the caller's choice, unique in its pool."""
    ruleset: str
    """The id of the ruleset."""
    seed: bytes = field(repr=False)
    """The seed of the deal."""
    bots: tuple[int, ...]
    """Per seat, `BotSpec.number`; or `GUEST`, for one seat of a friendly."""
    luck: tuple[bytes, ...] = field(repr=False)
    """Per seat, 16 bytes that seed the bot's own random choices."""
    lane: int = 0
    """Matches of different lanes never share a bot process."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """Options of the game."""
    names: tuple[str, ...] = ()
    """Per seat, the names that the bots are shown; () keeps the opponents anonymous."""
    unforgiven: frozenset[int] = frozenset()
    """Bots (`BotSpec.number`) that crash if somebody other than the referee kills them, which may be themselves, or if
    they hold most of what the host is short of. A match in which that is another one is void."""
    thief: int | None = None
    """The number under which the Bean Thief, if it is played against, has a seat in the result; None leaves it out."""
    label: str = ""
    """What the lines that a bot writes call the match: in a league its deal and rotation, e.g. "12.0"."""


@dataclass(frozen=True, slots=True)
class VoidMatch:
    """A match that does not count, through no fault of a bot."""

    id: int
    """`MatchTask.id`."""
    why: str
    """What failed."""
    killed: int | None = None
    """The bot (`BotSpec.number`) that somebody killed, or that held most of what the host was short of, if that is
    why."""
    host: bool = False
    """Whether the host was short of something, which may pass."""


@dataclass(frozen=True, slots=True)
class WorkerCounts:
    """What happened in a worker since it last said so."""

    host_delay: float = 0.0
    """Seconds for which bots and referee waited for a CPU, added up over all processes."""
    messages: int = 0
    """Messages that came from bots and went to them."""
    requests: int = 0
    """Requests that it made of its bots, in all matches."""
    batches: int = 0
    """The messages in which it sent them."""
    starts: int = 0
    """Bot processes that it started."""

    def __add__(self, more: "WorkerCounts") -> "WorkerCounts":
        """Return what happened by both."""
        return WorkerCounts(*map(add, _counts(self), _counts(more)))

    def __sub__(self, before: "WorkerCounts") -> "WorkerCounts":
        """Return what happened since `before`."""
        return WorkerCounts(*map(sub, _counts(self), _counts(before)))


_counts = attrgetter(*WorkerCounts.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class DealTask:
    """A deal to play: all its matches on one host."""

    number: int
    """The number of the deal. A pool has at most one task of a number at a time."""
    matches: tuple[MatchTask, ...]
    """By rotation. The pool gives them ids and lanes of its own."""
    repeats: int = 1
    """How many of its matches share a bot, at most."""
    voids: int = 0
    """How often it was void before; each time it is played in new lanes."""


@dataclass(frozen=True, slots=True)
class VoidDeal:
    """A deal that does not count, through no fault of a bot."""

    number: int
    """`DealTask.number`."""
    why: str
    """What failed."""
    killed: int | None = None
    """The bot (`BotSpec.number`) that somebody killed, if that is why."""
    host: bool = False
    """Whether the host was short of something, which may pass."""
    node: Node | None = None
    """Where it failed; None if that is not known."""
    lost: bool = False
    """Whether its node was lost: that says nothing about the deal."""
    over: int = 0
    """How many of its matches were reported before."""


@dataclass(frozen=True, slots=True)
class BotLog:
    """What a bot process wrote to stderr since its last `BotLog`."""

    number: int
    """`BotSpec.number`."""
    lane: int
    """The lane of the process."""
    text: str
    """The text, decoded as UTF-8, each line tagged (see `Conversation.tag`); of a process in all, at most
    `Limits.stderr_bytes`."""


MatchReport = PlayedMatch | VoidMatch | WorkerCounts | BotLog
"""What workers report."""

DealReport = PlayedMatch | PlayedDeal | VoidDeal | WorkerCounts | BotLog
"""What a pool of deals reports. A match that was played comes when it is over, and again with its deal when all is."""


class Pool(Protocol):
    """Plays deals, in any order. See `beanleague.referee.deal_pool.DealPool`, which is used from one thread."""

    @property
    def capacity(self) -> int:
        """How many matches it can play at once now."""

    @property
    def unfinished(self) -> int:
        """Number of matches of its deals that are not over."""

    @property
    def nodes(self) -> Mapping[Node, int] | None:
        """The nodes that play now, and how many workers each of them has; None if this machine plays alone."""

    @property
    def remarks(self) -> Sequence[str]:
        """What people should know of the pool as it is now, e.g. that it waits for nodes: sentences."""

    def submit(self, task: DealTask, /) -> None:
        """Queue a deal."""

    def admit(self, bots: Sequence[BotSpec], /) -> bool:
        """Take in more bots, which later deals may name; return whether it can, without being started anew."""

    def poll(self, timeout: float, /) -> list[DealReport]:
        """Wait up to `timeout` seconds for a report, and return all that have come.

        Raises:
            OSError: if the host is too short of something to go on.
        """

    def close(self) -> list[BotLog]:
        """End every bot; return what they wrote since the last poll."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a league asks of workers, however many there are."""

    bots: int
    """Number of bots."""
    seats: int
    """Seats of a table."""
    repeats: int
    """How many matches of a deal share a bot, at most."""
    copies: int = 1
    """At how many seats of a table a bot may sit."""
    few: bool = False
    """Whether few matches are to be played at once, since the league may end at any of them."""

    def lanes(self, workers: int) -> int:
        """Return how many lanes each of so many workers has."""
        return -(-self.repeats // workers)


class PoolSettings(TypedDict):
    """How a pool plays. `fresh`, `isolate`: as of `WorkerPool`, False if left out."""

    workers: int
    """Worker processes."""
    in_flight: int | None
    """Matches at once in each of them; None for as many as suit `load`."""
    load: NotRequired[Load]
    """What the matches need, which is checked first. Left out: nothing that has to be checked."""
    fresh: NotRequired[bool]
    isolate: NotRequired[bool]
    cpu: NotRequired[str]
    """The model of CPU (`Node.cpu`) that all deals are played on; "" for that of the first deal. Left out: any."""
    cores: NotRequired[frozenset[int]]
    """The cores to keep to, as of `orders.Setup`, not on a cluster. Left out: all."""


class StartPool(Protocol):
    """Starts a pool of `workers` processes, each of which plays up to `in_flight` matches at once."""

    def __call__(
        self,
        bots: Sequence[BotSpec],
        limits: Limits,
        **settings: Unpack[PoolSettings],
    ) -> Pool:
        """Start the pool.

        Raises:
            OSError: if the workers cannot be started.
            NeedsError: if the host allows less than they need, or has another CPU.
            SandboxError: if no layer of the sandbox works, and not all bots are trusted; with `isolate`, if the machine
                cannot do that.
        """
