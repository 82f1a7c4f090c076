"""Watches files that all can read, to notice when other processes of it open them."""

import ctypes
import os
from pathlib import Path

from attacker import attempt, play

_OPENED = 0x20  # IN_OPEN


def attack() -> object:
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(0)
    if watch < 0 or libc.inotify_add_watch(watch, os.fsencode(os.__file__), _OPENED) < 0:
        raise OSError(ctypes.get_errno(), "no watch")
    with Path(os.__file__).open("rb"):
        return os.read(watch, 4096)


attempt(attack)
play()
