"""Mounts a file system."""

import ctypes

from attacker import attempt, play


def attack() -> object:
    if ctypes.CDLL(None, use_errno=True).mount(b"none", b"/tmp", b"tmpfs", 0, None) < 0:
        raise OSError(ctypes.get_errno(), "mount")
    return "mounted"


attempt(attack)
play()
