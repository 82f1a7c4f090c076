"""Takes System V shared memory."""

import ctypes

from attacker import attempt, play


def attack() -> object:
    if ctypes.CDLL(None, use_errno=True).shmget(0, 400 * 2**20, 0o1600) < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    return "400 MiB"


attempt(attack)
play()
