"""What the pool sends a worker besides match tasks.

Apart from `messages`, since the sandbox imports `Limits` from there.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    cpus: frozenset[int] = frozenset()
    """The cores that it and its bots keep to, and use only as others leave them time; empty: all, like any process."""


@dataclass(frozen=True, slots=True)
class StopWorker:
    """The last message to a worker."""
