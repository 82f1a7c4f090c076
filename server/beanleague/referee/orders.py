"""What the pool tells a worker besides the matches to play."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.referee.messages import BotSpec
from beanleague.referee.sandbox.launch import Sandbox


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker is sent first."""

    bots: tuple[BotSpec, ...]
    sandbox: Sandbox
    in_flight: int
    fresh: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """What a worker is sent last."""
