"""Becomes another program from one of its threads, which the kernel does not end with its parent, and stays."""

import os
import sys
import threading
import time
from collections.abc import Iterable

from attacker import play

from beanproto.v1 import referee_pb2 as pb

_STAY = "import sys, time; print('here to stay', file=sys.stderr, flush=True); time.sleep(3600)"


def become(request: pb.Request) -> Iterable[pb.Move]:
    del request
    threading.Thread(target=os.execv, args=(sys.executable, [sys.executable, "-c", _STAY])).start()
    time.sleep(3600)
    return ()


play(become)
