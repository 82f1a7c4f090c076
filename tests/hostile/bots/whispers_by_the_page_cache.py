"""Drops pages of a file from the cache, or not, and tells by exact calls which are there: a bit a page."""

import ctypes
import mmap
import os
import platform
import resource
from pathlib import Path

from attacker import attempt, play

_PLACE = ("x86_64", "aarch64").index(platform.machine())
_FADVISE, _READAHEAD, _MINCORE = (221, 223)[_PLACE], (187, 213)[_PLACE], (27, 232)[_PLACE]
_CACHESTAT, _PROCESS_MADVISE, _PREADV2 = 451, 440, (327, 286)[_PLACE]
_NOWAIT, _DONTCACHE = 8, 0x80
_COLD, _PAGEOUT, _POPULATE_READ, _POPULATE_WRITE, _WILLNEED, _SEQUENTIAL = 20, 21, 22, 23, 3, 2
_DONTNEED = 4
_MAP_POPULATE, _MAP_LOCKED = 0x8000, 0x2000
_O_DIRECT = (0x4000, 0x10000)[_PLACE]

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))


def _works(*arguments: object) -> bool:
    return bool(_libc.syscall(*arguments) >= 0)


def _maps(file: int, flags: int) -> bool:
    place = _libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE | flags, file, 0)
    return bool(place != ctypes.c_void_p(-1).value)


def _opens_directly(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | _O_DIRECT))
    except OSError:
        return False
    return True


def _counts_faults() -> bool:
    try:
        return bool(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
    except OSError:
        return False


def attack() -> object:
    path = os.__file__
    with Path(path).open("rb") as opened:
        file, page = opened.fileno(), mmap.PAGESIZE
        place = ctypes.c_void_p(_libc.mmap(None, page, mmap.PROT_READ, mmap.MAP_PRIVATE, file, 0))
        own = ctypes.create_string_buffer(2 * page)
        vector, window = _Vector(ctypes.addressof(own), page), (ctypes.c_uint64 * 2)(0, page)
        mapped = _Vector(place.value, page)
        size = ctypes.c_size_t(page)
        tried = {
            "fadvise64": _works(_FADVISE, file, 0, size, _DONTNEED),
            "readahead": _works(_READAHEAD, file, 0, size),
            "mincore": _works(_MINCORE, place, size, own),
            "cachestat": _works(_CACHESTAT, file, window, own, 0),
            "process_madvise": _works(_PROCESS_MADVISE, os.getpid(), ctypes.byref(mapped), 1, _COLD, 0),
            "getrusage": _counts_faults(),
            "MAP_POPULATE": _maps(file, _MAP_POPULATE),
            "MAP_LOCKED": _maps(file, _MAP_LOCKED),
            "O_DIRECT": _opens_directly(path),
        }
        for flag in (_NOWAIT, _DONTCACHE):
            tried[f"preadv2 {flag}"] = _works(_PREADV2, file, ctypes.byref(vector), 1, 0, 0, flag)
        for advice in (_COLD, _PAGEOUT, _POPULATE_READ, _POPULATE_WRITE, _WILLNEED, _SEQUENTIAL):
            tried[f"madvise {advice}"] = _libc.madvise(place, size, advice) == 0
        return [name for name, works in tried.items() if works]


attempt(attack)
play()
