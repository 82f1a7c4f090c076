"""What a runner and its nodes say to each other."""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from beanleague import __version__
from beanleague.games import RULES_VERSION
from beanleague.model import Node, PlayedDeal
from beanleague.referee.messages import BotLog, DealTask, Limits, PoolSettings, VoidDeal, WorkerCounts

VERSION = f"Beanleague {__version__} with rules {RULES_VERSION}"
"""What runner and node must have in common."""


class Sealed:
    """An order as bytes. It shows nothing of it: Dask writes the arguments of tasks to its logs.

    `secret`: what the node's answers carry.
    """

    __slots__ = ("_data", "secret")

    def __init__(self, data: bytes, secret: bytes) -> None:
        self._data = data
        self.secret = secret

    def open(self) -> "Order":
        order: Order = pickle.loads(self._data)  # noqa: S301  # from a machine with a certificate of the cluster
        return order

    def __repr__(self) -> str:
        return "<sealed>"


@dataclass(frozen=True, slots=True)
class RunBot:
    """A bot of a run, by the digest of its files."""

    number: int
    """The number by which tasks name it."""
    name: str
    """Its name, for records."""
    digest: str
    """The digest of its bundle."""
    command: tuple[str, ...]
    """The program and its arguments."""
    trusted: bool
    """Whether it may run without a sandbox, if its files have this digest."""
    packages: str = ""
    """The digest of its environment, "" for the default one."""


@dataclass(frozen=True, slots=True)
class Join:
    """To a node: play deals of a run, which follow. It answers with `Lacking`, `NodeJoined` or `NodeRefused`."""

    bots: tuple[RunBot, ...]
    """All bots of the run."""
    limits: Limits
    """What they may use."""
    settings: PoolSettings
    """How the pool plays; `workers` is for the node to say."""
    bundles: Mapping[str, bytes] = field(default_factory=dict)
    """Zip files of bundles that it said it lacks, by digest."""


@dataclass(frozen=True, slots=True)
class Play:
    """To a node: play deals. It answers with `Reports`, `NodeRefused` or `Broken`."""

    tasks: tuple[DealTask, ...]
    """The deals."""
    report_s: float
    """Seconds for which results may wait for others, to share a message."""


@dataclass(frozen=True, slots=True)
class Leave:
    """To a node: end all bots of the run. It answers with `Left`."""


Order = Join | Play | Leave


def sealable(order: Order) -> bytes:
    """Return what `Sealed` opens."""
    return pickle.dumps(order)


@dataclass(frozen=True, slots=True)
class Lacking:
    """From a node: it needs these bundles."""

    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeJoined:
    """From a node: it can play."""

    node: Node
    """What it is."""
    workers: int
    """Its worker processes."""
    at_once: int
    """How many matches they play at once, all together."""


@dataclass(frozen=True, slots=True)
class NodeRefused:
    """From a node: it cannot play, and has begun nothing."""

    why: str
    """The reason."""
    name: str = ""
    """What the node is called."""
    passing: bool = False
    """Whether it is worth asking again later."""


@dataclass(frozen=True, slots=True)
class Broken:
    """From a node: what it was playing is lost."""

    why: str
    """The reason."""


@dataclass(frozen=True, slots=True)
class Reports:
    """From a node: results, and what bots wrote."""

    reports: Sequence[PlayedDeal | VoidDeal | BotLog]
    """In the order in which they came."""
    partial: int = 0
    """How many matches are over, of deals that are not."""
    counts: WorkerCounts | None = None
    """What its workers counted, None if there is nothing new."""


@dataclass(frozen=True, slots=True)
class Left:
    """From a node: all bots of the run have ended. What they still wrote came before."""


Answer = Lacking | NodeJoined | NodeRefused | Broken | Reports | Left
