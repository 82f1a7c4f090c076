"""Thinks for 15 seconds in children that nobody waits for, whose time the kernel adds to no process."""

import os
import signal
import time
from collections.abc import Iterable

from attacker import attempt, dull, play

from beanproto.v1 import referee_pb2 as pb

asked = 0
thoughts: list[float] = []


def think() -> None:
    """Keep the CPUs busy with generations of children too short to be seen, and wait for a CPU meanwhile."""
    end = time.monotonic() + 3
    for _ in range(4):
        if not os.fork():
            spin(end)
    while time.monotonic() < end:
        os.sched_yield()
    thoughts.append(end)


def spin(end: float) -> None:
    while time.monotonic() < end:
        used = time.process_time()
        while time.process_time() < used + 0.005:
            pass
        if os.fork():
            break
    os._exit(0)


def slowly(request: pb.Request) -> Iterable[pb.Move]:
    global asked
    asked += 1
    if asked <= 5:
        attempt(think)
    if len(thoughts) == 5 and asked == 6:
        attempt(lambda: "is still in the match")
    return dull(request)


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
play(slowly)
