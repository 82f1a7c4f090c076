"""Counts the descriptors and threads of other processes, with which these tell it what they like"""

import ctypes
import os
from pathlib import Path

from attacker import attempt, play

MOST_OF_ITS_OWN = 64  # processes, where it has a namespace of them
OTHERS = (1, os.getppid())


def attack() -> object:
    found = [
        str(path)
        for other in OTHERS
        for path in (Path("/proc", str(other), "fd"), Path("/proc", str(other), "task"))
        if path.exists()
    ]
    if os.getpid() <= MOST_OF_ITS_OWN:
        return found
    free = 4_000_000  # hardly any machine has such a number
    for call in ("sched_getparam", "sched_getscheduler", "sched_getaffinity"):
        ask = getattr(ctypes.CDLL(None), call)
        answers = {ask(number, ctypes.create_string_buffer(128), 128) for number in (free, os.getpid() + 1, *OTHERS)}
        if len(answers) > 1:
            found.append(call)
    return found


attempt(attack)
play()
