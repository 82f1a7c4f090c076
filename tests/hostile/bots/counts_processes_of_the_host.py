"""Counts the processes of the whole machine, which another process of it changes."""

import os
from pathlib import Path

from attacker import attempt, play


def attack() -> object:
    found = []
    if Path("/proc/self/stat").exists() and Path("/proc").stat().st_nlink > 2:
        found.append("links of /proc")
    if os.getpid() != 2 and Path("/proc", str(os.getpid())).exists():
        found.append("process numbers")
    return found


attempt(attack)
play()
