"""Thinks for 15 seconds in children that nobody waits for, whose time the kernel adds to no process."""

import os
import signal
import time
from collections.abc import Iterable

from attacker import attempt, dull, play

from beanproto.v1 import referee_pb2 as pb

asked = 0


def spin(seconds: float) -> None:
    while time.process_time() < seconds:
        pass
    os._exit(0)


def think() -> object:
    """Use three seconds of CPU in children too short to be seen, and wait for a CPU that they keep busy."""
    for _ in range(30):
        for _ in range(10):
            if not os.fork():
                spin(0.01)
        while True:
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:  # all have ended
                break
            os.sched_yield()
    return ""


def slowly(request: pb.Request) -> Iterable[pb.Move]:
    global asked
    asked += 1
    if asked <= 5:
        attempt(think)
    return dull(request)


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
play(slowly)
