"""The clock of a bot process: whose decision it is working on, and what that costs.

A process is taken to answer one request after the other, in the order they were sent. So only the oldest request
has a running clock, which starts when it is sent or when the process's previous answer arrived, if that is later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Clock:
    """Times are seconds. `delay` tells how long the host has kept the process, or its answers, waiting so far."""

    now: Callable[[], float]
    delay: Callable[[], float]
    since: float = 0.0  # the oldest request is worked on since then
    heard: float = 0.0  # the last answer, or the first request after silence
    _delayed: float = field(default=0.0)  # `delay` at the last look
    _base: float = field(default=0.0)  # `delay` at a look before `since`

    def wake(self) -> None:
        """Begin: a request is sent to a process that had none."""
        self.heard = self.now()
        self._begin(self.heard)

    def next(self, *, answered: bool) -> None:
        """Go on to the next request, because the oldest was `answered` or because its time is over."""
        now = self.now()
        if answered:
            self.heard = now
        self._begin(now)

    def look(self) -> None:
        """Note the host's delay. To be called every now and then: the delay before `since` is known that closely."""
        self._delayed = self.delay()

    def spent(self, allowed: float) -> float:
        """Return what the oldest request has taken, less the host's delay, which is looked at only beyond `allowed`."""
        elapsed = self.now() - self.since
        if elapsed <= allowed:
            return elapsed
        self.look()
        return max(elapsed - (self._delayed - self._base), 0.0)

    def silent(self) -> float:
        """Return for how long the process has answered nothing, less the host's delay."""
        return self.now() - self.heard - (self._delayed - self._base)

    def _begin(self, now: float) -> None:
        self.since = now
        self._base = self._delayed
