"""Ends its stream in the middle of a match."""

import time
from collections.abc import Iterable

from attacker import dull, play

from beanproto.v1 import referee_pb2 as pb

answered = 0


def leave(request: pb.Request) -> Iterable[pb.Move]:
    global answered
    answered += 1
    if answered > 5:
        raise SystemExit
    return dull(request)


try:
    play(leave)
except SystemExit:
    time.sleep(3600)
