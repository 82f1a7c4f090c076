"""Starts threads without end."""

import threading
import time

from attacker import attempt, play


def attack() -> object:
    for _ in range(2000):
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    return "2000 threads"


attempt(attack)
play()
