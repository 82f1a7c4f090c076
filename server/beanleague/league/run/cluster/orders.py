"""Orders of a runner to its nodes, and their answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from beanleague import __version__
from beanleague.games import RULES_VERSION
from beanleague.model import Node, PlayedDeal
from beanleague.referee.messages import BotLog, DealTask, Limits, PoolSettings, VoidDeal, WorkerCounts

VERSION = f"Beanleague {__version__} with rules {RULES_VERSION}"
"""Versions of Beanleague and of its rules, which runner and node must share."""


class Sealed:
    """A serialised order (see `sealing`) with an opaque repr, since Dask logs the arguments of tasks.

    `secret`: returned with the node's answers.
    """

    __slots__ = ("data", "secret")

    def __init__(self, data: bytes, secret: bytes) -> None:
        self.data = data
        self.secret = secret

    def __repr__(self) -> str:
        return "<sealed>"


@dataclass(frozen=True, slots=True)
class RunBot:
    """A bot of a run, by the digest of its files."""

    number: int
    """Number of the bot in tasks."""
    name: str
    """Name of the bot in records."""
    digest: str
    """Digest of the bot's bundle."""
    command: tuple[str, ...]
    """Command line: program and arguments."""
    trusted: bool
    """Whether it may run without a sandbox, provided its files have this digest."""
    packages: str = ""
    """Digest of the bot's environment, "" for the default one."""


@dataclass(frozen=True, slots=True)
class Join:
    """Order to a node: join a run; deals follow. Answers: `Lacking`, `NodeJoined` or `NodeRefused`."""

    bots: tuple[RunBot, ...]
    """All bots of the run."""
    limits: Limits
    """Resource limits of bots."""
    settings: PoolSettings
    """Settings of the pool, except `workers`, which the node chooses itself."""
    bundles: Mapping[str, bytes] = field(default_factory=dict)
    """Zip files of bundles that the node lacks, by digest."""


@dataclass(frozen=True, slots=True)
class Play:
    """Order to a node: play deals. Answers: `Reports`, `NodeRefused` or `Broken`."""

    tasks: tuple[DealTask, ...]
    """Deals to play."""
    report_s: float
    """Seconds that results may be held back to be sent together."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Order to a node: end all bots of the run. Answer: `Left`."""


Order = Join | Play | Leave


@dataclass(frozen=True, slots=True)
class Lacking:
    """Answer of a node: it lacks these bundles."""

    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeJoined:
    """Answer of a node: it is ready."""

    node: Node
    """Description of the node."""
    workers: int
    """Number of the node's worker processes."""
    at_once: int
    """Number of matches that all workers together play at once."""


@dataclass(frozen=True, slots=True)
class NodeRefused:
    """Answer of a node: it cannot play, and has begun nothing."""

    why: str
    """Reason for the refusal."""
    name: str = ""
    """Name of the node."""
    passing: bool = False
    """Whether the cause is temporary, so a later attempt may succeed."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Answer of a node: its unfinished deals are lost."""

    why: str
    """Reason for the failure."""


@dataclass(frozen=True, slots=True)
class Reports:
    """Answer of a node: results, and logs of bots."""

    reports: Sequence[PlayedDeal | VoidDeal | BotLog]
    """Reports in order of arrival."""
    partial: int = 0
    """Number of finished matches in unfinished deals."""
    counts: WorkerCounts | None = None
    """New counts of the node's workers; None if unchanged."""


@dataclass(frozen=True, slots=True)
class Left:
    """Answer of a node: all bots of the run have ended, and their last logs were sent."""


Answer = Lacking | NodeJoined | NodeRefused | Broken | Reports | Left
