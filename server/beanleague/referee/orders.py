"""Messages between a worker and its pool, other than tasks and results.

A module of its own, since the sandbox imports `messages`, and workers do not import `pool`.
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
    """Message to a worker: further bots for later tasks."""

    bots: tuple[BotSpec, ...]


@dataclass(frozen=True, slots=True)
class GuestMessage:
    """Message between guest and referee, in either direction."""

    data: bytes
    """Serialised message: a `BotMessage`, or from the referee a `RefereeMessage`."""


@dataclass(frozen=True, slots=True)
class StopWorker:
    """Last message to a worker."""
