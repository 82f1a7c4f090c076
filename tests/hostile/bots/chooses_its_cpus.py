"""Binds itself to a CPU of its choice."""

import os

from attacker import attempt, play


def attack() -> object:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return "bound"


attempt(attack)
play()
