"""Keeps CPUs busy with processes of its own."""

import os
import time

from attacker import attempt, play


def attack() -> None:
    for _ in range(2):
        if os.fork() == 0:
            while time.process_time() < 2:
                pass
            os._exit(0)


attempt(attack)
play()
