"""The clock of a bot process: how long it has worked on its current decision.

A process is taken to answer one request after the other, in the order they were sent. So only the oldest request
has a running clock, which starts when it is sent or when the process's previous answer arrived, if that is later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Clock:
    """The clock of one bot process. All times are seconds."""

    now: Callable[[], float]
    """Returns the time."""
    delay: Callable[[], float]
    """Returns for how long the host has delayed the process, or its answers, so far, in total."""
    since: float = 0.0
    """When the process began to work on the oldest request."""
    heard: float = 0.0
    """When the last answer came, or the first request was sent after the process had none."""
    _delayed: float = field(default=0.0)  # `delay` at the last look
    _base: float = field(default=0.0)  # `delay` at a look before `since`

    def wake(self) -> None:
        """Start the clock: a request is sent to a process that had none."""
        self.heard = self.now()
        self._begin(self.heard)

    def next(self, *, answered: bool) -> None:
        """Go on to the next request, because the oldest was `answered` or, if not, because its time is over."""
        now = self.now()
        if answered:
            self.heard = now
        self._begin(now)

    def look(self) -> float:
        """Note the host's delay, and return it. Call it often: only what was noted before `since` lies before it."""
        self._delayed = self.delay()
        return self._delayed

    def spent(self, allowed: float) -> float:
        """Return how long the oldest request has taken; beyond `allowed`, the host's delay is taken off."""
        elapsed = self.now() - self.since
        if elapsed <= allowed:
            return elapsed
        self.look()
        return max(elapsed - (self._delayed - self._base), 0.0)

    def silent(self) -> float:
        """Return for how long the process has not answered, less the host's delay."""
        return self.now() - self.heard - (self._delayed - self._base)

    def _begin(self, now: float) -> None:
        self.since = now
        self._base = self._delayed
