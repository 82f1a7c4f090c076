"""Messages between a worker and its pool, besides tasks and results.

Separate from `messages`, since the sandbox imports `Limits` from there; and from `pool`, which a worker does not
import.
"""

from dataclasses import dataclass

from beanleague.referee.host import MOST_PROCESSES
from beanleague.referee.messages import BotSpec
from beanleague.referee.sandbox.launch import Sandbox


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a worker."""

    bots: tuple[BotSpec, ...]
    """Bots that occur in the worker's tasks."""
    sandbox: Sandbox
    """Sandbox that starts the bots."""
    in_flight: int
    """Maximum number of matches to play at once."""
    fresh: bool
    """Whether every match gets new bot processes, which end before its result is reported."""
    processes: int = MOST_PROCESSES
    """Maximum number of bot processes to keep, as long as memory suffices."""
    register: str = ""
    """Folder of the `blame.Register` that the workers of a run share; "" for a worker alone."""
    cpus: frozenset[int] = frozenset()
    """Cores for the worker and its bots, at low priority; empty for all cores at normal priority."""


@dataclass(frozen=True, slots=True)
class Admit:
    """More bots for later tasks."""

    bots: tuple[BotSpec, ...]


@dataclass(frozen=True, slots=True)
class GuestMessage:
    """A message between a guest and the referee, in either direction."""

    data: bytes
    """Serialised message: a `BotMessage`, or from the referee a `RefereeMessage`."""


@dataclass(frozen=True, slots=True)
class StopWorker:
    """Last message to a worker."""
