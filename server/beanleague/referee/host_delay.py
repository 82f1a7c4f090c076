"""How long the host kept a bot waiting: not the bot's fault, so not charged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")  # per second; the unit of CPU time in /proc


@dataclass(slots=True)
class HostDelay:
    """Adds up the host's delay of one bot process and its children. All times are seconds.

    Ready to run but without a CPU, a bot waits for the host, unless it is its own threads and children that keep the
    CPUs busy. So between two looks the host is at fault for no more than what the bot left unused of that time:
    every second of CPU that a bot takes is charged to it, however long it made itself wait.
    """

    now: Callable[[], float]
    """The time."""
    cpu_seconds: Callable[[], float | None] = lambda: None
    """The CPU time of all processes of the bot, those that ended included; None if that is not counted."""
    total: float = 0.0
    _at: float = field(init=False)
    _waited: float = 0.0
    _used: float = 0.0

    def __post_init__(self) -> None:
        self._at = self.now()

    def look(self, processes: Iterable[int]) -> float:
        """Look at all processes of the bot; return the delay so far."""
        now = self.now()
        waited, seen = 0.0, 0.0
        counted = self.cpu_seconds()
        for process in processes:
            waited = max(waited, _waited(process))
            seen += _used(process) if counted is None else 0.0
        used = seen if counted is None else counted
        if waited or used:
            unused = max(now - self._at - max(used - self._used, 0.0), 0.0) + 1 / _TICKS  # `used` is in whole ticks
            self.total += min(max(waited - self._waited, 0.0), unused)
            self._at, self._waited, self._used = now, waited, used
        return self.total


def _waited(process: int) -> float:
    """Return the seconds that the thread of `process` that waited longest was ready to run but had no CPU.

    The second number in /proc/PID/task/*/schedstat, in nanoseconds. 0.0 if the kernel does not count it.
    """
    longest = 0
    folder = f"/proc/{process}/task"
    try:
        for task in os.listdir(folder):  # noqa: PTH208  # all of this in less than half the time that paths take
            file = os.open(f"{folder}/{task}/schedstat", os.O_RDONLY)
            try:
                longest = max(longest, int(os.read(file, 100).split()[1]))
            finally:
                os.close(file)
    except (OSError, IndexError, ValueError):
        pass
    return longest / 1e9


def _used(process: int) -> float:
    """Return the seconds of CPU that `process` used, and those of its children that ended: fields 14 to 17 of stat."""
    try:
        words = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
        return sum(map(int, words[11:15])) / _TICKS
    except (OSError, ValueError):
        return 0.0
