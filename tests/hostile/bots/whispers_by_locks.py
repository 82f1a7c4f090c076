"""Locks files that all can read, for other processes of it to notice."""

import contextlib
import fcntl
import os
from pathlib import Path

from attacker import attempt, play


def attack() -> object:
    signs = []
    with Path(os.__file__).open("rb") as file:
        for lock, how in ((fcntl.flock, fcntl.LOCK_EX), (fcntl.lockf, fcntl.LOCK_SH)):
            with contextlib.suppress(OSError):
                lock(file, how | fcntl.LOCK_NB)
                signs.append(lock.__name__)
        with contextlib.suppress(OSError):
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            signs.append("lease")
    return signs


attempt(attack)
play()
