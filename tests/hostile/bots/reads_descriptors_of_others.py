"""Uses descriptors it inherited, and those of other processes."""

import os
import stat
from pathlib import Path

from attacker import attempt, play


def inherited() -> list[int]:
    found = []
    for number in range(3, 1024):
        try:
            kind = os.fstat(number).st_mode
        except OSError:
            continue
        if stat.S_ISSOCK(kind) or stat.S_ISFIFO(kind) or stat.S_ISREG(kind) or stat.S_ISDIR(kind):
            found.append(number)
    return found


def attack() -> object:
    others = Path("/proc").glob("[0-9]*/fd/*")
    return inherited() + [str(path) for path in others if int(path.parts[2]) != os.getpid()]


attempt(attack)
play()
