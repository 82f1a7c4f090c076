"""Counts the processes of the whole machine, which another process of it changes."""

import os
from pathlib import Path

from attacker import attempt, play

MOST_OF_ITS_OWN = 64


def attack() -> object:
    found = []
    if Path("/proc/self/stat").exists() and Path("/proc").stat().st_nlink > 2:
        found.append("links of /proc")
    if os.getpid() > MOST_OF_ITS_OWN:
        found.append("process numbers, of which the next is told to each new thread")
    return found


attempt(attack)
play()
