"""Takes its time for every answer."""

import time
from collections.abc import Iterable

from attacker import dull, play

from beanproto.v1 import referee_pb2 as pb


def late(request: pb.Request) -> Iterable[pb.Move]:
    time.sleep(0.05)
    return dull(request)


play(late)
