"""Thinks for 15 seconds in children that nobody waits for, whose time the kernel adds to no process."""

import os
import signal
import time
from collections.abc import Iterable

from attacker import attempt, dull, play

from beanproto.v1 import referee_pb2 as pb

CHAINS, GENERATIONS = 4, 75

asked = 0
thoughts: list[float] = []


def think() -> None:
    """Use three seconds of CPU in generations of children too short to be seen, and wait for a CPU meanwhile."""
    ours, theirs = os.pipe()
    for _ in range(CHAINS):
        if not os.fork():
            os.close(ours)
            spin()
    os.close(theirs)
    os.set_blocking(ours, False)
    while True:
        try:
            if not os.read(ours, 1):  # the last of them has ended
                break
        except BlockingIOError:
            os.sched_yield()
    os.close(ours)
    thoughts.append(time.monotonic())


def spin() -> None:
    for _ in range(GENERATIONS):
        used = time.process_time()
        while time.process_time() < used + 0.01:
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
