"""Writes to /dev/shm until memory is full."""

from pathlib import Path

from attacker import attempt, play


def attack() -> object:
    for number in range(100):
        Path(f"/dev/shm/beanleague-{number}").write_bytes(bytes(2**20))
    return "100 MiB"


attempt(attack)
play()
