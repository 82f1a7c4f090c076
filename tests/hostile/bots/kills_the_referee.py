"""Kills its parent and all else it can."""

import os
import signal

from attacker import attempt, play


def attack() -> object:
    for process in (os.getppid() or 1, -1):
        os.kill(process, signal.SIGKILL)
    return ""


attempt(attack)
play()
