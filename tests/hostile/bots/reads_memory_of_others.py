"""Reads the memory of other processes."""

import os
from pathlib import Path

from attacker import attempt, play


def attack() -> object:
    with (Path("/proc") / str(os.getppid() or 1) / "mem").open("rb") as memory:
        return memory.fileno()


attempt(attack)
play()
