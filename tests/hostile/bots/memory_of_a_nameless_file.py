"""Takes memory in files without a name (memfd)."""

import os

from attacker import attempt, play


def attack() -> object:
    file = os.memfd_create("held")
    for _ in range(400):
        os.write(file, bytes(2**20))
    return "400 MiB"


attempt(attack)
play()
