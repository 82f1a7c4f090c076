"""Lets the kernel send it SIGCONT later, which wakes it when the referee has stopped it."""

import ctypes
import fcntl
import os
import signal
import socket
import struct
from collections.abc import Callable

from attacker import attempt, play

_TIMER_CREATE, _MQ_OPEN, _MQ_NOTIFY, _CLONE = {
    "x86_64": (222, 240, 244, 56),
    "aarch64": (107, 180, 184, 220),
}[os.uname().machine]
_PIDFD_SEND_SIGNAL = 424
_PDEATHSIG, _SET_SIGNAL, _SET_OWNER = 1, 10, 15  # PR_SET_PDEATHSIG, F_SETSIG, F_SETOWN_EX
_FIOASYNC, _FIOSETOWN = 0x5452, 0x8901
_BY_SIGNAL = 0  # SIGEV_SIGNAL
_CONTINUE = signal.SIGCONT.value
_EVENT = struct.pack("@qii48x", 0, _CONTINUE, _BY_SIGNAL)  # struct sigevent

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def call(number: int, *arguments: object) -> int:
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def by_timer() -> None:
    timer = ctypes.create_string_buffer(8)
    call(_TIMER_CREATE, ctypes.c_int(1), _EVENT, timer)


def by_the_end_of_a_child() -> None:
    if call(_CLONE, ctypes.c_ulong(_CONTINUE), None, None, None, None) == 0:
        os._exit(0)


def by_the_end_of_a_parent() -> None:
    if _libc.prctl(ctypes.c_int(_PDEATHSIG), ctypes.c_ulong(_CONTINUE), 0, 0, 0):
        raise PermissionError


def by_a_socket() -> None:
    ours, _ = socket.socketpair()
    fcntl.fcntl(ours, _SET_SIGNAL, _CONTINUE)


def by_the_owner_of_a_socket() -> None:
    ours, _ = socket.socketpair()
    fcntl.fcntl(ours, _SET_OWNER, struct.pack("ii", 1, os.getpid()))


def by_asynchronous_input() -> None:
    ours, _ = socket.socketpair()
    fcntl.ioctl(ours, _FIOSETOWN, struct.pack("i", os.getpid()))
    fcntl.ioctl(ours, _FIOASYNC, struct.pack("i", 1))


def by_a_message_queue() -> None:
    queue = call(_MQ_OPEN, b"wake", ctypes.c_int(os.O_RDWR | os.O_CREAT), ctypes.c_int(0o600), None)
    call(_MQ_NOTIFY, ctypes.c_int(queue), _EVENT)


def by_a_descriptor_of_itself() -> None:
    call(_PIDFD_SEND_SIGNAL, ctypes.c_int(os.pidfd_open(os.getpid())), ctypes.c_int(0), None, ctypes.c_int(0))


def works(way: Callable[[], None]) -> bool:
    try:
        way()
    except OSError:
        return False
    return True


WAYS = (
    by_timer,
    by_the_end_of_a_child,
    by_the_end_of_a_parent,
    by_a_socket,
    by_the_owner_of_a_socket,
    by_asynchronous_input,
    by_a_message_queue,
    by_a_descriptor_of_itself,
)

attempt(lambda: [way.__name__ for way in WAYS if works(way)])
play()
