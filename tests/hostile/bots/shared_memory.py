"""Takes memory that it shares with nobody, which limits on data do not count."""

import mmap

from attacker import attempt, play


def attack() -> object:
    with mmap.mmap(-1, 400 * 2**20, flags=mmap.MAP_SHARED) as held:
        for page in range(0, len(held), 4096):
            held[page] = 1
    return "400 MiB"


attempt(attack)
play()
