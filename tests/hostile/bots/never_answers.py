"""Says hello and then nothing."""

import time
from collections.abc import Iterable

from attacker import play

from beanproto.v1 import referee_pb2 as pb


def sleep(request: pb.Request) -> Iterable[pb.Move]:
    time.sleep(3600)
    return ()


play(sleep)
