"""Takes a tenth of a second for each decision, which is less than it may."""

import time

from rawbot import dull, play

from beanproto.v1 import referee_pb2 as pb


def answer(request: pb.Request, start: pb.MatchStart) -> list[pb.Move]:
    time.sleep(0.1)
    return [dull(request, start)]


play(answer)
