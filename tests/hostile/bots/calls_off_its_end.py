"""Tells the kernel not to end it with its parent, and stays when all is over."""

import ctypes
import time

from attacker import attempt, play, tell

_SET_PDEATHSIG = 1


def attack() -> None:
    refused = ctypes.CDLL(None).prctl(_SET_PDEATHSIG, 0)
    tell("here to stay")
    if refused:
        raise PermissionError


attempt(attack)
try:
    play()
finally:
    time.sleep(3600)
