"""Waits at a file that all can read, to be woken by other processes of it."""

import ctypes
import errno
import mmap
import os
import platform
from pathlib import Path

from attacker import attempt, play

_FUTEX = {"x86_64": 202, "aarch64": 98}[platform.machine()]
_WAITV = 449
_WAIT, _WAIT_BITSET, _ANY_BIT = 0, 9, 0xFFFF_FFFF

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)


class _Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


def _waited(*arguments: object) -> bool:
    """Return whether nobody woke it, which somebody could have."""
    return _libc.syscall(*arguments) < 0 and ctypes.get_errno() == errno.ETIMEDOUT


def attack() -> object:
    with Path(os.__file__).open("rb") as file:
        place = ctypes.c_void_p(_libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0))
    word = ctypes.c_uint32.from_address(place.value or 0)
    shortly, past = ctypes.byref(_Time(0, 10**8)), ctypes.byref(_Time(1, 0))
    several = (ctypes.c_uint64 * 3)(word.value, place.value or 0, 2)
    return [
        name
        for name, arguments in (
            ("wait", (_FUTEX, place, _WAIT, word, shortly, None, 0)),
            ("wait_bitset", (_FUTEX, place, _WAIT_BITSET, word, past, None, ctypes.c_uint32(_ANY_BIT))),
            ("waitv", (_WAITV, several, 1, 0, past, 1)),
        )
        if _waited(*arguments)
    ]


attempt(attack)
play()
