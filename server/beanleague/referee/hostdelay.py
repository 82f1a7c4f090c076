"""How long the host kept a process waiting: not the bot's fault, so not charged."""

from __future__ import annotations

from pathlib import Path


def waited(pid: int) -> float:
    """Return the seconds that the thread of `pid` that waited longest was ready to run but had no CPU.

    The second figure of /proc/PID/task/*/schedstat, in nanoseconds. 0.0 where the kernel does not tell.
    """
    longest = 0
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            longest = max(longest, int((task / "schedstat").read_bytes().split()[1]))
    except (OSError, IndexError, ValueError):
        pass
    return longest / 1e9
