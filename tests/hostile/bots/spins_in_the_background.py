"""Keeps CPUs busy all the time with processes of its own."""

import os

from attacker import attempt, play


def attack() -> None:
    for _ in range(2):
        if os.fork() == 0:
            while True:
                pass


attempt(attack)
play()
