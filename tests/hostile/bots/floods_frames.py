"""Floods the referee with HTTP/2 frames that never become a message, over a connection of its own."""

import os
import socket
import struct
import threading
import time
from collections.abc import Iterable

from attacker import dull, play

from beanproto.v1 import referee_pb2 as pb

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_SETTINGS, _UNKNOWN = 4, 0xEE


def frame(kind: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, 0]) + bytes(4) + payload


def flood() -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ["BEANLEAGUE_SOCKET"].removeprefix("unix:"))
        connection.sendall(_PREFACE + frame(_SETTINGS))
        frames = frame(_UNKNOWN) * 4096
        while True:
            connection.sendall(frames)


def answer(request: pb.Request) -> Iterable[pb.Move]:
    time.sleep(0.2)
    return dull(request)


threading.Thread(target=flood, daemon=True).start()
play(answer)
