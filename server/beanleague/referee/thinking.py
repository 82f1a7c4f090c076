"""How long the seats that a process plays have thought in their matches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol


class Thinker(Protocol):
    """A seat of a match, as far as its thinking is concerned."""

    thinking: float
    """Seconds left for all its decisions together."""


@dataclass(slots=True)
class ThinkingTime:
    """Charges the seats that one process plays for the time it thinks, less the host's delay. All times are seconds.

    The host's delay is known only from time to time, in total. So what each seat thought is added up, and charged when
    the delay is known: that is taken off all of them in proportion, for it is not known when in that time it came.
    """

    now: Callable[[], float]
    """Returns the time."""
    _thought: dict[Thinker, float] = field(default_factory=dict)  # by seat, since the last charge
    _from: float = 0.0  # the time of the last charge
    _delayed: float = 0.0  # the host's delay until then

    def add(self, seat: Thinker, since: float) -> None:
        """Note that the process has been thinking for `seat` since then, or since the last charge if that is later."""
        seconds = self.now() - max(since, self._from)
        self._thought[seat] = self._thought.get(seat, 0.0) + seconds

    def charge(self, delayed: float) -> None:
        """Charge all seats for what was added since the last charge; `delayed`: the host's delay so far, in total."""
        total = sum(self._thought.values())
        if total:
            share = max(1 - (delayed - self._delayed) / total, 0.0)
            for seat, seconds in self._thought.items():
                seat.thinking -= seconds * share
        self._thought.clear()
        self._from, self._delayed = self.now(), delayed
