"""Opens connections to the referee by the hundred and says nothing, until that has no descriptors left."""

import os
import socket
import time

import grpc
from attacker import attempt, channel, play

_USUAL = 8


def attack() -> object:
    opened = []
    for _ in range(150):
        opened.append(socket.socket(socket.AF_UNIX))
        opened[-1].connect(os.environ["BEANLEAGUE_SOCKET"].removeprefix("unix:"))
    kept = len(opened)
    for _ in range(100):
        kept = sum(map(is_open, opened))
        if kept <= _USUAL:
            break
        time.sleep(0.02)
    for connection in opened:
        connection.close()
    return f"{kept} connections" if kept > _USUAL else ""


def is_open(connection: socket.socket) -> bool:
    """Whether the referee has not closed it."""
    connection.setblocking(False)
    try:
        while connection.recv(2**16):
            pass
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


own = channel()
grpc.channel_ready_future(own).result()
attempt(attack)
play()
