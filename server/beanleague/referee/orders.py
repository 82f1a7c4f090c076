"""What passes between a worker and who started it, besides tasks and results.

Apart from `messages`, since the sandbox imports `Limits` from there; and from `pool`, which a worker does not import.
"""

from dataclasses import dataclass

from beanleague.referee.host import MOST_PROCESSES
from beanleague.referee.messages import BotSpec
from beanleague.referee.sandbox.launch import Sandbox


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a worker."""

    bots: tuple[BotSpec, ...]
    """All bots that its tasks may name."""
    sandbox: Sandbox
    """What starts the bots."""
    in_flight: int
    """Maximum number of matches to play at once."""
    fresh: bool
    """Whether every match has new bot processes, which have ended when its result is reported."""
    processes: int = MOST_PROCESSES
    """Maximum number of bot processes to keep, as long as there is memory for them."""
    cpus: frozenset[int] = frozenset()
    """The cores that it and its bots keep to, and use only as others leave them time; empty: all, like any process."""


@dataclass(frozen=True, slots=True)
class Admit:
    """More bots that later tasks may name."""

    bots: tuple[BotSpec, ...]


@dataclass(frozen=True, slots=True)
class GuestMessage:
    """A message between a guest and the referee, in either direction."""

    data: bytes
    """A serialised `BotMessage`, or from the referee a `RefereeMessage`."""


@dataclass(frozen=True, slots=True)
class StopWorker:
    """The last message to a worker."""
