"""Tells the kernel not to end it with its parent, and stays when all is over."""

import ctypes
import time

from attacker import attempt, play, tell

_SET_PDEATHSIG = 1


def attack() -> None:
    if ctypes.CDLL(None).prctl(_SET_PDEATHSIG, 0):
        raise PermissionError
    tell("here to stay")


attempt(attack)
try:
    play()
finally:
    time.sleep(3600)
