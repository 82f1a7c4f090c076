"""Changes the times of a device of the host, for a later process of it to read."""

import os
from collections.abc import Callable
from pathlib import Path

from attacker import MARK, attempt, play

DEVICE = Path("/dev/null")
CALLS: tuple[Callable[[], object], ...] = (
    lambda: os.utime(DEVICE, (MARK, MARK)),
    lambda: os.utime(DEVICE),
    lambda: DEVICE.chmod(0o600),
    lambda: os.setxattr(DEVICE, "user.bit", b"1"),
)


def attack() -> object:
    before = DEVICE.stat()
    problems = []
    for call in CALLS:
        try:
            call()
        except OSError as problem:
            problems.append(problem)
    after = DEVICE.stat()
    changed = (before.st_mtime_ns, before.st_mode) != (after.st_mtime_ns, after.st_mode)
    return "changed" if changed or len(problems) < len(CALLS) else ""


attempt(attack)
play()
