"""Kills itself when it does not like its cards, as if somebody else had done it, so that the deal is void."""

import os
import signal
from collections.abc import Iterable

from attacker import dull, play

from beanproto.v1 import referee_pb2 as pb


def give_up(request: pb.Request) -> Iterable[pb.Move]:
    if request.decision > 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return dull(request)


play(give_up)
