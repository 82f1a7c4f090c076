"""Starts processes without end."""

import os

from attacker import attempt, play


def attack() -> object:
    for _ in range(2000):
        os.posix_spawn("/bin/sleep", ["sleep", "3600"], {})
    return "2000 processes"


attempt(attack)
play()
