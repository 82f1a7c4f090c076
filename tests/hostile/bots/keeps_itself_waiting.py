"""Keeps all CPUs busy while it is asked, so that it waits for itself and its time does not seem to pass."""

import hashlib
import threading
import time
from collections.abc import Iterable

from attacker import play

from beanproto.v1 import referee_pb2 as pb

DATA = bytes(2**20)


def spin() -> None:
    until = time.monotonic() + 5  # it is charged with all of its time after three
    while time.monotonic() < until:
        hashlib.sha256(DATA)  # without the interpreter's lock


def busy(request: pb.Request) -> Iterable[pb.Move]:
    for _ in range(20):
        threading.Thread(target=spin, daemon=True).start()
    spin()
    return ()


play(busy)
