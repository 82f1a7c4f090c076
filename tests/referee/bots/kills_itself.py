import os
import signal

from rawbot import dull, play

from beanproto.v1 import referee_pb2 as pb

left = 5


def answer(request: pb.Request, start: pb.MatchStart) -> list[pb.Move]:
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return [dull(request, start)]


play(answer)
