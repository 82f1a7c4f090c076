"""Makes namespaces, in which it would be root."""

import ctypes

from attacker import attempt, play


def attack() -> object:
    if ctypes.CDLL(None, use_errno=True).unshare(0x10000000 | 0x20000) < 0:
        raise OSError(ctypes.get_errno(), "unshare")
    return "root in a namespace"


attempt(attack)
play()
